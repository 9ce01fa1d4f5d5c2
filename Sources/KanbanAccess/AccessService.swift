import Crypto
import Kanban
import Locks

/// Signing up, logging in and out, and everything that an account changes about itself.
package final class AccessService: Sendable {
    /// A session that was just made, with the only showing of its token.
    package struct LogIn: Sendable {
        package var secret: TokenSecret
        package var session: Session
        package var account: Account
    }

    package let store: any AccessStore
    package let control: AccessControl
    private let isSignupOpen: Bool
    private let hashing: PasswordHashQueue
    private let derivation: KeyDerivation
    /// Wrong passwords.
    private let failures = Locked(AttemptThrottle(most: 5))
    /// Sign-ups of an address, good or not.
    private let signUps = Locked(AttemptThrottle(most: 10))
    private let instant: @Sendable () -> ContinuousClock.Instant
    /// What the password of an unknown address is compared with, so that it takes as long as that of a known one.
    private let nobodysHash: PasswordHash

    /// - Parameters:
    ///   - hashing: where passwords are hashed, one after another.
    ///   - derivation: how new passwords are hashed; old ones are hashed anew at log-in when it differs.
    ///   - instant: what the throttles count by.
    package init(
        store: any AccessStore, control: AccessControl, isSignupOpen: Bool = true,
        hashing: PasswordHashQueue = PasswordHashQueue(),
        derivation: KeyDerivation = PasswordHash.current,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.store = store
        self.control = control
        self.isSignupOpen = isSignupOpen
        self.hashing = hashing
        self.instant = instant
        self.derivation = derivation
        nobodysHash = PasswordHash.unmatchable(by: derivation)
    }

    /// Asked before anything is said of what was sent.
    /// - Throws: ``AccessError/signupClosed``.
    package func requireOpenSignup() throws(AccessError) {
        guard isSignupOpen else { throw .signupClosed }
    }

    /// Makes an account with an empty board.
    /// - Parameter address: the peer's, for the throttle.
    /// - Throws: ``AccessError/signupClosed``, ``AccessError/tooManySignUps(_:)``, ``AccessError/emailTaken``,
    ///   ``AccessError/busy``.
    package func signUp(
        email: EmailAddress, password: Password, displayName: String?, from address: String
    ) async throws -> Account {
        try requireOpenSignup()
        if let wait = signUps.withLock({ $0.attempt([.address(address)], at: instant()) }) {
            throw AccessError.tooManySignUps(wait)
        }
        return try await makeAccount(email: email, password: password, displayName: displayName, from: address)
    }

    /// The same from the command line, where sign-up is never closed.
    package func makeAccount(
        email: EmailAddress, password: Password, displayName: String?, from address: String = ""
    ) async throws -> Account {
        // Looked at first to spare the hashing, and again in the transaction, where nobody can come between.
        guard try store.readAccess({ try $0.account(foldedEmail: email.folded) }) == nil else {
            throw AccessError.emailTaken
        }
        let hash = try await hashed(password, .signUp, for: address)
        return try await store.writeAccess { writer in
            guard try writer.account(foldedEmail: email.folded) == nil else { throw AccessError.emailTaken }
            return try writer.makeAccount(email: email, displayName: displayName, passwordHash: hash)
        }
    }

    /// Begins a session.
    /// - Parameter address: the peer's, for the throttle.
    /// - Throws: ``AccessError/wrongCredentials``, ``AccessError/throttled(_:)``, ``AccessError/busy``.
    package func logIn(email: String, password: Password, device: String?, from address: String) async throws -> LogIn {
        let folded = EmailAddress.fold(email)
        let (account, stored) = try store.readAccess { reader in
            let account = try reader.account(foldedEmail: folded)
            return (account, try account.flatMap { try reader.passwordHash(of: $0.key) })
        }
        let renewed = try await verify(
            password, against: stored, counting: [.account(SHA256.digest(folded.utf8)), .address(address)],
            for: address, or: .wrongCredentials)
        guard let account, let stored else { throw AccessError.wrongCredentials }

        let secret = TokenSecret()
        let session = try await store.writeAccess { writer in
            // The account may have gone, or got another password, while this one was hashed.
            guard try writer.passwordHash(of: account.key) == stored else { throw AccessError.wrongCredentials }
            if let renewed { try writer.setPasswordHash(renewed, of: account.key) }
            try Self.makeRoom(for: account.key, in: writer)
            let session = Session(
                id: writer.makeID(), account: account.key, device: device, createdAt: writer.now,
                lastUsedAt: writer.now, expiresAt: writer.now + Session.lifetime)
            try writer.insert(session, digest: secret.digest)
            return session
        }
        return LogIn(secret: secret, session: session, account: account)
    }

    /// Drops what expired, and the session that went unused longest when there are too many.
    private static func makeRoom(for account: AccountKey, in writer: any AccessWriter) throws {
        let sessions = try writer.sessions(of: account)
        let living = sessions.filter { $0.expiresAt > writer.now }
        let surplus = sessions.filter { $0.expiresAt <= writer.now } + living.dropFirst(Session.most - 1)
        for session in surplus { _ = try writer.removeSession(session.id, of: account) }
    }

    /// Living sessions, the one used last first.
    package func sessions(of account: AccountKey, at now: Timestamp) throws -> [Session] {
        try store.readAccess { try $0.sessions(of: account) }.filter { $0.expiresAt > now }
    }

    /// Logs a device out, at once.
    /// - Throws: ``AccessError/noSession``.
    package func endSession(_ id: ID, of account: AccountKey) async throws {
        guard try await store.writeAccess({ try $0.removeSession(id, of: account) }) else {
            throw AccessError.noSession
        }
        control.ended(of: account) { $0.kind == .session && $0.id == id }
    }

    // MARK: Passwords

    /// - Parameter client: whose share of the queue it takes.
    package func hashed(
        _ password: Password, _ purpose: PasswordHashQueue.Purpose = .logIn, for client: String
    ) async throws -> String {
        try await queued(purpose, for: client) { [derivation] in try password.hashed(by: derivation).text }
    }

    /// Compares a password with the stored hash, or with nobody's, and counts failures.
    /// - Parameter client: whose share of the queue it takes.
    /// - Returns: the hash to store instead, when the stored one has old parameters.
    /// - Throws: `refusal`, ``AccessError/throttled(_:)``, ``AccessError/busy``.
    func verify(
        _ password: Password, against stored: String?, counting keys: [AttemptThrottle.Key], for client: String,
        or refusal: AccessError
    ) async throws -> String? {
        try refuseThrottled(keys)
        let hash = stored.flatMap { PasswordHash($0) }
        let compared = hash ?? nobodysHash
        // Once more in the queue, where one comes after another: of a thousand guesses at once only five are compared.
        return try await queued(.logIn, for: client) { [self] in
            try refuseThrottled(keys)
            guard try password.matches(compared), let hash else {
                failures.withLock { $0.count(keys, at: instant()) }
                throw refusal
            }
            return hash.needsRenewal(by: derivation) ? try password.hashed(by: derivation).text : nil
        }
    }

    private func refuseThrottled(_ keys: [AttemptThrottle.Key]) throws {
        if let wait = failures.withLock({ $0.wait(keys, at: instant()) }) { throw AccessError.throttled(wait) }
    }

    private func queued<T: Sendable>(
        _ purpose: PasswordHashQueue.Purpose, for client: String, _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        do {
            return try await hashing.run(purpose, for: client) { Result(catching: work) }.get()
        } catch is PasswordHashQueue.Busy {
            throw AccessError.busy
        } catch is KeyDerivation.Failed {
            throw AccessError.busy
        }
    }
}
