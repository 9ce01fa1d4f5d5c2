import Kanban
import KanbanRows

/// The rows of accounts, locked until the end of the transaction, so that nobody else writes their boards.
struct LockedAccounts {
    /// A row under its lock.
    struct Row {
        let account: AccountKey
        let feed: FeedState
        let usage: Usage
        let limits: OwnLimits
        let writtenAt: Timestamp
        /// The time of the database.
        let time: Timestamp
        let lineage: String?
        let endings: Int64
    }

    private let statement: PostgresStatement

    /// Sends the statement. The locks of several accounts are taken as far as they are free; a single one is waited for.
    init(of accounts: [AccountKey], on connection: PostgresConnection) throws {
        if accounts.count == 1 {
            statement = try connection.statement(
                """
                SELECT number, epoch, revision, purged_through, used_bytes, used_tasks, bytes_limit, tasks_limit, written_at,
                    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, lineage, endings
                FROM accounts WHERE number = ?1 FOR NO KEY UPDATE
                """)
            statement.bind(1, accounts[0].number)
        } else {
            statement = try connection.statement(
                """
                SELECT number, epoch, revision, purged_through, used_bytes, used_tasks, bytes_limit, tasks_limit, written_at,
                    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, lineage, endings
                FROM accounts WHERE number = ANY (?1::text::bigint[]) ORDER BY number FOR NO KEY UPDATE SKIP LOCKED
                """)
            statement.bind(1, "{" + accounts.map { "\($0.number)" }.joined(separator: ",") + "}")
        }
        try statement.sendAhead()
    }

    func reset() {
        statement.reset()
    }

    /// Waits for the rows.
    func rows() throws -> [Row] {
        try statement.all { row in
            Row(
                account: AccountKey(number: row.integer()),
                feed: FeedState(
                    epoch: UInt64(bitPattern: row.integer()), revision: row.integer(), purgedThrough: row.integer()),
                usage: Usage(bytes: row.integer(), tasks: row.integer()),
                limits: OwnLimits(bytes: row.optionalInteger(), tasks: row.optionalInteger()),
                writtenAt: row.timestamp(), time: row.timestamp(), lineage: row.optionalText(), endings: row.integer())
        }
    }
}
