import Kanban

/// Writes of which a part is on disk and the rest is not, because they let others write in between; see
/// ``BoardWriter/pause()``. A row of its account in `unfinished_writes` stands for each.
///
/// The rows that such a write added have revisions above that of their account, which the last part alone raises. Nobody
/// sees them before: readers either are kept on connections that ``hide(on:)`` them, or began before the first part.
package enum UnfinishedWrites {
    /// The tables to which a part may add rows, each with ids, and what a row's revision is. Any other change ends the
    /// division; see ``WriteSession/hasOnlyAdded(since:)``. The bytes of an image come before it: they have its revision.
    private static let tables: [(name: String, revision: String)] = [
        ("tasks", "changed.revision"), ("categories", "changed.revision"), ("ddays", "changed.revision"),
        (
            "image_contents",
            "(SELECT revision FROM main.images WHERE images.account = changed.account AND images.id = changed.id)"
        ),
        ("images", "changed.revision"),
    ]

    /// Hides the rows of unfinished writes from every statement of this connection, which must not write.
    // Views of the temporary schema come before tables of their names, and may be used where those of a file may not.
    package static func hide(on connection: SQLiteConnection) throws {
        for table in tables {
            try connection.run(
                """
                CREATE TEMP VIEW \(table.name) AS SELECT * FROM main.\(table.name) AS changed WHERE NOT EXISTS (
                    SELECT 1 FROM main.unfinished_writes JOIN main.accounts ON number = board
                    WHERE board = changed.account AND accounts.revision < \(table.revision))
                """ as String)
        }
    }

    package static func begin(of account: AccountKey, on connection: SQLiteConnection) throws {
        let statement = try connection.statement("INSERT INTO unfinished_writes (board) VALUES (?1)")
        statement.bind(1, account.number)
        try statement.run()
    }

    package static func end(of account: AccountKey, on connection: SQLiteConnection) throws {
        let statement = try connection.statement("DELETE FROM unfinished_writes WHERE board = ?1")
        statement.bind(1, account.number)
        try statement.run()
    }

    /// Removes what is on disk of the account's unfinished write, inside a transaction.
    /// - Parameter limit: the most rows of a table.
    /// - Returns: false when there may be more.
    package static func remove(of account: AccountKey, atMost limit: Int, on connection: SQLiteConnection) throws
        -> Bool
    {
        for table in tables {
            let statement = try connection.statement(
                composed: """
                    DELETE FROM \(table.name) WHERE account = ?1 AND id IN (
                        SELECT id FROM \(table.name) AS changed WHERE account = ?1
                            AND \(table.revision) > (SELECT revision FROM accounts WHERE number = ?1) LIMIT ?2)
                    """)
            statement.bind(1, account.number)
            statement.bind(2, limit)
            try statement.run()
            if connection.changes == limit { return false }
        }
        try end(of: account, on: connection)
        return true
    }

    /// Removes all of them. Only for the one process that may write boards: another one may be in the middle of its write.
    package static func removeAll(on connection: SQLiteConnection) throws {
        let accounts = try connection.statement("SELECT board FROM unfinished_writes").all {
            AccountKey(number: $0.integer())
        }
        guard !accounts.isEmpty else { return }
        try connection.begin()
        for account in accounts { _ = try remove(of: account, atMost: .max, on: connection) }
        try connection.commit()
    }
}
