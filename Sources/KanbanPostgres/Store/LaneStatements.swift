import Kanban
import KanbanRows

/// Statements of a transaction that are about locks and accounts, not about a board.
extension PostgresConnection {
    /// Takes the one lock for writes of accounts, which all servers share.
    /// - Returns: the time of the database.
    func lockAccess() throws -> Timestamp {
        let statement = try statement(
            composed: """
                SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
                FROM pg_advisory_xact_lock(\(AdvisoryLock.access), \(AdvisoryLock.scope))
                """)
        guard let time = try statement.first({ $0.timestamp() }) else { throw StoreError.away("no lock was given") }
        return time
    }

    /// Locks the account's row alone; without a row there is nothing to wait for.
    func wait(for account: AccountKey) throws {
        let statement = try statement("SELECT 1 FROM accounts WHERE number = ?1 FOR NO KEY UPDATE")
        statement.bind(1, account.number)
        _ = try statement.exists()
    }

    func noteEnding(of account: AccountKey) throws {
        let statement = try statement("UPDATE accounts SET endings = endings + 1 WHERE number = ?1")
        statement.bind(1, account.number)
        try statement.run()
    }

    func setLineage(_ lineage: Lineage, of account: AccountKey) throws {
        let statement = try statement("UPDATE accounts SET lineage = ?2 WHERE number = ?1")
        statement.bind(1, account.number)
        statement.bind(2, lineage.text)
        try statement.run()
    }

    /// Ends the sessions of lanes that are idle in the middle of a transaction and hold its locks. PostgreSQL's own limits do not
    /// apply to them, because its clock runs only between a Sync and the next statement. If the server of such a session is
    /// still alive, it runs the transaction again. Under a name of the operator's, who may have sessions of that name, it ends none.
    /// - Returns: how many they were.
    func endHungSessions() throws -> Int64 {
        let statement = try statement(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND usename = current_user AND wait_event = 'ClientRead'
                AND application_name = current_setting('application_name') AND application_name LIKE 'kanbase %'
                AND xact_start IS NOT NULL
                AND state_change < clock_timestamp() - interval '2 seconds'
            """)
        return try statement.first { $0.integer() } ?? 0
    }
}
