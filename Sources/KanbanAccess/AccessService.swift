import Crypto
import Kanban
import Locks

/// Sign-up, log-in, log-out, and changes of an account by its owner.
package final class AccessService: Sendable {
    /// A new session with its token, which is shown only here.
    package struct LogIn: Sendable {
        package var secret: TokenSecret
        package var session: Session
        package var account: Account
        /// Whether this log-in created the account.
        package var isNewAccount = false
    }

    package let store: any AccessStore
    package let verifier: TokenVerifier
    let policy: SignUpPolicy
    let providers: ProviderDirectory
    let clock: @Sendable () -> Timestamp
    private let onMail: (@Sendable () -> Void)?
    private let hashing: PasswordHashQueue
    private let derivation: KeyDerivation
    /// Wrong passwords.
    private let failures = Locked(AttemptThrottle(most: 5))
    /// Sign-ups of an address, successful or not.
    private let signUps = Locked(AttemptThrottle(most: 10))
    /// Requests for resets of an address.
    let resetRequests = Locked(AttemptThrottle(most: 10, within: .seconds(3600)))
    /// Mails of an account.
    let mails = Locked(AttemptThrottle(most: mailsAnHour, within: .seconds(3600)))
    static let mailsAnHour = 3
    let instant: @Sendable () -> ContinuousClock.Instant
    private struct Note {
        let account: AccountKey
        let task: Task<Void, Never>
    }
    /// Wrong passwords that were answered and may not be written yet.
    private let notes = Locked<(next: Int, running: [Int: Note])>((next: 0, running: [:]))
    /// The hash for unknown addresses, so that comparing takes as long as for known ones.
    private let nobodysHash: PasswordHash

    /// - Parameters:
    ///   - policy: who may sign up.
    ///   - clock: measures the age of sessions and codes.
    ///   - onMail: called when a mail waits; `nil` if no mail is sent.
    ///   - hashing: the queue that hashes passwords.
    ///   - derivation: the parameters of new hashes; older hashes are replaced at log-in.
    ///   - instant: the clock of the throttles.
    package init(
        store: any AccessStore, verifier: TokenVerifier, policy: SignUpPolicy = .open,
        providers: ProviderDirectory = .none, clock: @escaping @Sendable () -> Timestamp,
        onMail: (@Sendable () -> Void)? = nil,
        hashing: PasswordHashQueue = PasswordHashQueue(),
        derivation: KeyDerivation = PasswordHash.current,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.store = store
        self.verifier = verifier
        self.policy = policy
        self.providers = providers
        self.clock = clock
        self.onMail = onMail
        self.hashing = hashing
        self.instant = instant
        self.derivation = derivation
        nobodysHash = PasswordHash.unmatchable(by: derivation)
    }

    package var isMailOn: Bool { onMail != nil }

    /// Signals that a mail waits.
    func wakeMailQueue() {
        onMail?()
    }

    /// Checked before the body.
    /// - Throws: ``AccessError/signupClosed``.
    package func requireOpenSignup() throws(AccessError) {
        guard policy != .closed else { throw .signupClosed }
    }

    /// Creates an account with an empty board.
    /// - Parameter invitation: a code, if signing up needs one.
    /// - Throws: ``AccessError/signupClosed``, ``AccessError/invitationRequired``, ``AccessError/invitationUsed``,
    ///   ``AccessError/tooManySignUps(_:)``, ``AccessError/emailTaken``, ``AccessError/busy``.
    package func signUp(
        email: EmailAddress, password: Password, displayName: String?, invitation: String?, by visitor: Visitor
    ) async throws -> Account {
        try requireOpenSignup()
        try await countSignUp(of: visitor)
        if policy == .invite {
            // Checked first to save the hashing, and again in the transaction.
            let digest = invitation.flatMap(SecretCode.digest)
            guard let digest, try await store.readAccess({ try $0.invitation(digest: digest) }) != nil else {
                throw AccessError.invitationRequired
            }
        }
        return try await makeAccount(email: email, password: password, displayName: displayName, by: visitor) {
            [policy] in try Self.admit(invitation, for: email, policy: policy, in: $0)
        }
    }

    /// - Throws: ``AccessError/tooManySignUps(_:)``.
    func countSignUp(of visitor: Visitor) async throws {
        let key = AttemptThrottle.Key.address(visitor.origin)
        let wait =
            if let ledger = store.attempts {
                try await ledger.attempt("sign-up", [key.digest], most: 10, within: .seconds(60), counts: true)
            } else {
                signUps.withLock { $0.attempt([key], at: instant()) }
            }
        if let wait { throw AccessError.tooManySignUps(wait) }
    }

    /// The same for the command line, for which sign-up is never closed.
    /// - Parameter admit: finds the invitation to use up, if one is needed; called in the transaction.
    package func makeAccount(
        email: EmailAddress, password: Password, displayName: String?, by visitor: Visitor = .operator,
        admit: @escaping @Sendable (any AccessWriter) throws -> Invitation? = { _ in nil }
    ) async throws -> Account {
        // Checked first to save the hashing, and again in the transaction, where it cannot change.
        guard try await store.readAccess({ try $0.account(foldedEmail: email.folded) }) == nil else {
            throw AccessError.emailTaken
        }
        let hash = try await hashed(password, .signUp, for: visitor.origin)
        let account = try await store.writeAccess { [isMailOn] writer in
            guard try writer.account(foldedEmail: email.folded) == nil else { throw AccessError.emailTaken }
            let invitation = try admit(writer)
            let account = try writer.makeAccount(email: email, displayName: displayName, passwordHash: hash)
            if let invitation { try writer.useInvitation(invitation.id) }
            try writer.note(.signUp, of: account.key, by: visitor)
            if isMailOn { try Self.mail(.emailVerification, to: account, about: visitor, in: writer) }
            return account
        }
        wakeMailQueue()
        return account
    }

    /// Begins a session.
    /// - Throws: ``AccessError/wrongCredentials``, ``AccessError/throttled(_:)``, ``AccessError/busy``,
    ///   ``AccessError/accountLocked``, ``AccessError/accountDisabled``.
    package func logIn(email: String, password: Password, by visitor: Visitor) async throws -> LogIn {
        let folded = EmailAddress.fold(email)
        let (account, stored) = try await store.readAccess { reader in
            let account = try reader.account(foldedEmail: folded)
            // An unknown address takes the same look-ups; no account has the number 0.
            return (account, try reader.passwordHash(of: account?.key ?? AccountKey(number: 0)))
        }
        let renewed: String?
        do {
            renewed = try await verify(
                password, against: stored, counting: [.account(SHA256.digest(folded.utf8)), .address(visitor.origin)],
                for: visitor.origin, or: .wrongCredentials)
        } catch AccessError.wrongCredentials {
            if let account { noteFailureLater(of: account.key, by: visitor) }
            throw AccessError.wrongCredentials
        }
        guard let account, let stored else { throw AccessError.wrongCredentials }

        let secret = TokenSecret()
        let session = try await store.writeAccess { [self] writer in
            // The account may have been erased, or got another password, during the hashing.
            guard let account = try writer.account(account.key), try writer.passwordHash(of: account.key) == stored
            else { throw AccessError.wrongCredentials }
            if let renewed { try writer.setPasswordHash(renewed, of: account.key) }
            return try begin(of: account, provider: nil, by: visitor, digest: secret.digest, in: writer)
        }
        wakeMailQueue()
        return LogIn(secret: secret, session: session, account: account)
    }

    /// Begins a session of an active account, and notifies its owner of a new device.
    func begin(
        of account: Account, provider: String?, by visitor: Visitor, digest: [UInt8], in writer: any AccessWriter
    ) throws -> Session {
        switch account.state {
        case .active: break
        case .locked: throw AccessError.accountLocked
        case .disabled: throw AccessError.accountDisabled
        }
        try Self.makeRoom(for: account.key, in: writer)
        let session = Session(
            id: writer.makeID(), account: account.key, device: visitor.device, createdAt: writer.now,
            lastUsedAt: writer.now, expiresAt: writer.now + Session.lifetime, provider: provider)
        try writer.insert(session, digest: digest)
        // After the first log-in, report each new device and network.
        if isMailOn, try writer.hasLoggedIn(account.key),
            try !writer.hasLoggedIn(account.key, device: visitor.device, network: visitor.network),
            try mayMail(.owner(Self.throttleKey(of: account)), in: writer)
        {
            try Self.mail(.newDevice, to: account, about: visitor, in: writer)
        }
        try writer.note(.logIn, of: account.key, by: visitor)
        return session
    }

    /// Records a wrong password after the answer: for an unknown address nothing is written, and its answer must take
    /// as long.
    private func noteFailureLater(of account: AccountKey, by visitor: Visitor) {
        notes.withLock { notes in
            let number = notes.next
            notes.next += 1
            notes.running[number] = Note(
                account: account,
                task: Task { [self] in
                    await noteFailure(of: account, by: visitor)
                    self.notes.withLock { $0.running[number] = nil }
                })
        }
    }

    /// Records a wrong password.
    func noteFailure(of account: AccountKey, by visitor: Visitor) async {
        // `try?`: an event that could not be written, on a full disk, is lost; the password was wrong all the same.
        try? await store.writeAccess { writer in
            guard try writer.account(account) != nil else { return }
            try writer.note(.logInFailed, of: account, by: visitor)
        }
    }

    /// Waits until the wrong passwords that were answered are among the events.
    func finishNotes(of account: AccountKey) async {
        let running = notes.withLock { $0.running.values.filter { $0.account == account } }
        for note in running { await note.task.value }
    }

    /// The key of an account in throttles.
    static func throttleKey(of account: Account) -> [UInt8] {
        SHA256.digest((account.email?.folded ?? "\(account.id)").utf8)
    }

    /// At the limit, removes expired sessions, or else the least recently used one. Before that, expired sessions are
    /// purged when the store is idle.
    private static func makeRoom(for account: AccountKey, in writer: any AccessWriter) throws {
        // Count first: reading hundreds of sessions would cost as much as the rest of a log-in.
        guard try writer.sessionCount(of: account) >= Session.most else { return }
        let sessions = try writer.sessions(of: account)
        let living = sessions.filter { $0.expiresAt > writer.now }
        let surplus = sessions.filter { $0.expiresAt <= writer.now } + living.dropFirst(Session.most - 1)
        for session in surplus { _ = try writer.removeSession(session.id, of: account) }
    }

    /// Sessions that have not expired, most recently used first.
    package func sessions(of account: AccountKey, at now: Timestamp) async throws -> [Session] {
        try await store.readAccess { try $0.sessions(of: account) }.filter { $0.expiresAt > now }
    }

    /// Ends a session at once.
    /// - Throws: ``AccessError/noSession``.
    package func endSession(_ id: ID, of account: AccountKey) async throws {
        guard try await store.writeAccess({ try $0.removeSession(id, of: account) }) else {
            throw AccessError.noSession
        }
        verifier.ended(of: account) { $0.kind == .session && $0.id == id }
    }

    // MARK: Passwords

    /// - Parameter client: the client whose share of the queue it uses.
    package func hashed(
        _ password: Password, _ purpose: PasswordHashQueue.Purpose = .logIn, for client: String
    ) async throws -> String {
        try await queued(purpose, for: client) { [derivation] in try password.hashed(by: derivation).text }
    }

    /// Compares a password with the stored hash, or with that for unknown addresses, and counts failures.
    /// - Parameter client: the client whose share of the queue it uses.
    /// - Returns: a new hash to store, when the stored one has old parameters.
    /// - Throws: `refusal`, ``AccessError/throttled(_:)``, ``AccessError/busy``.
    func verify(
        _ password: Password, against stored: String?, counting keys: [AttemptThrottle.Key], for client: String,
        or refusal: AccessError
    ) async throws -> String? {
        let hash = stored.flatMap { PasswordHash($0) }
        let compared = hash ?? nobodysHash
        if let ledger = store.attempts {
            return try await verify(in: ledger, counting: keys, or: refusal) {
                try await queued(.logIn, for: client) { [derivation] in
                    guard try password.matches(compared), let hash else { return (false, nil) }
                    return (true, hash.needsRenewal(by: derivation) ? try password.hashed(by: derivation).text : nil)
                }
            }
        }
        try refuseThrottled(keys)
        // Check again in the queue, which runs one job at a time: of a thousand concurrent guesses only five are
        // compared.
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
