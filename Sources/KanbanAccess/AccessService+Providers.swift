import Crypto
import Kanban

/// Signing in with a provider, and the identities of an account.
extension AccessService {
    /// For this time, a session of a provider counts as much as a password.
    package static let freshness: Duration = .seconds(600)

    /// Begins a session for the person in a provider's token. The first time it creates the account.
    /// - Parameters:
    ///   - displayName: the name of a new account, instead of the provider's.
    ///   - invitation: a code, if signing up needs one.
    /// - Throws: those of ``ProviderDirectory/identity(provider:token:nonce:)``, ``AccessError/linkRequired``, those of
    ///   signing up, ``AccessError/accountLocked``, ``AccessError/accountDisabled``.
    package func signIn(
        provider: String, token: String, nonce: String?, displayName: String?, invitation: String?,
        by visitor: Visitor
    ) async throws -> LogIn {
        let proven = try await providers.identity(provider: provider, token: token, nonce: nonce)
        let isKnown = try await store.readAccess {
            try $0.identity(provider: proven.provider, subject: proven.subject) != nil
        }
        if !isKnown { try await countSignUp(of: visitor) }
        let secret = TokenSecret()
        let (session, account, isNew) = try await store.writeAccess { [self] writer in
            try Self.use(proven, in: writer)
            let known =
                try writer.identity(provider: proven.provider, subject: proven.subject)
                ?? Self.comeBack(proven, by: visitor, in: writer)
            let identity =
                try known
                ?? makeAccount(of: proven, displayName: displayName, invitation: invitation, by: visitor, in: writer)
            guard let account = try writer.account(identity.account) else { throw AccessError.noAccount }
            let session = try begin(
                of: account, proven: proven, identity: identity.id, by: visitor, digest: secret.digest, in: writer)
            return (session, account, known == nil)
        }
        wakeMailQueue()
        return LogIn(secret: secret, session: session, account: account, isNewAccount: isNew)
    }

    /// Each token works once, so that a token read on its way, or in a log, is worth nothing.
    private static func use(_ proven: ProvenIdentity, in writer: any AccessWriter) throws {
        guard try writer.useIDToken(proven.digest, until: proven.expiresAt) else {
            throw AccessError.tokenInvalid("It was used before; sign in again.")
        }
    }

    /// - Returns: the identity that opens the new account.
    private func makeAccount(
        of proven: ProvenIdentity, displayName: String?, invitation: String?, by visitor: Visitor,
        in writer: any AccessWriter
    ) throws -> Identity {
        // Ignore an address that the provider has not verified.
        let email = proven.verifiedEmail
        if let email, let holder = try writer.account(foldedEmail: email.folded) {
            guard isWeak(holder) else { throw AccessError.linkRequired }
            try Self.takeAddress(of: holder, in: writer)
        }
        let used = try Self.admit(invitation, for: email, policy: policy, in: writer)
        let ownName = proven.name.flatMap { TextRule.displayName.fault(in: $0) == nil ? $0 : nil }
        var account = try writer.makeAccount(email: email, displayName: displayName ?? ownName, passwordHash: nil)
        if email != nil {
            account.isEmailVerified = true
            try writer.save(account)
        }
        if let used { try writer.useInvitation(used.id) }
        try writer.note(.signUp, of: account.key, by: visitor)
        return try Self.insertIdentity(of: proven, for: account.key, in: writer)
    }

    /// Links again the identity that opened an account last before Apple reported that the person ended the use of the app.
    private static func comeBack(
        _ proven: ProvenIdentity, by visitor: Visitor, in writer: any AccessWriter
    ) throws -> Identity? {
        guard let erasure = try writer.erasure(provider: proven.provider, subject: proven.subject) else { return nil }
        try writer.note(.identityLinked, of: erasure.account, by: visitor)
        return try insertIdentity(of: proven, for: erasure.account, in: writer)
    }

    private static func insertIdentity(
        of proven: ProvenIdentity, for account: AccountKey, in writer: any AccessWriter
    ) throws -> Identity {
        let identity = Identity(
            id: writer.makeID(), account: account, provider: proven.provider, subject: proven.subject,
            email: proven.email, createdAt: writer.now)
        try writer.insert(identity)
        return identity
    }

    package func identities(of account: AccountKey) async throws -> [Identity] {
        try await store.readAccess { try $0.identities(of: account) }
    }

    package func knownDevices(of account: AccountKey) async throws -> [KnownDevice] {
        try await store.readAccess { try $0.knownDevices(of: account) }
    }

    /// Links an identity that the operator vouches for: the person could not prove who they are, as after Apple reported
    /// that they ended the use of the app.
    /// - Parameter subject: what the provider calls the person (`sub`).
    /// - Throws: ``AccessError/identityTaken``, ``AccessError/tooManyIdentities``, ``AccessError/noAccount``.
    package func link(provider: String, subject: String, to key: AccountKey) async throws -> Identity {
        try await store.writeAccess { writer in
            guard try writer.account(key) != nil else { throw AccessError.noAccount }
            if let known = try writer.identity(provider: provider, subject: subject) {
                guard known.account == key else { throw AccessError.identityTaken }
                return known
            }
            guard try writer.identities(of: key).count < Identity.most else { throw AccessError.tooManyIdentities }
            let identity = Identity(
                id: writer.makeID(), account: key, provider: provider, subject: subject, email: nil,
                createdAt: writer.now)
            try writer.insert(identity)
            try writer.note(.identityLinked, of: key, by: .operator)
            return identity
        }
    }

    /// Links an identity. Needs the password, or a session of a provider that is at most ten minutes old.
    /// - Returns: the identity, and whether it is new; an identity that was linked already stays.
    /// - Throws: ``AccessError/identityTaken``, ``AccessError/wrongPassword`` and those of the token.
    package func link(
        provider: String, token: String, nonce: String?, password: Password?, to key: AccountKey, by session: ID?,
        _ visitor: Visitor
    ) async throws -> (identity: Identity, isNew: Bool) {
        let proven = try await providers.identity(provider: provider, token: token, nonce: nonce)
        let stored = try await prove(password, of: account(key), by: session, visitor)
        return try await store.writeAccess { writer in
            guard try writer.account(key) != nil else { throw AccessError.noAccount }
            guard try writer.passwordHash(of: key) == stored else { throw AccessError.wrongPassword }
            try Self.use(proven, in: writer)
            if let known = try writer.identity(provider: proven.provider, subject: proven.subject) {
                guard known.account == key else { throw AccessError.identityTaken }
                return (known, false)
            }
            guard try writer.identities(of: key).count < Identity.most else { throw AccessError.tooManyIdentities }
            let identity = try Self.insertIdentity(of: proven, for: key, in: writer)
            try writer.note(.identityLinked, of: key, by: visitor)
            return (identity, true)
        }
    }

    /// Unlinks an identity, and ends the sessions that it opened. If the proof has a code of Apple's, a revocation waits then.
    /// - Throws: ``AccessError/noIdentity``, ``AccessError/lastWayIn``, and those of ``prove(_:of:by:_:)``.
    package func removeIdentity(
        _ id: ID, of key: AccountKey, proof: RemovalProof, by session: ID?, _ visitor: Visitor
    ) async throws {
        // Checked first to ask nobody for a password in vain, and again in the transaction.
        let identity = try await store.readAccess { try Self.removable(id, of: key, in: $0) }
        let stored = try await prove(proof.password, of: account(key), by: session, visitor)
        let token = try await appleToken(for: proof.authorizationCode, of: [identity], of: key, by: session)
        let ended = try await store.writeAccess { writer in
            guard try writer.passwordHash(of: key) == stored else { throw AccessError.wrongPassword }
            let ended = try Self.unlink(Self.removable(id, of: key, in: writer), by: visitor, in: writer)
            if let token { try writer.enqueue(Revocation(token: token, createdAt: writer.now)) }
            return ended
        }
        if token != nil { onRevocation() }
        verifier.ended(of: key) { $0.kind == .session && ended.contains($0.id) }
    }

    /// - Returns: the sessions that the identity opened, which are ended.
    static func unlink(_ identity: Identity, by visitor: Visitor, in writer: any AccessWriter) throws -> Set<ID> {
        let key = identity.account
        _ = try writer.removeIdentity(identity.id, of: key)
        try writer.note(.identityRemoved, of: key, by: visitor)
        let sessions = try writer.sessions(of: key).filter { $0.identity == identity.id }
        for session in sessions { _ = try writer.removeSession(session.id, of: key) }
        return Set(sessions.map(\.id))
    }

    /// What the code of a deletion is good for at Apple; `nil` when there is nothing to revoke. Takes three seconds at most.
    func appleToken(
        for code: String?, of identities: [Identity], of key: AccountKey, by session: ID?
    ) async throws -> AppleToken? {
        guard let apple, let code else { return nil }
        let own = try await store.readAccess { try $0.sessions(of: key) }.first { $0.id == session }
        let client = own.flatMap { own in
            own.provider.flatMap { provider in
                own.clientID.map { AppleService.Client(provider: provider, id: $0) }
            }
        }
        return await apple.token(for: code, of: Set(identities.map(\.provider)), client: client)
    }

    /// The identity, if the account can do without it.
    private static func removable(_ id: ID, of key: AccountKey, in reader: any AccessReader) throws -> Identity {
        let identities = try reader.identities(of: key)
        guard let identity = identities.first(where: { $0.id == id }) else { throw AccessError.noIdentity }
        guard try identities.count > 1 || reader.passwordHash(of: key) != nil else { throw AccessError.lastWayIn }
        return identity
    }

    /// True if the session began with a token that its provider made within the last minutes.
    package func isFresh(_ session: ID?, of account: AccountKey) async throws -> Bool {
        guard let session else { return false }
        let now = clock()
        return try await store.readAccess { try $0.sessions(of: account) }.contains {
            $0.id == session && $0.provenAt.map { $0 + Self.freshness > now } ?? false
        }
    }
}
