import Kanban
import KanbanRows

/// Statements of accounts, sessions and tokens. Look-ups by a secret or an address have their own index; all others are
/// bound to an account.
package protocol SQLAccess<Database>: AccessReader {
    associatedtype Database: Engine

    var connection: Database { get }
}

/// Accounts in SQLite as a reader sees them.
package struct SQLiteAccess: SQLAccess {
    package let connection: SQLiteConnection
    private let context: BoardContext

    package init(connection: SQLiteConnection, context: BoardContext) {
        self.connection = connection
        self.context = context
    }

    package func board(of account: AccountKey) -> any BoardReader {
        SQLiteBoard(account: account, connection: connection, context: context)
    }
}

// MARK: - Accounts

private enum AccountRow {
    static let columns = """
        number, id, email, pending_email, display_name, image, created_at, email_verified, state, bytes_limit, tasks_limit
        """
    static let byKey = ComposedSQL("SELECT \(columns) FROM accounts WHERE number = ?1")
    static let byEmail = ComposedSQL("SELECT \(columns) FROM accounts WHERE email_folded = ?1")
    static let page = ComposedSQL("SELECT \(columns) FROM accounts WHERE number > ?1 ORDER BY number LIMIT ?2")
}

extension SQLAccess {
    package func account(_ key: AccountKey) throws -> Account? {
        try connection.statement(AccountRow.byKey).bound(to: key).first(readAccount)
    }

    package func account(foldedEmail: String) throws -> Account? {
        let statement = try connection.statement(AccountRow.byEmail)
        statement.bind(1, foldedEmail)
        return try statement.first(readAccount)
    }

    package func passwordHash(of account: AccountKey) throws -> String? {
        try connection.statement("SELECT password_hash FROM accounts WHERE number = ?1").bound(to: account)
            .first { $0.optionalText() } ?? nil
    }

    package func accounts(after key: AccountKey?, limit: Int) throws -> [Account] {
        let statement = try connection.statement(AccountRow.page)
        statement.bind(1, key?.number ?? 0)
        statement.bind(2, limit)
        return try statement.all(readAccount)
    }

    private func readAccount(_ row: Database.Statement) throws -> Account {
        Account(
            key: AccountKey(number: row.integer()), id: try row.id(),
            email: row.optionalText().map(EmailAddress.init(stored:)),
            pendingEmail: row.optionalText().map(EmailAddress.init(stored:)), displayName: row.optionalText(),
            image: row.optionalID(), createdAt: row.timestamp(), isEmailVerified: row.integer() != 0,
            state: Account.State(rawValue: Int(row.integer())) ?? .disabled,
            limits: OwnLimits(bytes: row.optionalInteger(), tasks: row.optionalInteger()))
    }
}

// MARK: - Sessions

private enum SessionRow {
    static let columns =
        "id, account, device, created_at, last_used_at, expires_at, provider, proven_at, identity, client_id"
    static let byDigest = ComposedSQL("SELECT \(columns) FROM sessions WHERE token_hash = ?1")
    static let ofAccount = ComposedSQL(
        "SELECT \(columns) FROM sessions WHERE account = ?1 ORDER BY last_used_at DESC, id DESC")
}

extension SQLAccess {
    package func session(digest: [UInt8]) throws -> Session? {
        try connection.statement(SessionRow.byDigest).bound(to: digest).first(readSession)
    }

    package func sessions(of account: AccountKey) throws -> [Session] {
        try connection.statement(SessionRow.ofAccount).bound(to: account).all(readSession)
    }

    package func sessionCount(of account: AccountKey) throws -> Int {
        try connection.statement("SELECT count(*) FROM sessions WHERE account = ?1").bound(to: account).count()
    }

    private func readSession(_ row: Database.Statement) throws -> Session {
        Session(
            id: try row.id(), account: AccountKey(number: row.integer()), device: row.optionalText(),
            createdAt: row.timestamp(), lastUsedAt: row.timestamp(), expiresAt: row.timestamp(),
            provider: row.optionalText(), provenAt: row.optionalTimestamp(), identity: row.optionalID(),
            clientID: row.optionalText())
    }
}

// MARK: - Tokens

private enum TokenRow {
    static let columns = "id, account, name, scope, created_at, last_used_at, expires_at"
    static let byDigest = ComposedSQL("SELECT \(columns) FROM tokens WHERE token_hash = ?1")
    static let ofAccount = ComposedSQL(
        "SELECT \(columns) FROM tokens WHERE account = ?1 ORDER BY created_at DESC, id DESC")
}

extension SQLAccess {
    package func token(digest: [UInt8]) throws -> AccessToken? {
        try connection.statement(TokenRow.byDigest).bound(to: digest).first(readToken)
    }

    package func tokens(of account: AccountKey) throws -> [AccessToken] {
        try connection.statement(TokenRow.ofAccount).bound(to: account).all(readToken)
    }

    private func readToken(_ row: Database.Statement) throws -> AccessToken {
        let (id, account, name) = (try row.id(), AccountKey(number: row.integer()), row.text())
        guard let scope = AccessToken.Scope(rawValue: row.text()) else {
            throw connection.damaged("a token's scope")
        }
        return AccessToken(
            id: id, account: account, name: name, scope: scope, createdAt: row.timestamp(),
            lastUsedAt: row.optionalTimestamp(), expiresAt: row.optionalTimestamp())
    }
}

// MARK: - Rows

extension EngineStatement {
    /// With the account as the first parameter.
    func bound(to account: AccountKey) -> Self {
        bind(1, account.number)
        return self
    }

    /// With the digest of a secret as the first parameter.
    func bound(to digest: [UInt8]) -> Self {
        bind(1, digest)
        return self
    }
}
