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
        defer { reset() }
        var rows: [Row] = []
        while try statement.step() {
            rows.append(
                Row(
                    account: AccountKey(number: statement.integer(0)),
                    feed: FeedState(
                        epoch: UInt64(bitPattern: statement.integer(1)), revision: statement.integer(2),
                        purgedThrough: statement.integer(3)),
                    usage: Usage(bytes: statement.integer(4), tasks: statement.integer(5)),
                    limits: OwnLimits(bytes: statement.optionalInteger(6), tasks: statement.optionalInteger(7)),
                    writtenAt: statement.timestamp(8), time: statement.timestamp(9),
                    lineage: statement.optionalText(10),
                    endings: statement.integer(11)))
        }
        return rows
    }
}
