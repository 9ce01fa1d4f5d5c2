import Kanban
import KanbanRows

/// Numbers the commits of a lane in a row of its own, to find the outcome of a commit whose answer was lost.
///
/// Each transaction writes its own number, so the number exists exactly when the other writes do: after a crash, and after a
/// failover that lost commits. Two rules make the answer certain. A transaction first takes the lock of its account, and
/// the outcome is read under the same lock: by then the transaction in doubt has ended. And a lane writes no
/// later number before it knows the outcome, though it may have begun the next transaction.
///
/// PostgreSQL's own transaction numbers are not enough: after a crash or a failover, the numbers of lost transactions are
/// used again, and `pg_xact_status` then reports another transaction.
struct CommitMarks {
    struct Mark: Hashable {
        fileprivate var number: Int64
    }

    let lane: ID
    private var last: Int64 = 0

    init(lane: ID) {
        self.lane = lane
    }

    /// Sends the next number without waiting for the result.
    mutating func writeNext(at now: Timestamp, on connection: PostgresConnection) throws -> Mark {
        last += 1
        let statement = try connection.statement(
            """
            INSERT INTO lanes (id, number, at) VALUES (?1, ?2, ?3)
            ON CONFLICT (id) DO UPDATE SET number = excluded.number, at = excluded.at
            """)
        statement.bind(1, lane)
        statement.bind(2, last)
        statement.bind(3, now)
        try statement.run()
        return Mark(number: last)
    }

    /// True if the transaction of the mark was committed. It must be over, and the statement must see what is committed now.
    func isWritten(_ mark: Mark, on connection: PostgresConnection) throws -> Bool {
        let statement = try connection.statement("SELECT number FROM lanes WHERE id = ?1")
        statement.bind(1, lane)
        return try statement.first { $0.integer() } == mark.number
    }
}
