import Kanban

/// Where accounts, sessions and tokens are kept. The laws of ``Store`` hold.
package protocol AccessStore: Sendable {
    /// Reads on the calling thread; each read is one look-up in an index.
    func readAccess<T>(_ body: (any AccessReader) throws -> T) throws -> T

    /// Runs the body in a transaction and returns when it is on disk.
    func writeAccess<T: Sendable>(_ body: @escaping @Sendable (any AccessWriter) throws -> T) async throws -> T
}

/// The rows of who may do what, at one moment.
package protocol AccessReader {
    func account(_ key: AccountKey) throws -> Account?
    /// By ``EmailAddress/folded``.
    func account(foldedEmail: String) throws -> Account?
    /// The account's ``PasswordHash`` as text; `nil` when it has none.
    func passwordHash(of account: AccountKey) throws -> String?
    /// In the order of their making, above `key`.
    func accounts(after key: AccountKey?, limit: Int) throws -> [Account]

    /// By the digest of its token, expired or not.
    func session(digest: [UInt8]) throws -> Session?
    /// All of the account, the one used last first.
    func sessions(of account: AccountKey) throws -> [Session]

    /// By its digest, expired or not.
    func token(digest: [UInt8]) throws -> AccessToken?
    /// All of the account, the newest first.
    func tokens(of account: AccountKey) throws -> [AccessToken]
}

/// The same inside a write transaction.
package protocol AccessWriter: AccessReader {
    /// The time of this transaction: never before that of an earlier one.
    var now: Timestamp { get }
    /// A new version 7 id.
    func makeID() -> ID

    /// Makes an account with an empty board. Its key was never used before.
    func makeAccount(email: EmailAddress, displayName: String?, passwordHash: String) throws -> Account
    /// Writes the members that can change: address and name.
    func save(_ account: Account) throws
    func setPasswordHash(_ hash: String, of account: AccountKey) throws
    /// Erases the account and every row of its board, sessions and tokens included.
    func eraseAccount(_ key: AccountKey) throws

    func insert(_ session: Session, digest: [UInt8]) throws
    /// Stamps the last use. Does nothing when the session is gone.
    func touchSession(_ id: ID, of account: AccountKey, lastUsedAt: Timestamp, expiresAt: Timestamp) throws
    /// False when there was none.
    func removeSession(_ id: ID, of account: AccountKey) throws -> Bool

    func insert(_ token: AccessToken, digest: [UInt8]) throws
    /// Stamps the last use. Does nothing when the token is gone.
    func touchToken(_ id: ID, of account: AccountKey, lastUsedAt: Timestamp) throws
    /// False when there was none.
    func removeToken(_ id: ID, of account: AccountKey) throws -> Bool
}
