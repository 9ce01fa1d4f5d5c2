import Kanban
import KanbanRows

/// Checks that the rows keep the rules of Kanbase; see `Check`, which does it for a file.
enum PostgresCheck {
    /// A sentence for each finding, all of one snapshot.
    static func findings(in connection: PostgresConnection) throws -> [String] {
        try Readers.snapshot(on: connection) { try findings(on: $0) }
    }

    /// The same inside a transaction of the caller's.
    static func findings(on connection: PostgresConnection) throws -> [String] {
        var findings: [String] = []
        for rule in rules { findings += try connection.texts(rule.query).map { "\(rule.meaning): \($0)" } }
        for table in RowChecksum.tables { findings += try wrongChecksums(in: table, on: connection) }
        return findings
    }

    /// Account by account, so that no answer is larger than a board.
    private static func wrongChecksums(
        in table: (name: String, columns: String), on connection: PostgresConnection
    ) throws -> [String] {
        var findings: [String] = []
        let accounts = try connection.texts("SELECT number::text FROM accounts ORDER BY number")
        for account in accounts where findings.count < 100 {
            let rows = PostgresStatement(
                "SELECT checksum, account, \(table.columns) FROM \(table.name) WHERE account = \(account) "
                    + "AND checksum IS NOT NULL", on: connection)
            while findings.count < 100, try rows.step(prepared: false) {
                guard rows.integer() != RowChecksum(restOf: rows, isInteger: rows.isInteger).value else { continue }
                findings.append("a row is not as it was written: one of \(table.name), account \(account)")
            }
        }
        return findings
    }

    private struct Rule {
        let meaning: String
        /// One text a finding.
        let query: String
    }

    private static let rules = [
        Rule(
            meaning: "a row belongs to no account",
            query: Schema.tablesOfAccounts.map { table in
                """
                SELECT '\(table), account ' || account FROM \(table)
                WHERE account IS NOT NULL AND NOT EXISTS (SELECT 1 FROM accounts WHERE number = account)
                """
            }.joined(separator: " UNION ALL ") + " LIMIT 100"),
        Rule(
            meaning: "a count of tasks is wrong",
            query: """
                SELECT account || ' ' || encode(category_id, 'hex') || ' ' || status || ': ' || sum(kept) || ' counted, '
                    || sum(there) || ' there'
                FROM (
                    SELECT account, category_id, status, count AS kept, 0 AS there FROM task_counts
                    UNION ALL
                    SELECT account, coalesce(uuid_send(category_id), ''::bytea), status, 0, 1 FROM tasks
                    WHERE deleted_at IS NULL
                ) AS counts
                GROUP BY account, category_id, status HAVING sum(kept) <> sum(there) LIMIT 100
                """),
        Rule(
            meaning: "what an account takes is counted wrong",
            query: """
                SELECT 'account ' || number || ': ' || used_bytes || ' bytes and ' || used_tasks || ' tasks counted, '
                    || coalesce(bytes, 0) || ' and ' || coalesce(tasks, 0) || ' there'
                FROM accounts LEFT JOIN (
                    SELECT account, sum(bytes) AS bytes, sum(tasks) AS tasks FROM (\(RowCost.rows())) AS rows
                    GROUP BY account
                ) AS found ON found.account = number
                WHERE used_bytes <> coalesce(bytes, 0) OR used_tasks <> coalesce(tasks, 0) LIMIT 100
                """),
        Rule(
            meaning: "a revision stands twice",
            query: """
                SELECT 'account ' || account || ' revision ' || revision FROM (\(stamped)) AS stamped
                GROUP BY account, revision HAVING count(*) > 1 LIMIT 100
                """),
        Rule(
            meaning: "a revision is above its account's",
            query: """
                SELECT 'account ' || number || ' at ' || accounts.revision || ', found ' || max(stamped.revision)
                FROM accounts JOIN (\(stamped)) AS stamped ON stamped.account = accounts.number
                GROUP BY number, accounts.revision HAVING max(stamped.revision) > accounts.revision LIMIT 100
                """),
        Rule(
            meaning: "a task stands at no place",
            query: """
                SELECT id::text FROM tasks
                WHERE position = '' OR length(position) > 64 OR position ~ '[^0-9A-Za-z]' LIMIT 100
                """),
        Rule(
            meaning: "a task is done without a time, or has one and is not",
            query: "SELECT id::text FROM tasks WHERE (status = 2) <> (completed_at IS NOT NULL) LIMIT 100"),
        Rule(
            meaning: "a task is in a category that does not exist",
            query: """
                SELECT id::text FROM tasks WHERE deleted_at IS NULL AND category_id IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM categories WHERE account = tasks.account AND id = tasks.category_id) LIMIT 100
                """),
        Rule(
            meaning: "an image that is shown does not exist",
            query: """
                SELECT what || ' ' || id FROM (
                    SELECT 'category' AS what, id, account, image FROM categories WHERE deleted_at IS NULL
                    UNION ALL SELECT 'D-day', id, account, image FROM ddays WHERE deleted_at IS NULL
                    UNION ALL SELECT 'account', id, number, image FROM accounts
                ) AS named
                WHERE image IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM images WHERE account = named.account AND id = named.image) LIMIT 100
                """),
        Rule(
            meaning: "an image has no bytes, others than it says, or bytes belong to none",
            query: """
                SELECT coalesce(images.id, image_contents.id)::text FROM images
                FULL JOIN image_contents ON image_contents.account = images.account AND image_contents.id = images.id
                WHERE images.id IS NULL OR image_contents.id IS NULL OR bytes <> octet_length(content) LIMIT 100
                """),
        Rule(
            meaning: "an id was used again after it was deleted",
            query: """
                SELECT tombstones.type || ' ' || tombstones.id FROM tombstones
                WHERE tombstones.type = 'task' AND EXISTS (
                    SELECT 1 FROM tasks WHERE account = tombstones.account AND id = tombstones.id) LIMIT 100
                """),
    ]

    /// Every row with a revision of the feed.
    private static let stamped = """
        SELECT account, revision FROM tasks UNION ALL SELECT account, revision FROM categories
        UNION ALL SELECT account, revision FROM ddays UNION ALL SELECT account, revision FROM tombstones
        UNION ALL SELECT account, revision FROM settings UNION ALL SELECT account, revision FROM images
        """
}

extension PostgresStore {
    /// A sentence for each finding in the data.
    /// - Throws: ``PostgresSchema/Fault``, ``PostgresError``.
    package static func check(_ target: String) throws -> [String] {
        let connection = try PostgresConnection.ofCommand("check", to: target)
        try PostgresSchema.requireOwnTables(connection)
        return try PostgresCheck.findings(in: connection)
    }
}
