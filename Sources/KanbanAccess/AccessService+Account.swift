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
        /// True if an address that waits for its code is given up.
        package var dropsPendingEmail = false
        package var newPassword: Password?
        /// True if a new password ends the tokens, too: an attacker who knew the old password may have created one.
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

        /// True if the caller has to prove the identity again.
        package var needsPassword: Bool { email != nil || newPassword != nil }
    }

    /// - Throws: ``AccessError/noAccount``.
    package func account(_ key: AccountKey) async throws -> Account {
        guard let account = try await store.readAccess({ try $0.account(key) }) else { throw AccessError.noAccount }
        return account
    }

    /// True if the account has a password. One that was made by a provider's sign-in has none at first.
    package func hasPassword(_ key: AccountKey) async throws -> Bool {
        try await store.readAccess { try $0.passwordHash(of: key) } != nil
    }

    /// Changes the account. A new password ends all sessions but `session`, all codes of resets, and by default the tokens.
    ///
    /// With mail on, another address waits as ``Account/pendingEmail`` until it is proven. The outcome is the same for one
    /// that another account has, whose owner gets a mail.
    /// - Parameters:
    ///   - password: the current password; where it is needed, `nil` counts as a wrong one.
    ///   - check: throws when the account must not be changed; called in the transaction.
    /// - Throws: ``AccessError/wrongPassword``, ``AccessError/emailTaken`` without mail,
    ///   ``AccessError/tooManyEmailChanges(_:)``, ``AccessError/builtInAccount``, those of hashing,
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

        if let email = edit.email, old.email?.isSameMailbox(as: email) != true { try await countEmailChange(of: old) }

        let changed = try await store.writeAccess { [stored, self] writer in
            guard var account = try writer.account(key) else { throw AccessError.noAccount }
            try check(account)
            if edit.needsPassword, try writer.passwordHash(of: key) != stored { throw AccessError.wrongPassword }
            if edit.dropsPendingEmail { account.pendingEmail = nil }
            if let email = edit.email { try change(&account, to: email, by: visitor, in: writer) }
            if let displayName = edit.displayName { account.displayName = displayName }
            if let image = edit.image {
                if let image, try !writer.hasImage(image, of: key) { throw BoardError.unknownImage }
                try writer.setImage(image, of: key)
                account.image = image
            }
            try writer.save(account)
            if let newHash {
                try writer.setPasswordHash(newHash, of: key)
                try writer.removeCodes(.passwordReset, of: key)
                try Self.endAccess(of: key, keeping: session, tokens: edit.endsTokens, in: writer)
                try writer.note(.passwordChanged, of: key, by: visitor)
                try mail(.passwordChanged, to: account, about: visitor, in: writer)
            }
            return account
        }
        if newHash != nil { noteEnd(of: key, keeping: session, tokens: edit.endsTokens) }
        wakeMailQueue()
        return changed
    }

    private func change(
        _ account: inout Account, to email: EmailAddress, by visitor: Visitor, in writer: any AccessWriter
    ) throws {
        let holder = try writer.account(foldedEmail: email.folded)
        let isOthers = holder.map { $0.key != account.key } ?? false
        let isSameMailbox = account.email?.isSameMailbox(as: email) == true
        guard isMailOn, !isSameMailbox else {
            if isOthers { throw AccessError.emailTaken }
            account.email = email
            account.isEmailVerified = account.isEmailVerified && isSameMailbox
            account.pendingEmail = nil
            return try writer.note(.emailChanged, of: account.key, by: visitor)
        }
        account.pendingEmail = email
        if let holder, isOthers, !isWeak(holder) {
            try mail(.addressWanted, to: holder, about: visitor, in: writer)
        } else {
            try mail(.emailVerification, to: account, at: email, about: visitor, in: writer)
        }
    }

    /// - Throws: ``AccessError/tooManyEmailChanges(_:)``.
    private func countEmailChange(of account: Account) async throws {
        let key = AttemptThrottle.Key.owner(SHA256.digest("\(account.id)".utf8))
        let wait = try await emailChanges.attempt(key, in: store.attempts, at: instant())
        if let wait { throw AccessError.tooManyEmailChanges(wait) }
    }

    /// Sets a password from the command line, and ends all sessions and tokens.
    package func setPassword(_ password: Password, of key: AccountKey) async throws {
        let hash = try await hashed(password, for: "")
        try await store.writeAccess { writer in
            try writer.setPasswordHash(hash, of: key)
            try writer.removeCodes(.passwordReset, of: key)
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
        try writer.removeDevices(of: key, keeping: session)
        for other in try writer.sessions(of: key) where other.id != session {
            _ = try writer.removeSession(other.id, of: key)
        }
        guard tokens else { return }
        for token in try writer.tokens(of: key) { _ = try writer.removeToken(token.id, of: key) }
    }

    private func noteEnd(of key: AccountKey, keeping session: ID?, tokens: Bool) {
        verifier.ended(of: key) { $0.kind == .session ? $0.id != session : tokens }
    }

    /// What the owner shows to erase the account or to unlink an identity.
    package struct RemovalProof: Sendable {
        /// The current password; `nil` is enough in a new session of a provider.
        package var password: Password?
        /// What Apple gave the app beside the ID token of a sign-in.
        package var authorizationCode: String?

        package init(password: Password? = nil, authorizationCode: String? = nil) {
            self.password = password
            self.authorizationCode = authorizationCode
        }
    }

    /// Erases the account with all its data. If the proof has a code of Apple's, a revocation waits then.
    /// - Throws: ``AccessError/wrongPassword``, ``AccessError/freshSessionRequired``, ``AccessError/builtInAccount`` and
    ///   those of hashing.
    package func removeAccount(
        _ key: AccountKey, proof: RemovalProof, by session: ID?, _ visitor: Visitor,
        if check: @escaping @Sendable (Account) throws -> Void = { _ in }
    ) async throws {
        let account = try await account(key)
        let stored = try await prove(proof.password, of: account, by: session, visitor)
        let token = try await appleToken(
            for: proof.authorizationCode, of: identities(of: key), of: key, by: session)
        try await store.writeAccess { writer in
            guard let account = try writer.account(key) else { throw AccessError.noAccount }
            try check(account)
            guard try writer.passwordHash(of: key) == stored else { throw AccessError.wrongPassword }
            try writer.eraseAccount(key)
            if let token { try writer.enqueue(Revocation(token: token, createdAt: writer.now)) }
        }
        if token != nil { onRevocation() }
        verifier.ended(of: key) { _ in true }
    }

    /// Erases the account from the command line, without its password.
    package func removeAccount(_ key: AccountKey) async throws {
        guard key != .local else { throw AccessError.builtInAccount }
        try await store.writeAccess { try $0.eraseAccount(key) }
        verifier.ended(of: key) { _ in true }
    }

    /// Requires the owner: by the password, or by a new session of a provider. A wrong password is an event of the account.
    /// - Returns: the stored hash; `nil` of an account without a password.
    /// - Throws: ``AccessError/wrongPassword``; ``AccessError/freshSessionRequired`` for an account without a password.
    func prove(
        _ password: Password?, of account: Account, by session: ID?, _ visitor: Visitor
    ) async throws -> String? {
        guard account.key != .local else { throw AccessError.builtInAccount }
        let stored = try await store.readAccess { try $0.passwordHash(of: account.key) }
        guard let stored, let password else {
            guard try await isFresh(session, of: account.key) else {
                throw stored == nil ? AccessError.freshSessionRequired : .wrongPassword
            }
            return stored
        }
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

    /// Creates a token for a logged-in caller and returns its secret once.
    ///
    /// A stolen session must not make lasting access of it. Without the password or a new session of a provider there is no
    /// token of scope ``AccessToken/Scope/full``, and another one ends after ``AccessToken/unprovenLifetime``, or at `expiresAt`
    /// if that is sooner.
    /// - Parameters:
    ///   - session: the caller's session. If it ends in the meantime, no token is created.
    ///   - password: the current password. A wrong one is refused whatever the scope.
    /// - Throws: ``AccessError/wrongPassword``, ``AccessError/tooManyTokens`` and those of hashing.
    package func makeToken(
        name: String, scope: AccessToken.Scope, expiresAt: Timestamp?, of key: AccountKey, by session: ID,
        password: Password?, _ visitor: Visitor
    ) async throws -> (secret: TokenSecret, token: AccessToken) {
        let owner = try await account(key)
        var (end, stored, isProven) = (expiresAt, String?.none, true)
        do {
            stored = try await prove(password, of: owner, by: session, visitor)
        } catch let error as AccessError
            where [.wrongPassword, .freshSessionRequired].contains(error) && password == nil && scope != .full
        {
            isProven = false
            let latest = clock() + AccessToken.unprovenLifetime
            end = min(expiresAt ?? latest, latest)
        }
        return try await makeToken(name: name, scope: scope, expiresAt: end, of: key, visitor) {
            [stored, isProven] writer in
            guard try writer.sessions(of: key).contains(where: { $0.id == session }) else {
                throw AccessError.sessionEnded
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
