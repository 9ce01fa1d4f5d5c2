import Kanban

/// Stores accounts, sessions and tokens. The laws of ``Store`` hold.
package protocol AccessStore: AnyObject, Sendable {
    /// Reads; each read is one look-up in an index. A store in this process does not suspend.
    func readAccess<T: Sendable>(_ body: @escaping @Sendable (any AccessReader) throws -> T) async throws -> T

    /// Runs the body in a transaction and returns when it is on disk.
    func writeAccess<T: Sendable>(_ body: @escaping @Sendable (any AccessWriter) throws -> T) async throws -> T

    /// The version of the account, with everything acknowledged before the call: while its `endings` stay the same, none of its
    /// sessions and tokens has ended. `nil` when there is no account, or the store does not count them.
    func version(of account: AccountKey) async throws -> AccountVersion?

    /// This store, if its reads do not wait.
    var localAccess: (any LocalAccessStore)? { get }
}

extension AccessStore {
    package func version(of account: AccountKey) async throws -> AccountVersion? { nil }
}

/// An ``AccessStore`` whose reads do not wait.
package protocol LocalAccessStore: AccessStore {
    /// Reads on the calling thread.
    func readAccessNow<T>(_ body: (any AccessReader) throws -> T) throws -> T
}

/// The rows of accounts, sessions and tokens in one snapshot.
package protocol AccessReader {
    func account(_ key: AccountKey) throws -> Account?
    /// By ``EmailAddress/folded``.
    func account(foldedEmail: String) throws -> Account?
    /// The account's ``PasswordHash`` as text; `nil` when it has none.
    func passwordHash(of account: AccountKey) throws -> String?
    /// In the order of creation, above `key`.
    func accounts(after key: AccountKey?, limit: Int) throws -> [Account]

    /// By the digest of its token, expired or not.
    func session(digest: [UInt8]) throws -> Session?
    /// All of the account, most recently used first.
    func sessions(of account: AccountKey) throws -> [Session]
    /// Expired or not, from an index alone.
    func sessionCount(of account: AccountKey) throws -> Int

    func code(digest: [UInt8], _ kind: StoredCode.Kind) throws -> StoredCode?
    /// When the first code of this kind that went to the address was caused.
    func firstCause(of kind: StoredCode.Kind, sentTo address: EmailAddress, of account: AccountKey) throws -> Timestamp?
    func identity(provider: String, subject: String) throws -> Identity?
    /// In the order of their linking.
    func identities(of account: AccountKey) throws -> [Identity]
    func erasure(of account: AccountKey) throws -> Erasure?
    /// Of the account that this identity opened last.
    func erasure(provider: String, subject: String) throws -> Erasure?
    func erasures(dueAt now: Timestamp, limit: Int) throws -> [Erasure]
    func invitation(digest: [UInt8]) throws -> Invitation?
    /// Those that the account made and did not remove, newest first.
    func invitations(of account: AccountKey) throws -> [Invitation]
    /// When the account made its newest invitation, or with another `place` the one that many places down; `nil` when it
    /// made fewer. Includes those that it removed.
    func invitationTime(of account: AccountKey, newest place: Int) throws -> Timestamp?
    /// The newest first, below `number`.
    func events(of account: AccountKey, before number: Int64?, limit: Int) throws -> [AccountEvent]
    /// True if any device of the account is remembered, see ``AccessWriter/rememberDevice(of:_:)``.
    func hasLoggedIn(_ account: AccountKey) throws -> Bool
    func hasLoggedIn(_ account: AccountKey, device: String?, network: String?) throws -> Bool
    /// With any device.
    func hasLoggedIn(_ account: AccountKey, network: String?) throws -> Bool
    /// Those that are remembered, the last seen first.
    func knownDevices(of account: AccountKey) throws -> [KnownDevice]
    func mails(dueAt now: Timestamp, limit: Int) throws -> [MailJob]
    /// `nil` when none waits.
    func nextMailDue() throws -> Timestamp?
    func mailCount() throws -> Int
    func revocations(dueAt now: Timestamp, limit: Int) throws -> [Revocation]
    /// `nil` when none waits.
    func nextRevocationDue() throws -> Timestamp?
    func revocationCount() throws -> Int
    /// In the order of their registration.
    func devices(of account: AccountKey) throws -> [PushDevice]
    func device(_ id: ID, of account: AccountKey) throws -> PushDevice?
    /// Those whose ``PushWake/dueAt`` has come, the earliest first.
    func devicesToWake(at now: Timestamp, limit: Int) throws -> [PushDevice]
    func pushes(dueAt now: Timestamp, limit: Int) throws -> [PushJob]
    /// `nil` when none waits.
    func nextPushDue() throws -> Timestamp?
    func pushCount() throws -> Int
    func pushCount(of account: AccountKey) throws -> Int
    func schedule(of account: AccountKey) throws -> ReminderSchedule?
    /// When the account's board was written last; `nil` without an account.
    func lastWrite(of account: AccountKey) throws -> Timestamp?
    /// Those whose reminder is due, or whose account has changed, in the order of accounts.
    func schedules(dueAt now: Timestamp, after last: AccountKey?, limit: Int) throws -> [ReminderSchedule]
    func serverKey(_ name: String) throws -> ServerKey?
    /// Accounts whose settings ask for a mail of what is due, with what was planned for them: those whose mail is due or not
    /// planned by these settings, in the order of accounts.
    func digests(dueAt now: Timestamp, after last: AccountKey?, limit: Int) throws -> [(AccountKey, DigestSchedule?)]
    func digest(of account: AccountKey) throws -> DigestSchedule?
    /// The account's board in the same snapshot or transaction.
    func board(of account: AccountKey) throws -> any BoardReader
    /// The language in the account's settings.
    func locale(of account: AccountKey) throws -> String?

    /// By its digest, expired or not.
    func token(digest: [UInt8]) throws -> AccessToken?
    /// All of the account, the newest first.
    func tokens(of account: AccountKey) throws -> [AccessToken]
}

/// The same inside a write transaction.
package protocol AccessWriter: AccessReader {
    /// The clock's time, one in a transaction: what ends or is due is counted from it.
    var now: Timestamp { get }
    /// A new version 7 id.
    func makeID() -> ID

    /// Creates an account with an empty board. Its key was never used before.
    func makeAccount(email: EmailAddress?, displayName: String?, passwordHash: String?) throws -> Account
    /// True if the account's board has this image, which nobody else removes before the end of the transaction.
    func hasImage(_ id: ID, of account: AccountKey) throws -> Bool
    /// Writes the addresses, the name and the state. Not the image: the board may have removed it since the account was read.
    func save(_ account: Account) throws
    /// Writes the image that the account shows; the board has it, see ``hasImage(_:of:)``.
    func setImage(_ id: ID?, of account: AccountKey) throws
    func setLimits(_ limits: OwnLimits, of account: AccountKey) throws
    /// The account can be logged in to then: it is not erased for want of that.
    func setPasswordHash(_ hash: String, of account: AccountKey) throws
    /// Erases the account and every row of its board, sessions and tokens included.
    func eraseAccount(_ key: AccountKey) throws

    func insert(_ session: Session, digest: [UInt8]) throws
    /// Stamps the last use. Does nothing when the session is gone.
    func touchSession(_ id: ID, of account: AccountKey, lastUsedAt: Timestamp, expiresAt: Timestamp) throws
    /// False when there was none.
    func removeSession(_ id: ID, of account: AccountKey) throws -> Bool

    func insert(_ code: StoredCode, digest: [UInt8]) throws
    func removeCode(digest: [UInt8]) throws
    func removeCodes(_ kind: StoredCode.Kind, of account: AccountKey) throws
    /// Removes lock codes that went to another address, and mails that would, about what happened since then.
    func removeLockCodes(of account: AccountKey, since cause: Timestamp, notSentTo address: EmailAddress) throws
    /// The account can be logged in to then: it is not erased for want of that.
    func insert(_ identity: Identity) throws
    /// Sends no mails to the address, which is the identity's; `nil` ends that.
    func setSilencedEmail(_ email: EmailAddress?, of identity: Identity) throws
    func insert(_ erasure: Erasure) throws
    /// Remembers a provider's token until it has expired. False when it was used before.
    func useIDToken(_ digest: [UInt8], until end: Timestamp) throws -> Bool
    /// False when there was none.
    func removeIdentity(_ id: ID, of account: AccountKey) throws -> Bool
    func insert(_ invitation: Invitation, digest: [UInt8]) throws
    func useInvitation(_ id: ID) throws
    /// False when there was none.
    func removeInvitation(_ id: ID, of account: AccountKey) throws -> Bool
    /// Records an event. Drops old events of a kind of which the account has very many.
    func note(_ kind: AccountEvent.Kind, of account: AccountKey, by visitor: Visitor) throws
    /// Remembers the device and network of a log-in. Of an account's devices those seen last stay, at most
    /// ``AccountEvent/mostKnownDevices``.
    func rememberDevice(of visitor: Visitor, _ account: AccountKey) throws
    func forgetDevices(of account: AccountKey) throws
    /// False when too many wait.
    func enqueue(_ mail: MailJob) throws -> Bool
    /// Counts an attempt. False when somebody else has, or has removed the mail, since it was read.
    func postponeMail(_ mail: MailJob, until due: Timestamp) throws -> Bool
    func removeMail(_ number: Int64) throws
    func enqueue(_ revocation: Revocation) throws
    /// Counts an attempt. False when somebody else has, or has removed the revocation, since it was read.
    func postponeRevocation(_ revocation: Revocation, until due: Timestamp) throws -> Bool
    func removeRevocation(_ number: Int64) throws
    /// Writes all of the device.
    func save(_ device: PushDevice) throws
    /// False when there was none.
    func removeDevice(_ id: ID, of account: AccountKey) throws -> Bool
    /// Removes devices of any account with the same target.
    func removeOtherDevices(with device: PushDevice) throws
    /// Removes those that are bound to any other session, ended or not.
    func removeDevices(of account: AccountKey, keeping session: ID?) throws
    func enqueue(_ push: PushJob) throws
    /// Counts an attempt. False when somebody else has, or has removed the notification, since it was read.
    func postponePush(_ push: PushJob, until due: Timestamp) throws -> Bool
    func removePush(_ number: Int64, of account: AccountKey) throws
    func save(_ schedule: ReminderSchedule) throws
    func save(_ key: ServerKey) throws
    func save(_ digest: DigestSchedule) throws

    func insert(_ token: AccessToken, digest: [UInt8]) throws
    /// Stamps the last use. Does nothing when the token is gone.
    func touchToken(_ id: ID, of account: AccountKey, lastUsedAt: Timestamp) throws
    /// False when there was none.
    func removeToken(_ id: ID, of account: AccountKey) throws -> Bool
}
