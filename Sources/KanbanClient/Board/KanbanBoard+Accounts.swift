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
        _ = try await askWithoutAccount(.post("/accounts", .object(members))) { try await $0.json($1).json }
        try await logIn(email: email, password: password, guest: .add)
    }

    /// - Throws: ``KanbanError/wrongPassword``; with the right one ``KanbanError/guestData(_:)`` when there is something to
    ///   decide on; ``KanbanError/notKanbase``, ``KanbanError/untrustedCertificate`` …
    public func logIn(
        email: String, password: String, device: String? = nil, guest: GuestData = .ask
    ) async throws {
        try await logIn(["email": .string(email), "password": .string(password)], device: device, guest: guest)
    }

    /// By a provider's token, such as Apple's.
    public func logIn(
        provider: String, idToken: String, nonce: String? = nil, device: String? = nil, guest: GuestData = .ask
    ) async throws {
        let proof = ProviderToken(provider: provider, idToken: idToken, nonce: nonce)
        try await logIn(.object(proof.members), device: device, guest: guest)
    }

    private func logIn(_ credentials: JSON, device: String?, guest: GuestData) async throws {
        try core.requireWriting()
        // A widget may have left some on the board without an account.
        await core.makeQueuedEdits()
        let ofGuest = try core.account == nil ? core.replica.read { try GuestBoard($0) } : nil
        let undecided = guest == .ask ? ofGuest.flatMap { $0.isWorthAsking ? $0.counts : nil } : nil
        // A provider's token may make an account: the user decides before it is used.
        if let undecided, credentials["idToken"] != nil { throw KanbanError.guestData(undecided) }
        let body = JSON.object(
            (credentials.objectMembers ?? []) + (device.map { [JSON.Member("device", .string($0))] } ?? []))
        let session = try await openSession(body)
        let token = session.token
        var added: (guest: GuestBoard, account: AccountBoard)?
        do {
            // The password is right: only its owner is asked about what was made without an account.
            if let undecided { throw KanbanError.guestData(undecided) }
            if guest == .add, let ofGuest {
                // What the account has is newer than this device knows: that stays, and issues have the words of the guest.
                let answer = try await send(ofGuest, mode: "add", token: token)
                added = (ofGuest, try await account(with: ofGuest, after: answer, token: token))
            }
            try await show(session, with: added)
        } catch {
            // What is shown stays, and the session ends. If ending it fails too, its token is forgotten.
            await end(token, timeout: .seconds(60))
            throw error
        }
        if let ofGuest { await settle(ofGuest, guest, in: added?.account, of: session) }
        await endForgottenSession(of: session.account)
    }

    /// Shows the account's board. The session that this device had of the account before is to end.
    private func show(
        _ session: OpenedSession, with added: (guest: GuestBoard, account: AccountBoard)?
    ) async throws {
        let (account, token) = (session.account, session.token)
        let secret = BoardCore.secretName(core.server, account)
        let earlier = try core.secrets.read(secret)
        if let earlier, earlier != token {
            await endForgottenSession(of: account)
            try core.secrets.write(earlier, for: secret + Self.forgotten)
        }
        do {
            try await core.show(account, token: token) { transaction in
                try transaction.noteLogIn(session.answer)
                if let added { try transaction.show(added.guest, as: added.account) }
            }
        } catch {
            // The device goes on with the earlier session, as far as the secrets can be written.
            try? core.secrets.write(earlier, for: secret)
            if earlier != nil { try? core.secrets.write(nil, for: secret + Self.forgotten) }
            throw error
        }
    }

    /// - Returns: the server's report; `nil` when there is nothing to send.
    @discardableResult
    private func send(_ guest: GuestBoard, mode: String, token: String) async throws -> JSON? {
        guard let document = guest.document else { return nil }
        var call = APICall.post("/import", document)
        call.query = [("mode", mode)]
        call.timeout = .seconds(300)
        do {
            return try await core.client(token: token).json(call).json
        } catch {
            throw core.appError(error)
        }
    }

    /// - Parameter report: what the server says of the import.
    private func account(with guest: GuestBoard, after report: JSON?, token: String) async throws -> AccountBoard {
        do {
            let client = core.client(token: token)
            var account = AccountBoard()
            if guest.hasSettings { account.settings = try await client.json(.get("/settings")).json }
            if guest.hasCategories {
                account.categories = try await client.json(.get("/categories")).json["items"]?.arrayValue ?? []
            }
            if let report, guest.isMore(than: report) { account.versions = try await versions(of: guest, client) }
            return account
        } catch {
            throw core.appError(error)
        }
    }

    /// The tasks and D-days of the account that have the ids of the guest's.
    private func versions(of guest: GuestBoard, _ client: APIClient) async throws -> [ResourceKey: JSON] {
        let wanted = guest.listed
        var versions: [ResourceKey: JSON] = [:]
        var call = APICall.get("/changes")
        var cursor: String?
        repeat {
            call.query = [("types", "task,dday"), ("limit", "1000")] + (cursor.map { [("since", $0)] } ?? [])
            let page = try await client.json(call).json
            for change in page["changes"]?.arrayValue ?? [] {
                guard let type = change["type"]?.stringValue.flatMap(ResourceType.init(rawValue:)),
                    let value = change["value"], !value.isNull
                else { continue }
                let resource = ResourceKey(type: type, id: change["id"]?.stringValue.flatMap { ID($0) })
                if wanted.contains(resource) { versions[resource] = value }
            }
            cursor = page["hasMore"] == true ? page["cursor"]?.stringValue : nil
        } while cursor != nil
        return versions
    }

    /// Removes the board without an account once it is no longer shown: what was edited there since it was sent is
    /// sent, too, and what is not sent goes to the account's board on this device. Where that fails it stays on the device: it
    /// is there again after a log-out, and goes to an account with the next log-in.
    private func settle(
        _ sent: GuestBoard, _ guest: GuestData, in account: AccountBoard?, of session: OpenedSession
    ) async {
        let shown = core.shown
        // The app may show another board by now.
        guard shown.account == session.account else { return }
        do {
            switch guest {
            case .add:
                let outdone = account.map { sent.outdone(by: $0) } ?? []
                if !outdone.isEmpty {
                    try await shown.replica.write { transaction in for issue in outdone { try transaction.add(issue) } }
                }
                let left = try core.readHidden(nil) { try GuestBoard($0) }
                let isNewer = left.revision != sent.revision
                if isNewer { try await send(left, mode: "merge", token: session.token) }
                try await shown.replica.write { transaction in
                    if isNewer, let account { try transaction.show(left, as: account) }
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

    /// Asks the server something that needs no log-in.
    func askWithoutAccount<Answer: Sendable>(
        _ call: APICall, _ ask: (APIClient, APICall) async throws -> Answer
    ) async throws -> Answer {
        let replica = core.replica
        do {
            let answer = try await ask(core.client(token: nil), call)
            // If the disk fails, the next request notes it.
            try? await replica.noteAnswered()
            return answer
        } catch {
            if let failure = error as? Failure, failure.isOfKanbase { try? await replica.noteAnswered() }
            throw core.toldOfAccount(error, otherwise: \.errorEverywhere)
        }
    }

    func openSession(_ body: JSON) async throws -> OpenedSession {
        let json: JSON
        do {
            json = try await askWithoutAccount(.post("/sessions", body)) { try await $0.json($1).json }
        } catch KanbanError.loggedOut where body["password"] != nil {
            throw KanbanError.wrongPassword
        } catch KanbanError.server(status: 401, _, _) where body["password"] != nil {
            throw KanbanError.wrongPassword
        }
        guard let token = json["token"]?.stringValue, let account = json["account"]?.id("id") else {
            throw KanbanError.tooOld
        }
        return OpenedSession(token: token, account: account, answer: json)
    }

    /// Logs out, and shows the board without an account. Without a network the session ends at the next log-in of the
    /// account.
    /// - Throws: ``KanbanError/unsent(_:)`` when something would be lost that only this device has: edits, images, and
    ///   issues that hold what the server did not take.
    public func logOut(_ keep: LocalData = .remove) async throws {
        try core.requireWriting()
        guard let account = core.account else { return }
        await core.makeQueuedEdits()
        if keep == .remove { try core.requireNothingUnsent(of: account, core.replica.read) }
        let token = core.token
        try await core.show(nil, token: nil)
        if keep == .remove {
            do {
                // The board is closed: no edit of the app can come after this check.
                try core.requireNothingUnsent(of: account) { try core.readHidden(account, $0) }
            } catch {
                try await core.show(account, token: token)
                throw error
            }
        }
        // Neither waits for the other to go well: the board is no longer shown, and nobody could ask again.
        let removal = Result { if keep != .keep { try core.remove(account) } }
        try await endSession(of: account, token)
        try removal.get()
    }

    private func endSession(of account: KanbanID, _ token: String?) async throws {
        let secret = BoardCore.secretName(core.server, account)
        do {
            if let token { try core.secrets.write(token, for: secret + Self.forgotten) }
            try core.secrets.write(nil, for: secret)
        } catch {
            // What the secrets still have is worth nothing once the server has ended the session.
            if let token { await end(token, timeout: .seconds(2)) }
            throw error
        }
        // The user waits, and a network may swallow the request. What is not answered in time ends with the next log-in.
        await endForgottenSession(of: account, timeout: .seconds(2))
    }

    static let forgotten = "|ended"

    private func endForgottenSession(of account: KanbanID, timeout: Duration = .seconds(10)) async {
        let name = BoardCore.secretName(core.server, account) + Self.forgotten
        // It may fail at every step: then it is tried at the next log-in, and a session that nobody uses ends by itself.
        guard let token = try? core.secrets.read(name) else { return }
        if await end(token, timeout: timeout) { try? core.secrets.write(nil, for: name) }
    }

    /// Ends a session, also when the caller was cancelled.
    /// - Returns: true when it is over.
    @discardableResult
    func end(_ token: String, timeout: Duration) async -> Bool {
        let client = core.client(token: token)
        let call = APICall(method: "DELETE", path: "/sessions/current", timeout: timeout)
        // It may fail in any way: the session stays then.
        let answer = await Task { try? await client.send(call) }.value
        return answer.map { [204, 401].contains($0.status) } ?? false
    }
}

/// A session that a log-in has opened.
struct OpenedSession: Sendable {
    var token: String
    var account: KanbanID
    /// With the account and the session as the API shows them.
    var answer: JSON
}

extension BoardCore {
    /// Removes an account's board from the device. Not the one that is shown, as it may be again by now.
    func remove(_ account: KanbanID?) throws {
        guard account != self.account else { return }
        let old = Self.folder(of: account, in: boards)
        guard FileManager.default.fileExists(atPath: old.path) else { return }
        do {
            try FileManager.default.removeItem(at: old)
        } catch {
            throw KanbanError.storage("\(old.path) cannot be removed.")
        }
    }

    /// - Parameter read: reads the account's board.
    /// - Throws: ``KanbanError/unsent(_:)``.
    func requireNothingUnsent(of account: KanbanID, _ read: ((SQLiteBoard) throws -> Int) throws -> Int) throws {
        // What a widget left cannot always be made, as on a full disk.
        let count = try queue(of: account).edits().count + read { try $0.connection.unsentCount() }
        guard count == 0 else { throw KanbanError.unsent(count) }
    }
}

extension SQLiteConnection {
    /// How much is on this device alone.
    fileprivate func unsentCount() throws -> Int {
        try pendingCount() + issues().filter(\.isOnlyCopy).count + loneImageCount()
    }
}
