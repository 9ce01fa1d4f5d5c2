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
            let account: Account
            let known = try writer.identity(provider: proven.provider, subject: proven.subject)
            if let known {
                guard let found = try writer.account(known.account) else { throw AccessError.noAccount }
                account = found
            } else {
                account = try Self.makeAccount(
                    of: proven, displayName: displayName, invitation: invitation, policy: policy, by: visitor,
                    in: writer)
            }
            let session = try begin(
                of: account, provider: proven.provider, by: visitor, digest: secret.digest, in: writer)
            return (session, account, known == nil)
        }
        wakeMailQueue()
        return LogIn(secret: secret, session: session, account: account, isNewAccount: isNew)
    }

    private static func makeAccount(
        of proven: ProvenIdentity, displayName: String?, invitation: String?, policy: SignUpPolicy,
        by visitor: Visitor, in writer: any AccessWriter
    ) throws -> Account {
        // Ignore an address that the provider has not verified.
        let email = proven.verifiedEmail
        if let email, try writer.account(foldedEmail: email.folded) != nil { throw AccessError.linkRequired }
        let used = try admit(invitation, for: email, policy: policy, in: writer)
        let ownName = proven.name.flatMap { TextRule.displayName.fault(in: $0) == nil ? $0 : nil }
        var account = try writer.makeAccount(email: email, displayName: displayName ?? ownName, passwordHash: nil)
        if email != nil {
            account.isEmailVerified = true
            try writer.save(account)
        }
        if let used { try writer.useInvitation(used.id) }
        try writer.insert(
            Identity(
                id: writer.makeID(), account: account.key, provider: proven.provider, subject: proven.subject,
                email: proven.email, createdAt: writer.now))
        try writer.note(.signUp, of: account.key, by: visitor)
        return account
    }

    package func identities(of account: AccountKey) async throws -> [Identity] {
        try await store.readAccess { try $0.identities(of: account) }
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
            if let known = try writer.identity(provider: proven.provider, subject: proven.subject) {
                guard known.account == key else { throw AccessError.identityTaken }
                return (known, false)
            }
            guard try writer.identities(of: key).count < Identity.most else { throw AccessError.tooManyIdentities }
            let identity = Identity(
                id: writer.makeID(), account: key, provider: proven.provider, subject: proven.subject,
                email: proven.email, createdAt: writer.now)
            try writer.insert(identity)
            try writer.note(.identityLinked, of: key, by: visitor)
            return (identity, true)
        }
    }

    /// - Throws: ``AccessError/noIdentity``, ``AccessError/lastWayIn``.
    package func removeIdentity(_ id: ID, of key: AccountKey, by visitor: Visitor) async throws {
        try await store.writeAccess { writer in
            let identities = try writer.identities(of: key)
            guard identities.contains(where: { $0.id == id }) else { throw AccessError.noIdentity }
            guard try identities.count > 1 || writer.passwordHash(of: key) != nil else { throw AccessError.lastWayIn }
            _ = try writer.removeIdentity(id, of: key)
            try writer.note(.identityRemoved, of: key, by: visitor)
        }
    }

    /// Whether the session began with a provider's token within the last minutes.
    package func isFresh(_ session: ID?, of account: AccountKey) async throws -> Bool {
        guard let session else { return false }
        let now = clock()
        return try await store.readAccess { try $0.sessions(of: account) }.contains {
            $0.id == session && $0.provider != nil && $0.createdAt + Self.freshness > now
        }
    }
}
