import Kanban
import KanbanRows

/// Accounts inside a write transaction.
package protocol SQLAccessWriter<Database>: SQLAccess, AccessWriter {
    associatedtype Writer: SQLBoardWriter<Database>

    /// The transaction, on the board of any account.
    var writer: Writer { get }
}

/// Accounts in SQLite inside a write transaction.
package struct SQLiteAccessWriter: SQLAccessWriter {
    package let writer: SQLiteBoardWriter
    // Not that of the board's writes, which stands still when the machine's clock is set back: codes, sessions and mails would
    // end late or wait until it has caught up.
    package let now: Timestamp

    package init(_ writer: SQLiteBoardWriter) {
        self.writer = writer
        now = writer.context.clock()
    }

    /// The board as readers see it: an unfinished write of the account may be on disk in part.
    package func board(of account: AccountKey) -> any BoardReader {
        writer.writing.boardBeforeWrite(account) ?? writer.writer(for: account)
    }
}

extension SQLAccessWriter {
    package var connection: Database { writer.connection }
    package var now: Timestamp { writer.now }

    package func board(of account: AccountKey) -> any BoardReader { writer.writer(for: account) }

    package func makeID() -> ID {
        writer.makeID()
    }

    // MARK: - Accounts

    package func makeAccount(email: EmailAddress?, displayName: String?, passwordHash: String?) throws -> Account {
        let id = makeID()
        let statement = try connection.statement(
            """
            INSERT INTO accounts (id, email, email_folded, display_name, password_hash, created_at, epoch)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING number
            """)
        statement.bind(1, id)
        statement.bind(2, email?.text)
        statement.bind(3, email?.folded)
        statement.bind(4, displayName)
        statement.bind(5, passwordHash)
        statement.bind(6, now)
        statement.bind(7, Int64(bitPattern: writer.ids.newEpoch()))
        guard let key = try statement.first({ AccountKey(number: $0.integer()) }) else {
            throw connection.damaged("an account was made and is not there")
        }
        return Account(key: key, id: id, email: email, displayName: displayName, createdAt: now)
    }

    package func hasImage(_ id: ID, of account: AccountKey) throws -> Bool {
        try writer.writer(for: account).image(id) != nil
    }

    package func save(_ account: Account) throws {
        let statement = try connection.statement(
            """
            UPDATE accounts SET email = ?2, email_folded = ?3, display_name = ?4, email_verified = ?5, state = ?6,
                pending_email = ?7
            WHERE number = ?1
            """)
        statement.bind(1, account.key.number)
        statement.bind(2, account.email?.text)
        statement.bind(3, account.email?.folded)
        statement.bind(4, account.displayName)
        statement.bind(5, account.isEmailVerified ? 1 : 0)
        statement.bind(6, account.state.rawValue)
        statement.bind(7, account.pendingEmail?.text)
        try statement.run()
        if account.isEmailVerified, account.limits == .unproven { try setLimits(OwnLimits(), of: account.key) }
    }

    package func setImage(_ id: ID?, of account: AccountKey) throws {
        let old = try self.account(account)
        let statement = try connection.statement("UPDATE accounts SET image = ?2 WHERE number = ?1")
        statement.bind(1, account.number)
        statement.bind(2, id)
        try statement.run()
        try writer.writer(for: account).noteNaming(of: id, insteadOf: old?.image)
    }

    package func setPasswordHash(_ hash: String, of account: AccountKey) throws {
        let statement = try connection.statement("UPDATE accounts SET password_hash = ?2 WHERE number = ?1")
        statement.bind(1, account.number)
        statement.bind(2, hash)
        try statement.run()
        try removeErasure(of: account)
    }

    package func setLimits(_ limits: OwnLimits, of account: AccountKey) throws {
        try writer.writing.setLimits(limits, of: account)
    }

    package func eraseAccount(_ key: AccountKey) throws {
        try writer.writer(for: key).eraseAccount()
    }

    // MARK: - Sessions

    package func insert(_ session: Session, digest: [UInt8]) throws {
        let statement = try connection.statement(
            """
            INSERT INTO sessions (account, id, token_hash, device, created_at, last_used_at, expires_at, provider, proven_at,
                identity, client_id)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """)
        statement.bind(1, session.account.number)
        statement.bind(2, session.id)
        statement.bind(3, digest)
        statement.bind(4, session.device)
        statement.bind(5, session.createdAt)
        statement.bind(6, session.lastUsedAt)
        statement.bind(7, session.expiresAt)
        statement.bind(8, session.provider)
        statement.bind(9, session.provenAt)
        statement.bind(10, session.identity)
        statement.bind(11, session.clientID)
        try statement.run()
    }

    package func touchSession(_ id: ID, of account: AccountKey, lastUsedAt: Timestamp, expiresAt: Timestamp) throws {
        let statement = try connection.statement(
            "UPDATE sessions SET last_used_at = ?3, expires_at = ?4 WHERE account = ?1 AND id = ?2")
        statement.bind(1, account.number)
        statement.bind(2, id)
        statement.bind(3, lastUsedAt)
        statement.bind(4, expiresAt)
        try statement.run()
    }

    package func removeSession(_ id: ID, of account: AccountKey) throws -> Bool {
        // On every log-out, also where no device was ever registered: one look into an index.
        _ = try remove("DELETE FROM devices WHERE account = ?1 AND session = ?2", id, of: account)
        return try end("DELETE FROM sessions WHERE account = ?1 AND id = ?2", id, of: account)
    }

    // MARK: - Tokens

    package func insert(_ token: AccessToken, digest: [UInt8]) throws {
        let statement = try connection.statement(
            """
            INSERT INTO tokens (account, id, token_hash, name, scope, created_at, last_used_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        statement.bind(1, token.account.number)
        statement.bind(2, token.id)
        statement.bind(3, digest)
        statement.bind(4, token.name)
        statement.bind(5, token.scope.rawValue)
        statement.bind(6, token.createdAt)
        statement.bind(7, token.lastUsedAt)
        statement.bind(8, token.expiresAt)
        try statement.run()
    }

    package func touchToken(_ id: ID, of account: AccountKey, lastUsedAt: Timestamp) throws {
        let statement = try connection.statement(
            "UPDATE tokens SET last_used_at = ?3 WHERE account = ?1 AND id = ?2")
        statement.bind(1, account.number)
        statement.bind(2, id)
        statement.bind(3, lastUsedAt)
        try statement.run()
    }

    package func removeToken(_ id: ID, of account: AccountKey) throws -> Bool {
        try end("DELETE FROM tokens WHERE account = ?1 AND id = ?2", id, of: account)
    }

    // MARK: - Rows

    /// Removes an access: servers that share a database forget what they know of the account's.
    /// - Returns: false when there was none.
    private func end(_ sql: StaticString, _ id: ID, of account: AccountKey) throws -> Bool {
        guard try remove(sql, id, of: account) else { return false }
        writer.writing.noteEnding(of: account)
        return true
    }

    /// - Returns: false when there was none.
    func remove(_ sql: StaticString, _ id: ID, of account: AccountKey) throws -> Bool {
        let statement = try connection.statement(sql)
        statement.bind(1, account.number)
        statement.bind(2, id)
        try statement.run()
        return connection.changes > 0
    }
}
