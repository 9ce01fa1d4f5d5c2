import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire

/// Accounts: sign up, show, update, erase.
///
/// An `Idempotency-Key` is ignored here, and for sessions and tokens: a kept answer would contain a token, and a kept
/// fingerprint would be a faster check of a guessed password than the password's hash.
package struct AccountRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(
                .post, "/accounts", "createAccount", audience: .everyone, content: .brief, endsWithClient: true, create),
            Route(.get, "/account", "showAccount", show),
            Route(.patch, "/account", "updateAccount", content: .mergePatch, update),
            Route(.delete, "/account", "removeAccount", content: .json, remove),
        ]
    }

    private func create(_ call: Call) async throws -> Response {
        let accounts = try call.requireAccounts()
        try accounts.requireOpenSignup()
        try call.requireNoTag()
        let body = try AccountBodies.whole(call.json())
        let account = try await accounts.signUp(
            email: body.email, password: body.password, displayName: body.displayName,
            invitation: body.invitation, by: call.visitor())
        // The request has no log-in, so `Application` does not bind the tag to the account.
        let scope = try await call.environment.tagScope(of: account.key)
        return .account(
            try await call.environment.shown(account), status: 201, scope: scope, headers: [("Location", "/account")])
    }

    private func show(_ call: Call) async throws -> Response {
        .account(try await call.environment.shown(call.accounts().account(call.account)))
    }

    private func update(_ call: Call) async throws -> Response {
        let accounts = try call.accounts()
        let current = try await accounts.account(call.account)
        let usage = try await call.environment.usage(of: call.account)
        try call.require(current, using: usage)
        let hasPassword = try await accounts.hasPassword(call.account)
        let (edit, password) = try await call.body(references: Reference.image) {
            try AccountBodies.patch($0, of: current, hasPassword: hasPassword)
        }
        let changed = try await accounts.update(
            call.account, with: edit, password: password, by: call.caller.session, call.visitor(),
            if: { try call.require($0, using: usage) })
        return .account(try await call.environment.shown(changed))
    }

    private func remove(_ call: Call) async throws -> Response {
        let accounts = try call.accounts()
        let usage = try await call.environment.usage(of: call.account)
        try call.require(await accounts.account(call.account), using: usage)
        try await accounts.removeAccount(
            call.account, proof: AccountBodies.removalProof(call.json()), by: call.caller.session, call.visitor(),
            if: { try call.require($0, using: usage) })
        return .noContent
    }
}

/// The bodies of requests about accounts.
enum AccountBodies {
    struct Whole {
        var email: EmailAddress
        var password: Password
        var displayName: String?
        var invitation: String?
    }

    /// The body of `POST /accounts`.
    static func whole(_ json: JSON) throws -> Whole {
        var members = try Members(json)
        let email = members.required("email") { $0.email() }
        let password = members.required("password") { $0.newPassword("password") }
        let displayName = members.text("displayName", .displayName, trimmed: true).value
        let invitation = members.string("invitation") { .success($0) }.value
        try members.finish()
        guard let email, let password else { throw Problem(.internalError) }
        return Whole(email: email, password: password, displayName: displayName, invitation: invitation)
    }

    /// The body of `PATCH /account`: the change, and the current password when it needs one.
    static func patch(
        _ json: JSON, of account: Account, hasPassword: Bool
    ) throws -> (edit: AccessService.AccountEdit, password: Password?) {
        var members = try Members(json)
        members.requireID(account.id)
        let displayName = members.text("displayName", .displayName, trimmed: true)
        let image = members.image()
        let email = members.email()
        let newPassword = members.newPassword("newPassword")
        let password = members.password("password")
        let endsTokens = members.bool("endTokens")
        if case .null = email, account.email != nil {
            members.fault("email", .invalidType, "email must be a string.")
        }
        var edit = AccessService.AccountEdit(newPassword: newPassword.value, endsTokens: endsTokens.value ?? true)
        if displayName.isGiven { edit.displayName = .some(displayName.value) }
        if image.isGiven { edit.image = .some(image.value) }
        // The address in the form that was shown is not a change.
        if let email = email.value {
            if email != account.email { edit.email = email } else { edit.dropsPendingEmail = true }
        }
        if edit.needsPassword, hasPassword {
            members.require("password", password, "must be the current one, to change email or newPassword.")
        }
        try members.finish(ignoring: ["createdAt", "emailVerified", "pendingEmail", "usage"])
        return (edit, password.value)
    }

    /// The body of `DELETE /account` and `DELETE /account/identities/{id}`.
    static func removalProof(_ json: JSON) throws -> AccessService.RemovalProof {
        var members = try Members(json)
        let password = members.password("password").value
        let code = members.string("authorizationCode") { text in
            (1...Self.longestCode).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
                ? .success(text)
                : .failure(MemberFault(.invalidFormat, "must be the code that the sign-in gave the app."))
        }
        try members.finish()
        return AccessService.RemovalProof(password: password, authorizationCode: code.value)
    }

    /// Bytes. Apple's have some hundred.
    private static let longestCode = 2048
}

extension Members {
    /// A required member that must not be null. `nil` only after a fault was noted.
    mutating func required<Value>(_ name: String, _ read: (inout Members) -> Field<Value>) -> Value? {
        let known = faults.count
        let field = read(&self)
        if field.value == nil, faults.count == known {
            fault(name, field.isGiven ? .invalidType : .required, "\(name) must be given.")
        }
        return field.value
    }

    mutating func email() -> Field<EmailAddress> {
        string("email") { text in
            EmailAddress(text).map { .success($0) }
                ?? .failure(MemberFault(.invalidFormat, "must be an e-mail address."))
        }
    }

    /// Any text, for a log-in attempt.
    mutating func password(_ name: String) -> Field<Password> {
        string(name) { .success(Password($0)) }
    }

    /// A valid new password. The detail of a fault never repeats it.
    mutating func newPassword(_ name: String) -> Field<Password> {
        string(name) { text in
            let password = Password(text)
            return password.flaw.map { .failure(MemberFault($0)) } ?? .success(password)
        }
    }
}

extension MemberFault {
    fileprivate init(_ flaw: Password.Flaw) {
        switch flaw {
        case .tooShort: self.init(.tooShort, "must have at least \(Password.length.lowerBound) characters.")
        case .tooLong: self.init(.tooLong, "must have at most \(Password.length.upperBound) characters.")
        case .controlCharacter: self.init(.controlCharacter, "must not hold U+0000.")
        }
    }
}

extension Call {
    /// The service behind accounts, sessions and tokens.
    func accounts() throws -> AccessService {
        guard let accounts = environment.accounts else { throw Problem(.accountsOff) }
        return accounts
    }

    /// The same; throws in open mode, which has no log-in.
    func requireAccounts() throws -> AccessService {
        guard account != .local else { throw Problem(.accountsOff) }
        return try accounts()
    }

    /// False once the caller's session or token has ended: streams and waits check it each time they wake.
    package func isStillAdmitted() async throws -> Bool {
        try await AccessCheck(self).isValid()
    }

    /// Checks `If-Match` for a resource without a tag: only `*` matches.
    func requireNoTag() throws {
        guard request.ifMatchHolds(for: nil) else { throw Problem(.preconditionFailed) }
    }

    /// Checks the conditions of a POST against the list that it adds to.
    /// - Parameter list: called only if there are conditions.
    func require(_ list: (Call) async throws -> Response) async throws {
        guard request.has("if-match") || request.has("if-none-match"), let tag = try await list(self).tag else {
            return
        }
        guard request.ifMatchHolds(for: tag), request.ifNoneMatchHolds(for: tag) else {
            throw Problem(.preconditionFailed)
        }
    }

    /// Checks the conditions on the account. Only the part of the tag before the digest counts: the usage changes with
    /// every write, and clients do not overwrite it.
    /// - Parameter usage: the size of its board, for the answer when the precondition fails.
    fileprivate func require(_ account: Account, using usage: Usage) throws {
        guard precondition.holds(for: account.standIn) else {
            var json = JSONWriter(capacity: 256)
            json.value(environment.shown(account, using: usage))
            var problem = Problem(.preconditionFailed)
            problem.shown = json.bytes
            throw problem
        }
    }
}

/// An account as the API shows it, with the size of its board.
struct ShownAccount {
    let account: Account
    let usage: Usage
    /// `nil`: no limit.
    let quota: Quota?
}

extension Environment {
    func usage(of account: AccountKey) async throws -> Usage {
        try await store.read(account) { try $0.usage() }
    }

    func shown(_ account: Account) async throws -> ShownAccount {
        shown(account, using: try await usage(of: account.key))
    }

    func shown(_ account: Account, using usage: Usage) -> ShownAccount {
        ShownAccount(account: account, usage: usage, quota: quota.map(account.limits.over))
    }
}

extension Account {
    /// A number in place of a revision, which accounts do not have. It changes with every member that can be changed.
    fileprivate var standIn: Revision {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.members(of: self)
        json.endObject()
        return Revision(EntityTag.fingerprint(json.bytes) >> 2)
    }
}

extension Response {
    fileprivate static func account(
        _ shown: ShownAccount, status: Int = 200, scope: EntityTag.Scope? = nil,
        headers: [(name: String, value: String)] = []
    ) -> Response {
        var json = JSONWriter(capacity: 512)
        json.value(shown)
        let tag = EntityTag.tag(shown.account.standIn, digestOf: json.bytes)
        return .json(status: status, tag: scope?.apply(to: tag) ?? tag, headers: headers, encoded: json.bytes)
    }
}

extension JSONWriter {
    /// - Parameter isNew: for the answer to a sign-in that created the account.
    mutating func value(_ shown: ShownAccount, isNew: Bool = false) {
        beginObject()
        members(of: shown.account)
        if isNew {
            name("created")
            value(true)
        }
        name("usage")
        beginObject()
        name("bytes")
        value(shown.usage.bytes)
        name("tasks")
        value(shown.usage.tasks)
        name("bytesLimit")
        if let quota = shown.quota { value(quota.bytes) } else { null() }
        name("tasksLimit")
        if let quota = shown.quota { value(quota.tasks) } else { null() }
        endObject()
        endObject()
    }

    fileprivate mutating func members(of account: Account) {
        name("id")
        value(account.id)
        name("email")
        value(account.email?.text)
        name("emailVerified")
        value(account.isEmailVerified)
        name("pendingEmail")
        value(account.pendingEmail?.text)
        name("displayName")
        value(account.displayName)
        name("image")
        value(account.image)
        name("createdAt")
        value(account.createdAt)
    }
}
