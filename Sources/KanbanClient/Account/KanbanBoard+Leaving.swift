import Foundation
import JSON
import Kanban
import KanbanRows

/// Unlinking, deleting and exporting: what the App Store asks of an app with accounts.
extension KanbanBoard {
    // MARK: - Identities

    /// Ends the sessions that the provider's sign-in has opened, too: after unlinking with its own sign-in this device logs in
    /// in another way.
    /// - Parameters:
    ///   - password: of the account, if it has one.
    ///   - authorizationCode: what Apple gave the app beside the ID token: the server then revokes Apple's tokens.
    public func unlink(
        _ identity: AccountIdentity.ID, password: String? = nil, authorizationCode: String? = nil
    ) async throws {
        let proof = JSON.given(("password", .optional(password)), ("authorizationCode", .optional(authorizationCode)))
        try await core.doOfAccount(.delete("/account/identities/\(identity)", proof == [:] ? nil : proof))
    }

    /// For an account without a password: signs in once more with the provider's token, if the server asks for it.
    public func unlink(
        _ identity: AccountIdentity.ID, provider: String = "apple", idToken: String, nonce: String? = nil,
        authorizationCode: String? = nil
    ) async throws {
        let token = ProviderToken(provider: provider, idToken: idToken, nonce: nonce)
        let proof = JSON.given(("authorizationCode", .optional(authorizationCode)))
        try await withFreshSession(token) {
            try await $0.finish(.delete("/account/identities/\(identity)", proof == [:] ? nil : proof), with: 204)
        }
    }

    // MARK: - The end of an account

    /// Erases the account and all its data, on the server and then on this device, and shows the board without an account.
    /// - Parameters:
    ///   - authorizationCode: what Apple gave the app beside the ID token: the server then revokes Apple's tokens.
    ///   - discardUnsent: also when this device has something that the server does not.
    /// - Throws: ``KanbanError/unsent(_:)`` when it has, ``KanbanError/wrongPassword``, … Then nothing is erased. Without an answer,
    ///   as with ``KanbanError/offline``, the account may be gone: then the device keeps its data until ``logOut(_:)``.
    public func deleteAccount(
        password: String, authorizationCode: String? = nil, discardUnsent: Bool = false
    ) async throws {
        let proof = JSON.given(
            ("password", .string(password)), ("authorizationCode", .optional(authorizationCode)))
        try await deleteAccount(discardUnsent) {
            try await core.doOfAccount(.delete("/account", proof))
        }
    }

    /// The same with a provider's sign-in. Signs in once more with the token, if the server asks for it.
    public func deleteAccount(
        provider: String = "apple", idToken: String, nonce: String? = nil, authorizationCode: String? = nil,
        discardUnsent: Bool = false
    ) async throws {
        let token = ProviderToken(provider: provider, idToken: idToken, nonce: nonce)
        let proof = JSON.given(("authorizationCode", .optional(authorizationCode)))
        try await deleteAccount(discardUnsent) {
            try await withFreshSession(token, endsSession: false) {
                try await $0.finish(.delete("/account", proof), with: 204)
            }
        }
    }

    private func deleteAccount(_ discardUnsent: Bool, _ erase: () async throws -> Void) async throws {
        try core.requireWriting()
        guard let account = core.account else { throw KanbanError.loggedOut }
        await core.makeQueuedEdits()
        if !discardUnsent { try core.requireNothingUnsent(of: account, core.replica.read) }
        try await erase()
        // The app may show another account by now.
        if core.account == account { try await core.show(nil, token: nil) }
        // Neither waits for the other to go well: nobody can ask for it again.
        let removal = Result { try core.remove(account) }
        let secret = BoardCore.secretName(core.server, account)
        try core.secrets.write(nil, for: secret)
        try core.secrets.write(nil, for: secret + Self.forgotten)
        try removal.get()
    }

    /// Asks with this device's session, and where the server wants a newer one, with one that the provider's token opens.
    /// - Parameter endsSession: false where the account ends with the session.
    private func withFreshSession(
        _ proof: ProviderToken, endsSession: Bool = true, _ ask: @Sendable (APIClient) async throws -> Void
    ) async throws {
        guard let account = core.account else { throw KanbanError.loggedOut }
        do {
            return try await core.askOfAccount(ask)
        } catch KanbanError.forbidden("fresh_session_required"), KanbanError.wrongPassword, KanbanError.loggedOut {
            // The token tells that it is the owner, whatever became of this device's session.
        }
        let fresh = try await openSession(.object(proof.members))
        guard fresh.account == account else {
            await leave(fresh)
            throw KanbanError.forbidden("other_account")
        }
        do {
            try await ask(core.client(token: fresh.token))
        } catch {
            await end(fresh.token, timeout: .seconds(10))
            throw core.toldOfAccount(error)
        }
        if endsSession { await end(fresh.token, timeout: .seconds(10)) }
    }

    /// Ends a session that another account's token has opened. An account that it made by the way is erased again.
    private func leave(_ session: OpenedSession) async {
        guard session.answer["account"]?["created"]?.boolValue == true else {
            await end(session.token, timeout: .seconds(10))
            return
        }
        let client = core.client(token: session.token)
        // Also when the caller was cancelled. Without an answer an empty account stays.
        _ = await Task { try? await client.send(.delete("/account", [:])) }.value
    }

    // MARK: - Export

    /// Writes all that the server has of the account to a file, as the server sends it: JSON with the board, its pictures, the
    /// account, its sessions and events. What waits to be sent is not in it: see ``syncNow(until:timeout:)``.
    /// - Throws: ``KanbanError/storage(_:)`` when the file cannot be written, … Then no file is there, or the one before.
    public func exportAccount(to file: URL) async throws {
        try await core.askOfAccount { client in
            let part = file.appendingPathExtension("part")
            defer { try? FileManager.default.removeItem(at: part) }  // Gone when all went well.
            try await client.download(.get("/account/export"), to: part)
            guard rename(part.path, file.path) == 0 else {
                throw Failure.storage(.storage("\(file.path) cannot be written."))
            }
        }
    }
}

extension APIClient {
    /// Writes the body of an answer to a file, piece by piece: an export has the account's pictures.
    /// - Throws: ``Failure``, `CancellationError`.
    fileprivate func download(_ call: APICall, to file: URL) async throws {
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = try? FileHandle(forWritingTo: file)
        else { throw Failure.storage(.storage("\(file.path) cannot be written.")) }
        defer { try? handle.close() }  // What was written is on disk already, or the error was thrown.
        var refused: APIResponse?
        var isDocument = false
        do {
            for try await piece in stream(call) {
                switch piece {
                case .head(let status, let headers):
                    isDocument = status == 200 && headers["content-type"]?.hasPrefix("text/") != true
                    if !isDocument { refused = APIResponse(status: status, headers: headers, body: []) }
                case .bytes(let bytes) where refused != nil:
                    // A problem document; a page of a proxy may have no end.
                    guard (refused?.body.count ?? 0) + bytes.count <= 1 << 16 else { throw Failure.malformedResponse }
                    refused?.body += bytes
                case .bytes(let bytes):
                    do {
                        try handle.write(contentsOf: bytes)
                    } catch {
                        throw Failure.storage(.storage("\(file.path) cannot be written: \(error.localizedDescription)"))
                    }
                }
            }
        } catch is NetworkError {
            try Task.checkCancellation()
            throw Failure.network
        }
        try Task.checkCancellation()
        if let refused { throw refused.status == 200 ? Failure.malformedResponse : Failure(refused) }
        guard isDocument else { throw Failure.network }
        do {
            try handle.synchronize()
        } catch {
            throw Failure.storage(.storage("\(file.path) cannot be written: \(error.localizedDescription)"))
        }
    }
}
