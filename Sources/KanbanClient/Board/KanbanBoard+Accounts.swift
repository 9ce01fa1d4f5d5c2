import Foundation
import JSON
import Kanban
import KanbanRows

/// Accounts. Each has its own folder on the device: edits of one account never reach another's board.
extension KanbanBoard {
    /// Makes an account on the server, logs in to it, and brings along what was made without one.
    public func signUp(email: String, password: String, name: String? = nil, invitation: String? = nil) async throws {
        try core.requireWriting()
        var members: [JSON.Member] = [.init("email", .string(email)), .init("password", .string(password))]
        if let name { members.append(.init("displayName", .string(name))) }
        if let invitation { members.append(.init("invitation", .string(invitation))) }
        do {
            _ = try await ask("/accounts", .object(members))
        } catch {
            throw Failure.told(error, as: \.errorEverywhere)
        }
        try await logIn(email: email, password: password, guest: .add)
    }

    /// - Throws: ``KanbanError/wrongPassword``; with the right one ``KanbanError/guestData(_:)`` when there is something to
    ///   decide on; ``KanbanError/invalid(_:)`` with a fault at `#/server`: there is no Kanbase at the address; …
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
        try core.requireWriting()
        let ofGuest = try core.account == nil ? core.replica.read { try GuestBoard($0) } : nil
        let undecided = guest == .ask ? ofGuest.flatMap { $0.isWorthAsking ? $0.counts : nil } : nil
        // A provider's token may make an account: the user decides before it is used.
        if let undecided, credentials["idToken"] != nil { throw KanbanError.guestData(undecided) }
        let body = JSON.object(
            (credentials.objectMembers ?? []) + (device.map { [JSON.Member("device", .string($0))] } ?? []))
        let (token, account) = try await openSession(body)
        var outdone: StoredIssue?
        do {
            // The password is right: only its owner is asked about what was made without an account.
            if let undecided { throw KanbanError.guestData(undecided) }
            if guest == .add, let ofGuest {
                try await send(ofGuest, token: token)
                outdone = try await settingsOutdone(ofGuest, token: token)
            }
            try await show(account, token: token)
        } catch {
            // What is shown stays, and the session ends. If ending it fails too, its token is forgotten.
            _ = await end(token, timeout: .seconds(60))
            throw error
        }
        if let outdone { try await core.replica.write { try $0.add(outdone) } }
        if let ofGuest { await settle(ofGuest, guest, token: token) }
        await endForgottenSession(of: account)
    }

    /// Shows the account's board. The session that this device had of the account before is to end.
    private func show(_ account: KanbanID, token: String) async throws {
        let secret = BoardCore.secretName(core.server, account)
        let earlier = try core.secrets.read(secret)
        if let earlier, earlier != token {
            await endForgottenSession(of: account)
            try core.secrets.write(earlier, for: secret + Self.forgotten)
        }
        do {
            try await core.show(account, token: token)
        } catch {
            // The device goes on with the earlier session, as far as the secrets can be written.
            try? core.secrets.write(earlier, for: secret)
            if earlier != nil { try? core.secrets.write(nil, for: secret + Self.forgotten) }
            throw error
        }
    }

    private func send(_ guest: GuestBoard, token: String) async throws {
        guard let document = guest.document else { return }
        var call = APICall.post("/import", document)
        call.query = [("mode", "merge")]
        call.timeout = .seconds(300)
        do {
            _ = try await core.client(token: token).json(call)
        } catch {
            throw Failure.told(error)
        }
    }

    /// An account keeps its own settings: an issue has those of the guest that differ.
    private func settingsOutdone(_ guest: GuestBoard, token: String) async throws -> StoredIssue? {
        let mine = guest.settings.flatMembers
        guard !mine.isEmpty else { return nil }
        do {
            let theirs = try await core.client(token: token).json(.get("/settings")).json
            let outdone = mine.filter { theirs[flat: $0.name] != $0.value }
            return outdone.isEmpty ? nil : .outdone(outdone, by: theirs, of: .settings)
        } catch {
            throw Failure.told(error)
        }
    }

    /// Removes the board without an account once it is not shown any more: what was edited there since it was sent is
    /// sent, too, and what is not sent goes to the account's board on this device. Where that fails it stays on the device: it
    /// is there again after a log-out, and goes to an account with the next log-in.
    private func settle(_ sent: GuestBoard, _ guest: GuestData, token: String) async {
        do {
            switch guest {
            case .add:
                let left = try core.readHidden(nil) { try GuestBoard($0) }
                if left.revision != sent.revision { try await send(left, token: token) }
                try await core.replica.write { transaction in
                    try transaction.add(trash: left.trash)
                    for issue in left.issues { try transaction.add(issue) }
                }
            case .ask:
                guard try core.readHidden(nil, { try GuestBoard($0) }).isEmpty else { return }
            case .keep: return
            case .discard: break
            }
            try core.remove(nil)
        } catch {
            core.log(LogEvent(code: "guest.not_removed"))
        }
    }

    /// Asks a server for an account or a session.
    private func ask(_ path: String, _ body: JSON) async throws -> JSON {
        let replica = core.replica
        do {
            let json = try await core.client(token: nil).json(.post(path, body)).json
            try await replica.noteAnswered()
            return json
        } catch let failure as Failure where failure.isOfKanbase {
            try await replica.noteAnswered()
            throw failure
        }
    }

    private func openSession(_ body: JSON) async throws -> (token: String, account: KanbanID) {
        let json: JSON
        do {
            json = try await ask("/sessions", body)
        } catch Failure.problem(let problem) where problem.status == 401 {
            // The server refuses a provider's token in the same way.
            guard body["password"] == nil else { throw KanbanError.wrongPassword }
            throw KanbanError.server(status: 401, code: problem.code, requestID: problem.requestID)
        } catch {
            throw Failure.told(error, as: \.errorEverywhere)
        }
        guard let token = json["token"]?.stringValue,
            let account = json["account"]?["id"]?.stringValue.flatMap({ KanbanID($0) })
        else { throw KanbanError.tooOld }
        return (token, account)
    }

    /// Logs out, and shows the board without an account. Without a network the session ends at the next log-in of the
    /// account.
    /// - Throws: ``KanbanError/unsent(_:)`` when something would be lost that only this device has: edits, images, and
    ///   issues that hold what the server did not take.
    public func logOut(_ keep: LocalData = .remove) async throws {
        try core.requireWriting()
        guard let account = core.account else { return }
        if keep == .remove { try core.replica.read { try $0.connection.requireNothingUnsent() } }
        let token = core.token
        try await core.show(nil, token: nil)
        if keep == .remove {
            do {
                // The board is closed: no edit can come after this check.
                try core.readHidden(account) { try $0.connection.requireNothingUnsent() }
            } catch {
                try await core.show(account, token: token)
                throw error
            }
        }
        // Neither waits for the other to go well: the board is not shown any more, and nobody could ask again.
        let removal = Result { if keep != .keep { try core.remove(account) } }
        try await endSession(of: account, token)
        try removal.get()
    }

    private func endSession(of account: KanbanID, _ token: String?) async throws {
        let secret = BoardCore.secretName(core.server, account)
        if let token { try core.secrets.write(token, for: secret + Self.forgotten) }
        try core.secrets.write(nil, for: secret)
        await endForgottenSession(of: account)
    }

    private static let forgotten = "|ended"

    private func endForgottenSession(of account: KanbanID) async {
        let name = BoardCore.secretName(core.server, account) + Self.forgotten
        // It may fail at every step: then it is tried at the next log-in, and a session that nobody uses ends by itself.
        guard let token = try? core.secrets.read(name) else { return }
        if await end(token, timeout: .seconds(10)) { try? core.secrets.write(nil, for: name) }
    }

    /// Ends a session, also when the caller was cancelled.
    /// - Returns: true when it is over.
    private func end(_ token: String, timeout: Duration) async -> Bool {
        let client = core.client(token: token)
        let call = APICall(method: "DELETE", path: "/sessions/current", timeout: timeout)
        // It may fail in any way: the session stays then.
        let answer = await Task { try? await client.send(call) }.value
        return answer.map { [204, 401].contains($0.status) } ?? false
    }
}

/// The board without an account, as it is sent to one.
private struct GuestBoard {
    var counts: BoardCounts
    /// It holds something besides tasks.
    private var hasMore: Bool
    /// Those that are set.
    var settings: JSON
    /// As `POST /import` takes it, with ids, places and times; `nil` when there is nothing.
    var document: JSON?
    /// Deleted tasks, of which the account's server hears when they are restored.
    var trash: [TaskItem]
    /// Those that hold what is nowhere else.
    var issues: [StoredIssue]
    /// Grows with every edit.
    var revision: Revision

    var isWorthAsking: Bool { counts.total > 0 || hasMore }

    var isEmpty: Bool { document == nil && trash.isEmpty && issues.isEmpty }

    init(_ reader: SQLiteBoard) throws {
        counts = BoardCounts(try reader.taskCounts())
        hasMore = try !reader.categories().isEmpty || reader.countDDays() > 0
        trash = try reader.trash(at: reader.context.clock())
        issues = try reader.connection.issues().filter(\.isOnlyCopy)
        revision = try reader.feedState().revision
        var settings = Change.Value.settings(try reader.settings()).json.objectMembers ?? []
        settings.removeAll { $0.name == "revision" || $0.value.isNull || $0.value == [:] }
        self.settings = .object(settings)
        let hasImages = try !reader.images(after: nil, limit: 1).isEmpty
        if counts.total > 0 || hasMore || hasImages || !settings.isEmpty {
            document = try reader.exportDocument(settings: self.settings)
        }
    }
}

extension SQLiteConnection {
    fileprivate func requireNothingUnsent() throws {
        let count = try pendingCount() + issues().filter(\.isOnlyCopy).count + loneImageCount()
        guard count == 0 else { throw KanbanError.unsent(count) }
    }
}

extension SQLiteBoard {
    fileprivate func exportDocument(settings: JSON) throws -> JSON {
        var everything = TaskQuery()
        everything.sort = .position
        return [
            "exportedAt": .string(context.clock().description),
            "settings": settings,
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
