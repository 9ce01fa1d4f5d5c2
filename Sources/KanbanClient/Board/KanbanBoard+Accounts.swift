import Foundation
import JSON
import Kanban
import KanbanRows

/// Accounts. Each has a folder of its own on the device, so that one's edits can never get to another's board.
extension KanbanBoard {
    /// Makes an account on the server, logs in to it, and brings along what was made without one.
    public func signUp(email: String, password: String, name: String? = nil, invitation: String? = nil) async throws {
        var members: [JSON.Member] = [.init("email", .string(email)), .init("password", .string(password))]
        if let name { members.append(.init("displayName", .string(name))) }
        if let invitation { members.append(.init("invitation", .string(invitation))) }
        do {
            _ = try await core.caller(token: nil).json(.post("/accounts", .object(members)))
        } catch {
            throw Failure(caught: error).error
        }
        try await logIn(email: email, password: password, guest: .add)
    }

    /// - Throws: ``KanbanError/wrongPassword``, ``KanbanError/guestData(_:)`` …
    public func logIn(
        email: String, password: String, device: String? = nil, guest: GuestData = .ask
    ) async throws {
        try await logIn(["email": .string(email), "password": .string(password)], device: device, guest: guest)
    }

    /// By a provider's token, such as Apple's.
    public func logIn(
        provider: String, idToken: String, nonce: String? = nil, device: String? = nil, guest: GuestData = .ask
    ) async throws {
        var members: [JSON.Member] = [.init("provider", .string(provider)), .init("idToken", .string(idToken))]
        if let nonce { members.append(.init("nonce", .string(nonce))) }
        try await logIn(.object(members), device: device, guest: guest)
    }

    private func logIn(_ credentials: JSON, device: String?, guest: GuestData) async throws {
        let document = try guestDocument(guest)
        let body = JSON.object(
            (credentials.objectMembers ?? []) + (device.map { [JSON.Member("device", .string($0))] } ?? []))
        let (token, account) = try await openSession(body)
        if let document {
            do {
                try await importBoard(document, token: token)
            } catch {
                // Nothing is lost: what was made without an account stays, and the session ends.
                _ = try? await core.caller(token: token).send(Call(method: "DELETE", path: "/sessions/current"))
                throw error
            }
        }
        let wasGuest = core.account == nil
        try await core.show(account, token: token)
        if wasGuest, guest != .ask || document != nil { try core.remove(nil) }
        await endForgottenSession(of: account)
    }

    /// The board without an account, to be sent to the account; `nil` when there is none, or nobody wants it.
    private func guestDocument(_ guest: GuestData) throws -> JSON? {
        guard core.account == nil, guest != .discard else { return nil }
        let (counts, document) = try core.replica.read { reader -> (BoardCounts, JSON?) in
            let counts = BoardCounts(try reader.taskCounts())
            let isEmpty = try counts.total == 0 && reader.categories().isEmpty && reader.countDDays() == 0
            return (counts, isEmpty ? nil : try reader.exportDocument())
        }
        guard document == nil || guest == .add else { throw KanbanError.guestData(counts) }
        return document
    }

    private func openSession(_ body: JSON) async throws -> (token: String, account: KanbanID) {
        let json: JSON
        do {
            json = try await core.caller(token: nil).json(.post("/sessions", body)).json
        } catch {
            let failure = Failure(caught: error)
            guard case .problem(let problem) = failure, problem.status == 401 else { throw failure.error }
            throw KanbanError.wrongPassword
        }
        guard let token = json["token"]?.stringValue,
            let account = json["account"]?["id"]?.stringValue.flatMap({ KanbanID($0) })
        else { throw KanbanError.tooOld }
        return (token, account)
    }

    private func importBoard(_ document: JSON, token: String) async throws {
        var call = Call.post("/import", document)
        call.query = [("mode", "merge")]
        call.patience = .seconds(300)
        do {
            _ = try await core.caller(token: token).json(call)
        } catch {
            throw Failure(caught: error).error
        }
    }

    /// Logs out. Without a network the token is forgotten here, and the session ends at the next log-in of the account.
    /// - Throws: ``KanbanError/unsent(_:)`` when edits would be lost.
    public func logOut(_ keep: LocalData = .remove) async throws {
        guard let account = core.account else { return }
        let unsent = try core.replica.read { try $0.connection.pendingCount() }
        if keep == .remove, unsent > 0 { throw KanbanError.unsent(unsent) }
        let caller = try core.caller()
        let secret = BoardCore.secretName(core.server, account)
        if caller.token != nil {
            do {
                _ = try await caller.json(Call(method: "DELETE", path: "/sessions/current", patience: .seconds(10)))
            } catch Failure.problem(let problem) where problem.status == 401 {
                // It ended already.
            } catch {
                try core.secrets.write(caller.token, for: secret + Self.forgotten)
            }
        }
        try core.secrets.write(nil, for: secret)
        try await core.show(nil, token: nil)
        if keep != .keep { try core.remove(account) }
    }

    private static let forgotten = "|ended"

    private func endForgottenSession(of account: KanbanID) async {
        let name = BoardCore.secretName(core.server, account) + Self.forgotten
        // Of the best intentions: a session that nobody uses ends by itself.
        guard let token = try? core.secrets.read(name) else { return }
        let call = Call(method: "DELETE", path: "/sessions/current", patience: .seconds(10))
        guard (try? await core.caller(token: token).send(call)) != nil else { return }
        try? core.secrets.write(nil, for: name)
    }
}

extension SQLiteBoard {
    /// The board as `POST /import` takes it: with ids, places and times.
    fileprivate func exportDocument() throws -> JSON {
        var everything = TaskQuery()
        everything.sort = .position
        var settings = Change.Value.settings(try self.settings()).json.objectMembers ?? []
        settings.removeAll { $0.name == "revision" || $0.value.isNull }
        return [
            "exportedAt": .string(context.clock().description),
            "settings": .object(settings),
            "categories": .array(try categories().map { Change.Value.category($0).json.withoutRevision }),
            "ddays": .array(try ddays(after: nil, limit: nil).map { Change.Value.dday($0).json.withoutRevision }),
            "tasks": .array(try tasks(everything).map { Change.Value.task($0).json.withoutRevision }),
            "images": .array(try exportedImages()),
        ]
    }

    private func exportedImages() throws -> [JSON] {
        try images(after: nil, limit: .max).compactMap { image in
            try imageContent(image.id).map { content in
                ["id": .string(image.id.description), "content": .string(Data(content).base64EncodedString())]
            }
        }
    }
}

extension JSON {
    fileprivate var withoutRevision: JSON {
        .object((objectMembers ?? []).filter { $0.name != "revision" })
    }
}
