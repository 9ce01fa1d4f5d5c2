import Kanban
import KanbanRows

/// The commits of a lane, numbered in a row of its own, by which it learns the outcome of one whose answer did not come.
///
/// The number is written in the transaction that it stands for, so it is there exactly when the rest is: after a crash, and
/// after a failover that lost commits. Two rules make the answer certain. A transaction takes the lock of its account before
/// all else, and the outcome is asked under the same lock: then the transaction in doubt is over. And a lane has one
/// transaction at a time, so that nobody wrote a later number.
///
/// The number of a transaction of PostgreSQL cannot tell as much: after a crash, and after a failover, those of lost
/// transactions are given out again, and `pg_xact_status` then tells of somebody else's.
struct CommitMarks {
    struct Mark: Hashable {
        fileprivate var number: Int64
    }

    let lane: ID
    private var last: Int64 = 0

    init(lane: ID) {
        self.lane = lane
    }

    /// Writes the next number down, and does not wait.
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

    /// Whether the transaction of the mark was committed. It must be over, and the statement must see what is committed now.
    func isWritten(_ mark: Mark, on connection: PostgresConnection) throws -> Bool {
        let statement = try connection.statement("SELECT number FROM lanes WHERE id = ?1")
        statement.bind(1, lane)
        defer { statement.reset() }
        return try statement.step() && statement.integer(0) == mark.number
    }
}
