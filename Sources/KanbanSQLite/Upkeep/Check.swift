import Kanban
import KanbanRows

/// Looks for damage: by SQLite's own check, and by rules that the rows of Kanbase keep.
enum Check {
    /// A sentence for each finding.
    static func findings(in connection: SQLiteConnection) throws -> [String] {
        let damage = try texts("PRAGMA integrity_check(100)", on: connection).filter { $0 != "ok" }
        // The other checks would only find consequences of this damage.
        guard damage.isEmpty else { return damage }
        var findings = try Seal.findings(in: connection)
        for rule in rules {
            findings += try texts(rule.query, on: connection).map { "\(rule.meaning): \($0)" }
        }
        for table in RowChecksum.tables { findings += try wrongChecksums(in: table, on: connection) }
        return findings
    }

    private static func wrongChecksums(
        in table: (name: String, columns: String), on connection: SQLiteConnection
    ) throws -> [String] {
        let statement = try SQLiteStatement(
            "SELECT checksum, account, \(table.columns) FROM \(table.name) WHERE checksum IS NOT NULL", on: connection)
        defer { statement.finalize() }
        var findings: [String] = []
        while findings.count < 100, try statement.step() {
            guard statement.integer() != RowChecksum(restOf: statement).value else { continue }
            findings.append("a row is not as it was written: one of \(table.name), account \(statement.integer())")
        }
        return findings
    }

    private struct Rule {
        let meaning: String
        /// Gives one text for each finding.
        let query: String
    }

    /// Each query covers all accounts.
    private static let rules = [
        Rule(
            meaning: "a row belongs to no account",
            query: Schema.tablesOfAccounts.map { table in
                """
                SELECT DISTINCT '\(table) of account ' || account FROM \(table) WHERE account IS NOT NULL
                    AND account NOT IN (SELECT number FROM accounts UNION ALL SELECT board FROM unfinished_writes)
                """
            }.joined(separator: " UNION ALL ") + " LIMIT 100"),
        Rule(
            meaning: "a count of tasks is wrong",
            query: """
                SELECT account || ' ' || hex(category_id) || ' ' || status || ': ' || sum(kept) || ' counted, '
                    || sum(real) || ' there'
                FROM (
                    SELECT account, category_id, status, count AS kept, 0 AS real FROM task_counts
                    UNION ALL SELECT number, x'', 0, todo_tasks, 0 FROM accounts
                    UNION ALL SELECT number, x'', 1, doing_tasks, 0 FROM accounts
                    UNION ALL SELECT number, x'', 2, done_tasks, 0 FROM accounts
                    UNION ALL
                    SELECT account, coalesce(category_id, x''), status, 0, 1 FROM tasks WHERE deleted_at IS NULL
                )
                GROUP BY account, category_id, status HAVING sum(kept) <> sum(real) LIMIT 100
                """),
        Rule(
            meaning: "what an account takes is counted wrong",
            query: """
                SELECT 'account ' || number || ': ' || used_bytes || ' bytes and ' || used_tasks || ' tasks counted, '
                    || coalesce(bytes, 0) || ' and ' || coalesce(tasks, 0) || ' there'
                FROM accounts LEFT JOIN (
                    SELECT account, sum(bytes) AS bytes, sum(tasks) AS tasks FROM (\(RowCost.rows())) GROUP BY account
                ) AS found ON found.account = number
                WHERE used_bytes <> coalesce(bytes, 0) OR used_tasks <> coalesce(tasks, 0) LIMIT 100
                """),
        Rule(
            meaning: "a revision stands twice",
            query: """
                SELECT 'account ' || account || ' revision ' || revision FROM (\(stamped))
                GROUP BY account, revision HAVING count(*) > 1 LIMIT 100
                """),
        Rule(
            meaning: "a revision is above its account's",
            query: """
                SELECT 'account ' || number || ' at ' || accounts.revision || ', found ' || max(stamped.revision)
                FROM accounts JOIN (\(stamped)) AS stamped ON stamped.account = accounts.number
                GROUP BY number HAVING max(stamped.revision) > accounts.revision LIMIT 100
                """),
        Rule(
            meaning: "a task stands at no place",
            query: """
                SELECT hex(id) FROM tasks
                WHERE position = '' OR length(position) > 64 OR position GLOB '*[^0-9A-Za-z]*' LIMIT 100
                """),
        Rule(
            meaning: "a day or an instant is none of the years 1 to 9999, or a revision is none",
            query: """
                SELECT what || ' ' || hex(id) FROM (
                    SELECT 'task' AS what, id FROM tasks
                    WHERE due_day NOT BETWEEN -719162 AND 2932896 OR revision NOT BETWEEN 1 AND 1 << 60
                        OR due NOT BETWEEN \(instants) OR completed_at NOT BETWEEN \(instants)
                        OR created_at NOT BETWEEN \(instants) OR updated_at NOT BETWEEN \(instants)
                        OR deleted_at NOT BETWEEN \(instants)
                    UNION ALL
                    SELECT 'D-day', id FROM ddays
                    WHERE date NOT BETWEEN -719162 AND 2932896 OR created_at NOT BETWEEN \(instants)
                        OR updated_at NOT BETWEEN \(instants) OR deleted_at NOT BETWEEN \(instants)
                    UNION ALL
                    SELECT 'category', id FROM categories
                    WHERE created_at NOT BETWEEN \(instants) OR updated_at NOT BETWEEN \(instants)
                        OR deleted_at NOT BETWEEN \(instants)
                    UNION ALL
                    SELECT 'account', id FROM accounts
                    WHERE revision NOT BETWEEN 0 AND 1 << 60 OR written_at NOT BETWEEN 0 AND 1 << 60
                        OR created_at NOT BETWEEN \(instants)
                ) LIMIT 100
                """),
        Rule(
            meaning: "a task is done without a time, or has one and is not",
            query: "SELECT hex(id) FROM tasks WHERE (status = 2) <> (completed_at IS NOT NULL) LIMIT 100"),
        Rule(
            meaning: "a task is in a category that does not exist",
            query: """
                SELECT hex(id) FROM tasks WHERE deleted_at IS NULL AND category_id IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM categories WHERE account = tasks.account AND id = tasks.category_id) LIMIT 100
                """),
        Rule(
            meaning: "an image that is shown does not exist",
            query: """
                SELECT what || ' ' || hex(id) FROM (
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
                SELECT hex(coalesce(images.id, image_contents.id)) FROM images
                FULL JOIN image_contents ON image_contents.account = images.account AND image_contents.id = images.id
                WHERE images.id IS NULL OR image_contents.id IS NULL OR bytes <> octet_length(content) LIMIT 100
                """),
        Rule(
            meaning: "an id is not 16 bytes",
            query: """
                SELECT what || ' ' || hex(id) FROM (
                    SELECT 'task' AS what, id FROM tasks UNION ALL SELECT 'category', id FROM categories
                    UNION ALL SELECT 'D-day', id FROM ddays UNION ALL SELECT 'account', id FROM accounts
                    UNION ALL SELECT 'image', id FROM images
                ) WHERE length(id) <> 16 LIMIT 100
                """),
        Rule(
            meaning: "an id was used again after it was deleted",
            query: """
                SELECT tombstones.type || ' ' || hex(tombstones.id) FROM tombstones
                WHERE EXISTS (
                    SELECT 1 FROM tasks
                    WHERE tombstones.type = 'task' AND account = tombstones.account AND id = tombstones.id)
                OR EXISTS (
                    SELECT 1 FROM images
                    WHERE tombstones.type = 'image' AND account = tombstones.account AND id = tombstones.id)
                LIMIT 100
                """),
    ]

    /// Milliseconds, as in `Timestamp.range`.
    private static let instants = "-62135596800000 AND 253402300799999"

    /// Every row with a revision of the feed.
    private static let stamped = """
        SELECT account, revision FROM tasks UNION ALL SELECT account, revision FROM categories
        UNION ALL SELECT account, revision FROM ddays UNION ALL SELECT account, revision FROM tombstones
        UNION ALL SELECT account, revision FROM settings UNION ALL SELECT account, revision FROM images
        """

    private static func texts(_ sql: String, on connection: SQLiteConnection) throws -> [String] {
        let statement = try SQLiteStatement(sql, on: connection)
        defer { statement.finalize() }
        return try statement.all { $0.text() }
    }
}

extension FileStore {
    /// Checks the data in a directory.
    /// - Returns: a sentence for each finding.
    ///
    /// - Parameter vacuum: also rewrites the file without gaps if there are no findings; only while no server runs.
    /// - Throws: ``StoreError`` when the data cannot be read: `newer`, `io`, `full`.
    package static func check(_ directory: String, vacuum: Bool = false) throws -> [String] {
        do {
            guard DurableFile.exists(dataFile(in: directory)) else {
                throw StoreError.io("there is no \(dataFile(in: directory))")
            }
            let connection = try SQLiteConnection(
                path: dataFile(in: directory), access: vacuum ? .readWrite : .readOnly)
            defer { connection.close() }
            guard try Schema.version(of: connection) > 0 else { return ["the file is empty"] }
            try Schema.verify(connection)
            // A server may be in the middle of a write, or was killed in it.
            if vacuum {
                try UnfinishedWrites.removeAll(on: connection)
            } else {
                try UnfinishedWrites.hide(on: connection)
            }
            let findings = try Check.findings(in: connection)
            if vacuum, findings.isEmpty { try connection.run("VACUUM") }
            return findings
        } catch {
            let error = SQLiteError.forCallers(error)
            // Damage is a finding, not an error.
            if case StoreError.corrupt(let finding) = error { return [finding] }
            throw error
        }
    }

    /// Checks a backup, and changes nothing in it.
    /// - Returns: a sentence for each finding.
    /// - Throws: ``StoreError`` when the file cannot be read: `newer`, `io`.
    package static func check(backup path: String) throws -> [String] {
        do {
            try withBackup(at: path) { _ in }
            return []
        } catch StoreError.corrupt(let finding) {
            return [finding]
        }
    }

    /// Opens a backup of this version, and changes nothing in it.
    /// - Throws: ``StoreError``.
    package static func withBackup<T>(at path: String, _ body: (SQLiteConnection) throws -> T) throws -> T {
        do {
            guard DurableFile.size(path + "-wal") == 0 else {
                throw StoreError.corrupt("\(path) has a log beside it, as the data of a server has; name its directory")
            }
            let connection = try SQLiteConnection(path: path, access: .readOnly)
            defer { connection.close() }
            guard try Schema.version(of: connection) == Schema.steps.count else {
                throw StoreError.corrupt("\(path) is empty or of an older version; restore it into a directory first")
            }
            try Schema.verify(connection)
            if let finding = try Check.findings(in: connection).first { throw StoreError.corrupt(finding) }
            return try body(connection)
        } catch {
            throw SQLiteError.forCallers(error)
        }
    }

    /// Opens the data of a directory while no server runs, migrates it and checks it.
    /// - Throws: ``StoreError``.
    package static func withFile<T>(of directory: String, _ body: (SQLiteConnection) throws -> T) throws -> T {
        do {
            let connection = try SQLiteConnection(path: dataFile(in: directory), access: .readWrite)
            defer { connection.close() }
            try Schema.verify(connection)
            try Schema.migrate(connection)
            try UnfinishedWrites.removeAll(on: connection)
            if let finding = try Check.findings(in: connection).first { throw StoreError.corrupt(finding) }
            return try body(connection)
        } catch {
            throw SQLiteError.forCallers(error)
        }
    }
}
