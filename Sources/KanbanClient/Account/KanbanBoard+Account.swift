import Foundation
import JSON
import Kanban
import KanbanRows

/// The account that is logged in. All of it but ``account`` asks the server, and throws ``KanbanError/loggedOut`` when nobody is
/// logged in, ``KanbanError/offline`` without a network; ``refusal(of:)`` has the cases that a form tells apart.
extension KanbanBoard {
    /// Who is logged in; `nil` when nobody is. The server is asked once after each ``start()``.
    public nonisolated var account: Live<KanbanAccount?> {
        let core = core
        return core.live(.account, of: [.account]) { (try core.knownAccount($0), nil) }
    }

    /// Asks the server for the account as it is by now.
    @discardableResult
    public func refreshAccount() async throws -> KanbanAccount {
        try await core.account(by: .get("/account"))
    }

    /// `nil` for no name.
    @discardableResult
    public func changeName(_ name: String?) async throws -> KanbanAccount {
        try await core.account(by: .patch("/account", ["displayName": .init(optional: name)]))
    }

    /// A PNG, JPEG, WebP or HEIC of at most 1 MiB; `nil` for no picture.
    /// - Throws: ``KanbanError/invalid(_:)`` for anything else; …
    @discardableResult
    public func changePicture(_ picture: Data?) async throws -> KanbanAccount {
        guard let picture else { return try await core.account(by: .patch("/account", ["image": .null])) }
        let content = try Self.content(of: picture)
        let id = KanbanID()
        try await core.askOfAccount { try await $0.upload(content.bytes, as: id.id) }
        return try await core.account(by: .patch("/account", ["image": .string(id.description)]))
    }

    /// Where the server sends mails, the new address waits as ``KanbanAccount/pendingEmail`` until ``verifyEmail(code:)``.
    /// - Parameter password: the current one; not needed within ten minutes of a provider's sign-in.
    @discardableResult
    public func changeEmail(_ email: String, password: String? = nil) async throws -> KanbanAccount {
        let change = JSON.given(("email", .string(email)), ("password", .optional(password)))
        return try await core.account(by: .patch("/account", change))
    }

    /// All other devices are logged out.
    /// - Parameters:
    ///   - current: not needed within ten minutes of a provider's sign-in.
    ///   - endTokens: personal tokens end, too.
    public func changePassword(from current: String?, to new: String, endTokens: Bool = true) async throws {
        let change = JSON.given(
            ("newPassword", .string(new)), ("password", .optional(current)), ("endTokens", .bool(endTokens)))
        _ = try await core.account(by: .patch("/account", change))
    }

    // MARK: - Codes from mails

    /// Sends a code to the address, if an account has it: the answer is the same for every address.
    public func requestPasswordReset(email: String) async throws {
        try core.requireOpen()
        try await askWithoutAccount(.post("/password-resets", ["email": .string(email)])) {
            try await $0.finish($1, with: 202)
        }
    }

    /// Sets a new password with the code of the mail. All devices are logged out: log in with it.
    public func completePasswordReset(code: String, newPassword: String, endTokens: Bool = true) async throws {
        try core.requireOpen()
        let body: JSON = [
            "code": .string(code), "newPassword": .string(newPassword), "endTokens": .bool(endTokens),
        ]
        try await askWithoutAccount(.post("/password-resets/complete", body)) { try await $0.finish($1, with: 204) }
    }

    /// Sends another code to the address of the account, or to the one that waits.
    public func requestEmailVerification() async throws {
        try await core.doOfAccount(.post("/account/email-verification", [:]), answeredBy: 202)
    }

    /// Proves the address with the code of the mail.
    @discardableResult
    public func verifyEmail(code: String) async throws -> KanbanAccount {
        try await core.doOfAccount(.post("/account/email-verification", ["code": .string(code)]))
        return try await refreshAccount()
    }

    /// With the code of a mail about a log-in or a change that its owner did not make: logs out all devices. Only
    /// ``requestPasswordReset(email:)`` opens the account again.
    public func lockAccount(code: String) async throws {
        try core.requireOpen()
        try await askWithoutAccount(.post("/account/lock", ["code": .string(code)])) {
            try await $0.finish($1, with: 204)
        }
    }

    // MARK: - Sessions and tokens

    /// The devices that are logged in.
    public func sessions() async throws -> [AccountSession] {
        let current = try core.read { try $0.connection.state(.session) }.flatMap { KanbanID($0) }
        return try await core.askOfAccount(.get("/sessions")).items { AccountSession($0, current: current) }
    }

    /// Logs out another device. This one's own session ends with ``logOut(_:)``.
    public func endSession(_ id: AccountSession.ID) async throws {
        try await core.doOfAccount(.delete("/sessions/\(id)"))
    }

    /// Logs out all other devices.
    /// - Parameter tokens: personal tokens end, too.
    public func endOtherSessions(tokens: Bool = false) async throws {
        var call = APICall.delete("/sessions")
        if tokens { call.query = [("tokens", "true")] }
        try await core.doOfAccount(call)
    }

    public func tokens() async throws -> [AccountToken] {
        try await core.askOfAccount(.get("/tokens")).items { AccountToken($0) }
    }

    /// - Parameter password: for a token of scope ``AccountToken/Scope/full``, unless a provider's sign-in is not older than ten
    ///   minutes.
    /// - Returns: the token and its secret text, which is shown this once.
    public func createToken(
        name: String, scope: AccountToken.Scope, expiresAt: Date? = nil, password: String? = nil
    ) async throws -> (token: AccountToken, secret: String) {
        let body = JSON.given(
            ("name", .string(name)), ("scope", .string(scope.rawValue)),
            ("expiresAt", .optional(expiresAt.map { Timestamp($0).description })), ("password", .optional(password)))
        let json = try await core.askOfAccount(.post("/tokens", body))
        guard let token = AccountToken(json), let secret = json["token"]?.stringValue else { throw KanbanError.tooOld }
        return (token, secret)
    }

    public func endToken(_ id: AccountToken.ID) async throws {
        try await core.doOfAccount(.delete("/tokens/\(id)"))
    }

    // MARK: - Identities and events

    /// The providers' sign-ins that open the account.
    public func identities() async throws -> [AccountIdentity] {
        try await core.askOfAccount(.get("/account/identities")).items { AccountIdentity($0) }
    }

    /// From now on the provider's sign-in opens the account, too.
    /// - Parameter password: of the account, if it has one.
    @discardableResult
    public func link(
        provider: String, idToken: String, nonce: String? = nil, password: String? = nil
    ) async throws -> AccountIdentity {
        let proof = ProviderToken(provider: provider, idToken: idToken, nonce: nonce)
        let body = JSON.object(proof.members + (password.map { [JSON.Member("password", .string($0))] } ?? []))
        guard let identity = AccountIdentity(try await core.askOfAccount(.post("/account/identities", body))) else {
            throw KanbanError.tooOld
        }
        return identity
    }

    /// What happened to the account within a year, newest first.
    /// - Parameter page: the one before.
    public func accountEvents(after page: AccountEventPage? = nil) async throws -> AccountEventPage {
        if let page, !page.hasMore { return AccountEventPage([]) }
        let cursor = page?.next.map { [("cursor", $0)] } ?? []
        let json = try await core.askOfAccount(.get("/account/events", [("limit", "50")] + cursor))
        return AccountEventPage(json.items { AccountEvent($0) }, next: json["nextCursor"]?.stringValue)
    }
}

/// What an app got from a provider's sign-in.
struct ProviderToken: Sendable {
    var provider: String
    var idToken: String
    var nonce: String?

    var members: [JSON.Member] {
        let nonce = nonce.map { [JSON.Member("nonce", .string($0))] } ?? []
        return [.init("provider", .string(provider)), .init("idToken", .string(idToken))] + nonce
    }
}

extension BoardCore {
    func requireOpen() throws {
        if isClosed { throw KanbanError.closed }
    }
}
