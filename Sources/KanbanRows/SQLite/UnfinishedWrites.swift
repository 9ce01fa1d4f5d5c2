import Kanban

/// Writes of which a part is on disk and the rest is not, because they let others write in between; see
/// ``BoardWriter/pause()``. A row of its account in `unfinished_writes` stands for each.
///
/// The rows that such a write added have revisions above that of their account, which the last part alone raises. Nobody
/// sees them before: readers either are kept on connections that ``hide(on:)`` them, or began before the first part.
///
/// The erasure of a large board is one, too. Its first part removes the account, so that nobody can reach the rows that are left.
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

    /// The tables of which an erasure may leave rows, and what tells them apart. An image has a thousand pages, so those are first.
    private static let tablesOfErased: [(name: String, key: String)] = [
        ("image_contents", "id"), ("tasks", "id"), ("history", "number"), ("tombstones", "type, id"),
        ("kept_answers", "number"), ("kept_mutations", "number"), ("respacings", "status, revision, old_position"),
        ("categories", "id"), ("ddays", "id"), ("images", "id"),
    ]

    package static func isLeft(_ table: String) -> Bool { tablesOfErased.contains { $0.name == table } }

    /// The most rows of a table that one transaction removes.
    package static let removedAtOnce = 2_000

    /// The most bytes of an account that is erased at once.
    package static let mostErasedAtOnce: Int64 = 1 << 20

    /// Hides the rows of unfinished writes from every statement of this connection, which must not write.
    // Views of the temporary schema come before tables of their names, and may be used where those of a file may not.
    package static func hide(on connection: SQLiteConnection) throws {
        for table in tables {
            try connection.run(
                """
                CREATE TEMP VIEW \(table.name) AS SELECT * FROM main.\(table.name) AS changed WHERE NOT EXISTS (
                    SELECT 1 FROM main.unfinished_writes LEFT JOIN main.accounts ON number = board
                    WHERE board = changed.account AND coalesce(accounts.revision, -1) < \(table.revision))
                """ as String)
        }
    }

    /// An account may be erased in the middle of a write.
    package static func begin(of account: AccountKey, on connection: some Engine) throws {
        let statement = try connection.statement(
            "INSERT INTO unfinished_writes (board) VALUES (?1) ON CONFLICT DO NOTHING")
        statement.bind(1, account.number)
        try statement.run()
    }

    package static func end(of account: AccountKey, on connection: SQLiteConnection) throws {
        let statement = try connection.statement("DELETE FROM unfinished_writes WHERE board = ?1")
        statement.bind(1, account.number)
        try statement.run()
    }

    /// Removes what is on disk of the account's unfinished write, or is left of an erased account, inside a transaction.
    /// - Parameter limit: the most rows of a table.
    /// - Returns: false when there may be more.
    package static func remove(of account: AccountKey, atMost limit: Int, on connection: SQLiteConnection) throws
        -> Bool
    {
        let number = try connection.statement("SELECT number FROM accounts WHERE number = ?1")
        number.bind(1, account.number)
        let isErased = try number.first { $0.integer() } == nil
        let removals: [(name: String, key: String, condition: String)] =
            if isErased {
                tablesOfErased.map { ($0.name, $0.key, "") }
            } else {
                tables.map { ($0.name, "id", "AND \($0.revision) > (SELECT revision FROM accounts WHERE number = ?1)") }
            }
        for table in removals {
            let statement = try connection.statement(
                composed: """
                    DELETE FROM \(table.name) WHERE account = ?1 AND (\(table.key)) IN (
                        SELECT \(table.key) FROM \(table.name) AS changed WHERE account = ?1 \(table.condition) LIMIT ?2)
                    """)
            // The bytes of an image are many pages.
            let most = isErased && table.name == "image_contents" ? max(1, limit / 250) : limit
            statement.bind(1, account.number)
            statement.bind(2, most)
            try statement.run()
            if connection.changes == most { return false }
        }
        try end(of: account, on: connection)
        return true
    }

    /// An account of which an erasure has left rows.
    package static func erased(on connection: SQLiteConnection) throws -> AccountKey? {
        try connection.statement(
            "SELECT board FROM unfinished_writes WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE number = board) LIMIT 1"
        ).first { AccountKey(number: $0.integer()) }
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
