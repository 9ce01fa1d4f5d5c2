import Kanban

extension PostgresStore {
    /// Begins a new history of every board, under revisions that were never given out: for a database that was set back, so
    /// that clients pull once from the beginning instead of missing what comes under numbers they have seen. Works beside
    /// servers.
    /// - Returns: how many accounts.
    /// - Throws: ``PostgresSchema/Fault``, ``PostgresError``.
    package static func renew(_ target: String) throws -> Int64 {
        let connection = try PostgresConnection.ofCommand("renewal", to: target)
        try PostgresSchema.requireOwnTables(connection)
        let count = try connection.integer(
            """
            WITH renewed AS (
                UPDATE accounts SET epoch = \(newEpoch), revision = \(newRevision) RETURNING 1
            ) SELECT count(*) FROM renewed
            """)
        return count ?? 0
    }

    // What a new history has in its row of `accounts`.
    static let newEpoch =
        "(('x' || right(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint & 9223372036854775807)"
    static let newRevision = "greatest(revision + 1, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)"
}
