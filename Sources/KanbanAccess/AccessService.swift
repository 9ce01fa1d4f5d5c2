import Crypto
import Kanban
import Locks
import Turns

/// Sign-up, log-in, log-out, and changes of an account by its owner.
package final class AccessService: Sendable {
    /// A new session with its token, which is shown only here.
    package struct LogIn: Sendable {
        package var secret: TokenSecret
        package var session: Session
        package var account: Account
        /// True if this log-in created the account.
        package var isNewAccount = false
    }

    package let store: any AccessStore
    package let verifier: TokenVerifier
    package let policy: SignUpPolicy
    package let providers: ProviderDirectory
    /// `nil`: revocations are not reported to Apple.
    let apple: AppleService?
    let clock: @Sendable () -> Timestamp
    private let onMail: (@Sendable () -> Void)?
    let onRevocation: @Sendable () -> Void
    /// What accounts may take; `nil`: no limit.
    private let quota: Quota?
    /// True if there is disk space for new accounts.
    private let hasRoom: @Sendable () -> Bool
    private let hashing: PasswordHashQueue
    private let derivation: KeyDerivation
    /// Wrong passwords.
    private let failures = Locked(AttemptThrottle(most: 5))
    /// Sign-ups of an address, successful or not.
    private let signUps = AttemptLimit("sign-up", most: 10, within: .seconds(60))
    /// Requests for resets of an address.
    let resetRequests = AttemptLimit("reset", most: 10, within: .seconds(3600))
    /// Mails to an address that anybody can ask for, and digests, which come later then; of all kinds together.
    let mails = AttemptLimit("mail", most: 3, within: .seconds(3600))
    /// Mails about what happened on the account of an address: those that strangers ask for must not use these up.
    let notices = AttemptLimit("notice", most: 3, within: .seconds(3600))
    /// Resets beyond these, asked for from one network.
    let ownResets = AttemptLimit("own-reset", most: 1, within: .seconds(3600))
    /// Changes of an account's address, successful or not.
    let emailChanges = AttemptLimit("email-change", most: 10, within: .seconds(3600))
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
    ///   - apple: takes the codes of deletions; `nil`: they are ignored.
    ///   - onRevocation: called when a revocation waits.
    ///   - quota: what accounts may take; `nil`: no limit.
    ///   - hasRoom: true if there is disk space for new accounts.
    ///   - hashing: the queue that hashes passwords.
    ///   - derivation: the parameters of new hashes; older hashes are replaced at log-in.
    ///   - instant: the clock of the throttles.
    package init(
        store: any AccessStore, verifier: TokenVerifier, policy: SignUpPolicy = .open,
        providers: ProviderDirectory = .none, clock: @escaping @Sendable () -> Timestamp,
        onMail: (@Sendable () -> Void)? = nil, apple: AppleService? = nil,
        onRevocation: @escaping @Sendable () -> Void = {}, quota: Quota? = nil,
        hasRoom: @escaping @Sendable () -> Bool = { true },
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
        self.apple = apple
        self.onRevocation = onRevocation
        self.quota = quota
        self.hasRoom = hasRoom
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
        return try await makeAccount(
            email: email, password: password, displayName: displayName, by: visitor, limits: limitsOfUnproven
        ) { [policy] in try Self.admit(invitation, for: email, policy: policy, in: $0) }
    }

    /// Without mail nothing can be proven. A server whose accounts may take less has no need of it.
    private var limitsOfUnproven: OwnLimits? {
        let limits = OwnLimits.unproven
        guard isMailOn, let quota, let bytes = limits.bytes, let tasks = limits.tasks, quota.bytes > bytes,
            quota.tasks > tasks
        else { return nil }
        return limits
    }

    /// Called before a visitor makes an account, in any way.
    /// - Throws: ``AccessError/tooManySignUps(_:)``, `StoreError.full` when the disk has only its reserve left, which is for the
    ///   accounts that are there.
    func countSignUp(of visitor: Visitor) async throws {
        guard hasRoom() else { throw StoreError.full }
        let wait = try await signUps.attempt(.address(visitor.origin), in: store.attempts, at: instant())
        if let wait { throw AccessError.tooManySignUps(wait) }
    }

    /// The same for the command line, for which sign-up is never closed.
    /// - Parameters:
    ///   - limits: those of the account until its address is proven; `nil`: those of all.
    ///   - admit: finds the invitation to use up, if one is needed; called in the transaction.
    package func makeAccount(
        email: EmailAddress, password: Password, displayName: String?, by visitor: Visitor = .operator,
        limits: OwnLimits? = nil,
        admit: @escaping @Sendable (any AccessWriter) throws -> Invitation? = { _ in nil }
    ) async throws -> Account {
        // Checked first to save the hashing, and again in the transaction, where it cannot change.
        let holder = try await store.readAccess { try $0.account(foldedEmail: email.folded) }
        guard holder.map(isWeak) ?? true else { throw AccessError.emailTaken }
        let hash = try await hashed(password, .signUp, for: visitor.origin)
        let account = try await store.writeAccess { [self] writer in
            let holder = try writer.account(foldedEmail: email.folded)
            guard holder.map(isWeak) ?? true else { throw AccessError.emailTaken }
            let invitation = try admit(writer)
            if let holder { try Self.takeAddress(of: holder, in: writer) }
            var account = try writer.makeAccount(email: email, displayName: displayName, passwordHash: hash)
            if let limits {
                try writer.setLimits(limits, of: account.key)
                account.limits = limits
            }
            if let invitation { try writer.useInvitation(invitation.id) }
            try writer.note(.signUp, of: account.key, by: visitor)
            try mail(.emailVerification, to: account, about: visitor, in: writer)
            return account
        }
        wakeMailQueue()
        return account
    }

    /// True for an account whose address is only claimed: it loses the address to an owner who proves it. Without mail
    /// nothing can be proven.
    func isWeak(_ account: Account) -> Bool { isMailOn && !account.isEmailVerified }

    /// Somebody else gets the address that the account only claimed.
    static func takeAddress(of holder: Account, in writer: any AccessWriter) throws {
        var holder = holder
        holder.email = nil
        try writer.save(holder)
    }

    /// Begins a session.
    /// - Throws: ``AccessError/wrongCredentials``, ``AccessError/throttled(_:)``, ``AccessError/busy``,
    ///   ``AccessError/accountLocked``, ``AccessError/accountDisabled``.
    package func logIn(email: String, password: Password, by visitor: Visitor) async throws -> LogIn {
        let folded = EmailAddress.fold(email)
        let (account, stored, isKnown) = try await store.readAccess { reader in
            let account = try reader.account(foldedEmail: folded)
            // An unknown address takes the same look-ups; no account has the number 0.
            let key = account?.key ?? AccountKey(number: 0)
            return (
                account, try reader.passwordHash(of: key), try reader.hasLoggedIn(key, network: visitor.network)
            )
        }
        let renewed: String?
        do {
            renewed = try await verify(
                password, against: stored, counting: [.account(SHA256.digest(folded.utf8)), .address(visitor.origin)],
                for: visitor.origin, isKnown: isKnown, or: .wrongCredentials)
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
            return try begin(of: account, proven: nil, by: visitor, digest: secret.digest, in: writer)
        }
        wakeMailQueue()
        return LogIn(secret: secret, session: session, account: account)
    }

    /// Begins a session of an active account, and notifies its owner of a new device.
    /// - Parameters:
    ///   - proven: what a provider's token says; `nil` for a password.
    ///   - identity: the one that the token is of.
    func begin(
        of account: Account, proven: ProvenIdentity?, identity: ID? = nil, by visitor: Visitor, digest: [UInt8],
        in writer: any AccessWriter
    ) throws -> Session {
        switch account.state {
        case .active: break
        case .locked: throw AccessError.accountLocked
        case .disabled: throw AccessError.accountDisabled
        }
        try Self.makeRoom(for: account.key, in: writer)
        let session = Session(
            id: writer.makeID(), account: account.key, device: visitor.device, createdAt: writer.now,
            lastUsedAt: writer.now, expiresAt: writer.now + Session.lifetime, provider: proven?.provider,
            provenAt: proven?.issuedAt, identity: identity, clientID: proven?.clientID)
        try writer.insert(session, digest: digest)
        // After the first log-in, report each new device and network.
        if isMailOn, try writer.hasLoggedIn(account.key),
            try !writer.hasLoggedIn(account.key, device: visitor.device, network: visitor.network)
        {
            try mail(.newDevice, to: account, about: visitor, in: writer)
        }
        try writer.note(.logIn, of: account.key, by: visitor)
        try writer.rememberDevice(of: visitor, account.key)
        return session
    }

    /// Forgets all devices but the caller's, so that the next log-in from another one is reported: others may have logged in.
    static func distrustDevices(of account: AccountKey, but visitor: Visitor, in writer: any AccessWriter) throws {
        try writer.forgetDevices(of: account)
        // Without any device the next log-in would count as the first one, which is not reported.
        try writer.rememberDevice(of: visitor, account)
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
    /// - Parameters:
    ///   - client: the client whose share of the queue it uses.
    ///   - isKnown: true if somebody logged in to the account from there before.
    /// - Returns: a new hash to store, when the stored one has old parameters.
    /// - Throws: `refusal`, ``AccessError/throttled(_:)``, ``AccessError/busy``.
    func verify(
        _ password: Password, against stored: String?, counting keys: [AttemptThrottle.Key], for client: String,
        isKnown: Bool = false, or refusal: AccessError
    ) async throws -> String? {
        let hash = stored.flatMap { PasswordHash($0) }
        let compared = hash ?? nobodysHash
        if let ledger = store.attempts {
            return try await verify(in: ledger, counting: keys, or: refusal) {
                try await queued(.logIn, for: client, isKnown: isKnown) { [derivation] in
                    guard try compared.matches(password, asSlowAs: derivation), let hash else { return (false, nil) }
                    return (true, hash.needsRenewal(by: derivation) ? try password.hashed(by: derivation).text : nil)
                }
            }
        }
        try refuseThrottled(keys)
        // Check again in the queue, which runs one job at a time: of a thousand concurrent guesses only five are
        // compared.
        return try await queued(.logIn, for: client, isKnown: isKnown) { [self] in
            try refuseThrottled(keys)
            guard try compared.matches(password, asSlowAs: derivation), let hash else {
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
        _ purpose: PasswordHashQueue.Purpose, for client: String, isKnown: Bool = false,
        _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        do {
            return try await hashing.run(purpose, for: client, isKnown: isKnown, work)
        } catch is Busy, is CancellationError, is KeyDerivation.Failed {
            throw AccessError.busy
        }
    }
}
