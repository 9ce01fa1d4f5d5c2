import Crypto
import Kanban

/// Changes of an account by its owner, and personal tokens.
extension AccessService {
    /// A change of the account; `nil` leaves a member unchanged.
    package struct AccountEdit: Sendable {
        /// `.some(nil)` removes the name.
        package var displayName: String??
        /// `.some(nil)` removes the image.
        package var image: ID??
        package var email: EmailAddress?
        package var newPassword: Password?
        /// Whether a new password ends the tokens, too: an attacker who knew the old password may have created one.
        package var endsTokens: Bool

        package init(
            displayName: String?? = nil, image: ID?? = nil, email: EmailAddress? = nil, newPassword: Password? = nil,
            endsTokens: Bool = true
        ) {
            self.displayName = displayName
            self.image = image
            self.email = email
            self.newPassword = newPassword
            self.endsTokens = endsTokens
        }

        /// Whether the caller has to prove the identity again.
        package var needsPassword: Bool { email != nil || newPassword != nil }
    }

    /// - Throws: ``AccessError/noAccount``.
    package func account(_ key: AccountKey) async throws -> Account {
        guard let account = try await store.readAccess({ try $0.account(key) }) else { throw AccessError.noAccount }
        return account
    }

    /// Whether the account has a password. One that was made by a provider's sign-in has none at first.
    package func hasPassword(_ key: AccountKey) async throws -> Bool {
        try await store.readAccess { try $0.passwordHash(of: key) } != nil
    }

    /// Changes the account. A new password ends all sessions but `session`, and by default the tokens.
    /// - Parameters:
    ///   - password: the current password; where it is needed, `nil` counts as a wrong one.
    ///   - check: throws when the account must not be changed; called in the transaction.
    /// - Throws: ``AccessError/wrongPassword``, ``AccessError/emailTaken``, ``AccessError/builtInAccount``, those of hashing,
    ///   and ``BoardError/unknownImage``.
    package func update(
        _ key: AccountKey, with edit: AccountEdit, password: Password?, by session: ID?, _ visitor: Visitor,
        if check: @escaping @Sendable (Account) throws -> Void = { _ in }
    ) async throws -> Account {
        let old = try await account(key)
        var stored: String?
        if edit.needsPassword { stored = try await prove(password, of: old, by: session, visitor) }
        let newHash: String? =
            if let newPassword = edit.newPassword { try await hashed(newPassword, for: visitor.origin) } else { nil }

        if let email = edit.email, isMailOn, old.email?.isSameMailbox(as: email) != true {
            // A change that is refused sends none, and counts for none.
            let holder = try await store.readAccess { try $0.account(foldedEmail: email.folded) }
            if let holder, holder.key != key { throw AccessError.emailTaken }
            // Each change sends two mails, one of them to an unverified address.
            try await countMail(.owner(SHA256.digest("\(old.id)".utf8)))
        }

        let changed = try await store.writeAccess { [stored, isMailOn] writer in
            guard var account = try writer.account(key) else { throw AccessError.noAccount }
            try check(account)
            if edit.needsPassword, try writer.passwordHash(of: key) != stored { throw AccessError.wrongPassword }
            if let email = edit.email {
                if let holder = try writer.account(foldedEmail: email.folded), holder.key != key {
                    throw AccessError.emailTaken
                }
                let former = account.email
                account.email = email
                try writer.note(.emailChanged, of: key, by: visitor)
                if former?.isSameMailbox(as: email) != true {
                    account.isEmailVerified = false
                    if isMailOn {
                        if let former {
                            try Self.mail(.emailChanged, to: account, at: former, about: visitor, in: writer)
                        }
                        try Self.mail(.emailVerification, to: account, about: visitor, in: writer)
                    }
                }
            }
            if let displayName = edit.displayName { account.displayName = displayName }
            if let image = edit.image {
                if let image, try !writer.hasImage(image, of: key) { throw BoardError.unknownImage }
                try writer.setImage(image, of: key)
                account.image = image
            }
            try writer.save(account)
            if let newHash {
                try writer.setPasswordHash(newHash, of: key)
                try Self.endAccess(of: key, keeping: session, tokens: edit.endsTokens, in: writer)
                try writer.note(.passwordChanged, of: key, by: visitor)
                if isMailOn { try Self.mail(.passwordChanged, to: account, about: visitor, in: writer) }
            }
            return account
        }
        if newHash != nil { noteEnd(of: key, keeping: session, tokens: edit.endsTokens) }
        wakeMailQueue()
        return changed
    }

    /// Sets a password from the command line, and ends all sessions and tokens.
    package func setPassword(_ password: Password, of key: AccountKey) async throws {
        let hash = try await hashed(password, for: "")
        try await store.writeAccess { writer in
            try writer.setPasswordHash(hash, of: key)
            try Self.endAccess(of: key, keeping: nil, tokens: true, in: writer)
            try writer.note(.passwordChanged, of: key, by: .operator)
        }
        noteEnd(of: key, keeping: nil, tokens: true)
    }

    /// Ends all sessions but one, and if asked the tokens, too.
    /// - Parameter session: the session to keep; `nil` for a caller with a token.
    package func endSessions(
        of key: AccountKey, keeping session: ID?, tokens: Bool, _ visitor: Visitor
    ) async throws {
        try await store.writeAccess { writer in
            if tokens {
                for _ in try writer.tokens(of: key) { try writer.note(.tokenRemoved, of: key, by: visitor) }
            }
            try Self.endAccess(of: key, keeping: session, tokens: tokens, in: writer)
        }
        noteEnd(of: key, keeping: session, tokens: tokens)
    }

    static func endAccess(
        of key: AccountKey, keeping session: ID?, tokens: Bool, in writer: any AccessWriter
    ) throws {
        for other in try writer.sessions(of: key) where other.id != session {
            _ = try writer.removeSession(other.id, of: key)
        }
        guard tokens else { return }
        for token in try writer.tokens(of: key) { _ = try writer.removeToken(token.id, of: key) }
    }

    private func noteEnd(of key: AccountKey, keeping session: ID?, tokens: Bool) {
        verifier.ended(of: key) { $0.kind == .session ? $0.id != session : tokens }
    }

    /// Erases the account with all its data.
    /// - Parameter password: the current password; `nil` is enough only for an account without one, in a new session of
    ///   a provider.
    /// - Throws: ``AccessError/wrongPassword``, ``AccessError/builtInAccount`` and those of hashing.
    package func removeAccount(
        _ key: AccountKey, password: Password?, by session: ID?, _ visitor: Visitor,
        if check: @escaping @Sendable (Account) throws -> Void = { _ in }
    ) async throws {
        let account = try await account(key)
        let stored = try await prove(password, of: account, by: session, visitor)
        try await store.writeAccess { writer in
            guard let account = try writer.account(key) else { throw AccessError.noAccount }
            try check(account)
            guard try writer.passwordHash(of: key) == stored else { throw AccessError.wrongPassword }
            try writer.eraseAccount(key)
        }
        verifier.ended(of: key) { _ in true }
    }

    /// Erases the account from the command line, without its password.
    package func removeAccount(_ key: AccountKey) async throws {
        guard key != .local else { throw AccessError.builtInAccount }
        try await store.writeAccess { try $0.eraseAccount(key) }
        verifier.ended(of: key) { _ in true }
    }

    /// Requires the owner: by the password, or without one by a new session of a provider. A wrong password is an event
    /// of the account.
    /// - Returns: the stored hash that the password matched.
    func prove(
        _ password: Password?, of account: Account, by session: ID?, _ visitor: Visitor
    ) async throws -> String? {
        guard account.key != .local else { throw AccessError.builtInAccount }
        guard let stored = try await store.readAccess({ try $0.passwordHash(of: account.key) }) else {
            guard try await isFresh(session, of: account.key) else { throw AccessError.wrongPassword }
            return nil
        }
        guard let password else { throw AccessError.wrongPassword }
        do {
            _ = try await verify(
                password, against: stored, counting: [.owner(Self.throttleKey(of: account))], for: visitor.origin,
                or: .wrongPassword)
        } catch AccessError.wrongPassword {
            await noteFailure(of: account.key, by: visitor)
            throw AccessError.wrongPassword
        }
        return stored
    }

    // MARK: Personal tokens

    /// Creates a token for a logged-in caller and returns its secret once. A token of scope ``AccessToken/Scope/full``
    /// gives as much access as a session and lives longer, so it needs the password again.
    /// - Parameters:
    ///   - session: the caller's session. If it ends in the meantime, no token is created.
    ///   - password: the current password; checked only where it is needed, where `nil` counts as a wrong one.
    /// - Throws: ``AccessError/wrongPassword``, ``AccessError/tooManyTokens`` and those of hashing.
    package func makeToken(
        name: String, scope: AccessToken.Scope, expiresAt: Timestamp?, of key: AccountKey, by session: ID,
        password: Password?, _ visitor: Visitor
    ) async throws -> (secret: TokenSecret, token: AccessToken) {
        let isProven = scope == .full
        var stored: String?
        if isProven { stored = try await prove(password, of: account(key), by: session, visitor) }
        return try await makeToken(name: name, scope: scope, expiresAt: expiresAt, of: key, visitor) {
            [stored] writer in
            guard try writer.sessions(of: key).contains(where: { $0.id == session }) else {
                throw AccessError.noSession
            }
            if isProven, try writer.passwordHash(of: key) != stored { throw AccessError.wrongPassword }
        }
    }

    /// Creates a token for the command line, or for callers that `check` admits.
    /// - Throws: ``AccessError/tooManyTokens``.
    package func makeToken(
        name: String, scope: AccessToken.Scope, expiresAt: Timestamp?, of account: AccountKey,
        _ visitor: Visitor,
        if check: @escaping @Sendable (any AccessWriter) throws -> Void = { _ in }
    ) async throws -> (secret: TokenSecret, token: AccessToken) {
        let secret = TokenSecret()
        let token = try await store.writeAccess { writer in
            guard try writer.account(account) != nil else { throw AccessError.noAccount }
            try check(writer)
            guard try writer.tokens(of: account).count < AccessToken.most else { throw AccessError.tooManyTokens }
            let token = AccessToken(
                id: writer.makeID(), account: account, name: name, scope: scope, createdAt: writer.now,
                expiresAt: expiresAt)
            try writer.insert(token, digest: secret.digest)
            try writer.note(.tokenCreated, of: account, by: visitor)
            return token
        }
        return (secret, token)
    }

    /// All tokens, including expired ones, newest first.
    package func tokens(of account: AccountKey) async throws -> [AccessToken] {
        try await store.readAccess { try $0.tokens(of: account) }
    }

    /// - Throws: ``AccessError/noToken``.
    package func removeToken(_ id: ID, of account: AccountKey, _ visitor: Visitor) async throws {
        let isRemoved = try await store.writeAccess { writer in
            guard try writer.removeToken(id, of: account) else { return false }
            try writer.note(.tokenRemoved, of: account, by: visitor)
            return true
        }
        guard isRemoved else { throw AccessError.noToken }
        verifier.ended(of: account) { $0.kind == .token && $0.id == id }
    }
}
