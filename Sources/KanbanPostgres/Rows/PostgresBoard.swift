import Kanban
import KanbanAccess
import KanbanRows

/// A board in PostgreSQL as a reader sees it, in one snapshot.
struct PostgresBoard: SQLBoard {
    let account: AccountKey
    let connection: PostgresConnection
    let context: BoardContext
}

/// A board in PostgreSQL inside a transaction that has the account's lock. Lives as long as one body.
final class PostgresBoardWriter: SQLBoardWriter {
    typealias Database = PostgresConnection

    let account: AccountKey
    let session: ID?
    let now: Timestamp
    let context: BoardContext
    let writing: WriteSession<PostgresConnection>
    let ids: IDSource

    init(
        account: AccountKey, session: ID?, now: Timestamp, context: BoardContext,
        writing: WriteSession<PostgresConnection>, ids: IDSource
    ) {
        self.account = account
        self.session = session
        self.now = now
        self.context = context
        self.writing = writing
        self.ids = ids
    }

    func foresee(tasks ids: [ID]) throws {
        forgetForeseenTasks()
        let rows = try NeededRows(tasks: ids, of: account, on: connection)
        defer { rows.reset() }
        try rows.take { $0 == account ? self : nil }
    }

    func writer(for account: AccountKey) -> PostgresBoardWriter {
        PostgresBoardWriter(
            account: account, session: session, now: now, context: context, writing: writing, ids: ids)
    }
}

/// Accounts in PostgreSQL as a reader sees them.
struct PostgresAccess: SQLAccess {
    let connection: PostgresConnection
    let context: BoardContext

    func board(of account: AccountKey) -> any BoardReader {
        PostgresBoard(account: account, connection: connection, context: context)
    }
}

/// Accounts in PostgreSQL inside a write transaction.
struct PostgresAccessWriter: SQLAccessWriter {
    typealias Database = PostgresConnection

    let writer: PostgresBoardWriter

    // Not that of a writer, which knows the accounts that it has locked.
    func board(of account: AccountKey) -> any BoardReader {
        PostgresBoard(account: account, connection: connection, context: writer.context)
    }

    /// Locks the account's row first, as each write of its board does: the one that holds the lock may remove the image.
    func hasImage(_ id: ID, of account: AccountKey) throws -> Bool {
        try connection.wait(for: account)
        return try writer.writer(for: account).image(id) != nil
    }
}
