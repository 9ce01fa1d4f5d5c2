import Foundation
import Testing

/// Nothing of another account can be reached, because no statement leaves out whose rows it means.
struct StatementTests {
    /// Statements about no account or about all, each with its reason.
    private static let exceptions = [
        // Its column is named `board`, because the rows outlive their accounts.
        "FROM unfinished_writes", "INTO unfinished_writes",
        // Found by what only its owner knows, or by what names exactly one account.
        "FROM sessions WHERE token_hash = ?1",
        "FROM tokens WHERE token_hash = ?1",
        "FROM accounts WHERE email_folded = ?1",
        "FROM codes WHERE digest = ?1",
        "FROM identities WHERE provider = ?1 AND subject = ?2", "FROM erasures WHERE provider = ?1 AND subject = ?2",
        "FROM invitations WHERE digest = ?1", "UPDATE invitations SET used_at = ?2 WHERE id = ?1",
        // The queue of mails is one for all accounts; its rows are named by their number.
        "FROM mails WHERE due_at <= ?1", "SELECT due_at FROM mails ORDER BY due_at LIMIT 1",
        "SELECT count(*) FROM mails",
        "FROM (SELECT 1 FROM mails LIMIT ?1)", "UPDATE mails SET due_at = ?2", "DELETE FROM mails WHERE number = ?1",
        // The same of the revocations, whose accounts are gone.
        "FROM revocations WHERE due_at <= ?1", "SELECT due_at FROM revocations ORDER BY due_at LIMIT 1",
        "SELECT count(*) FROM revocations", "INSERT INTO revocations", "UPDATE revocations SET due_at = ?2",
        "DELETE FROM revocations WHERE number",
        // The queue of notifications, and the secrets of the server.
        "FROM pushes WHERE due_at <= ?1", "SELECT due_at FROM pushes ORDER BY due_at LIMIT 1",
        "SELECT count(*) FROM pushes", "FROM devices WHERE wake_at <= ?1",
        "FROM reminder_schedules s JOIN accounts", "FROM settings s LEFT JOIN digests",
        "FROM server_keys WHERE name = ?1", "INSERT INTO server_keys",
        // Accounts whose time is over.
        "FROM erasures WHERE due_at <= ?1",
        // The operator's list.
        "FROM accounts WHERE number > ?1 ORDER BY number LIMIT ?2",
        // Their conditions begin with the account; see `TaskStatement`.
        "SELECT \\(columns) FROM tasks WHERE \\(conditions",
        "SELECT count(*) FROM \\(rows) WHERE \\(conditions",
        // When the file was last written, by any process.
        "SELECT max(written_at) FROM accounts",
        // Upkeep goes through all accounts in turn, and takes history and what was kept for repeated requests by age.
        "FROM accounts WHERE number > ?1 ORDER BY number LIMIT 1",
        "SELECT at, number FROM kept_answers ORDER BY number",
        "DELETE FROM kept_answers WHERE number <= ?1",
        "SELECT at, number FROM kept_mutations ORDER BY number",
        "DELETE FROM kept_mutations WHERE number <= ?1",
        "SELECT at, number FROM history ORDER BY number",
        "DELETE FROM history WHERE number <= ?1",
        "INSERT INTO used_id_tokens", "DELETE FROM used_id_tokens WHERE digest IN",
        "DELETE FROM codes WHERE digest IN", "DELETE FROM invitations WHERE id IN",
        "DELETE FROM account_events WHERE number IN",
        // Servers that share a database: their locks, leases, lanes and notifications, and the revisions of many accounts.
        "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM pg_advisory", "FROM pg_stat_activity",
        "SELECT pg_backend_pid()",
        "INSERT INTO leases", "FROM attempts WHERE kind = ?1", "INSERT INTO attempts", "SELECT pg_notify(",
        "FROM accounts WHERE number = ANY (?1",
        "INSERT INTO servers", "FROM servers WHERE", "INSERT INTO lanes", "FROM lanes WHERE",
        // A setting of the transaction.
        "SELECT set_config('synchronous_commit'",
        // `kanbase renew` begins a new history for every account.
        "WITH renewed AS ( UPDATE accounts SET epoch",
        // Of the table of a noun.
        "INSERT INTO \\(name) (account, ",
        // Bound where it is put together.
        "FROM (\\(rows))", "FROM \\($0.name) WHERE \\(condition)",
    ]

    @Test func `every statement is bound to an account`() throws {
        let statements = try Self.statements()
        try #require(statements.count > 60, "the statements are no longer found where this test looks for them")

        for (file, sql) in statements where !Self.isBound(sql) {
            #expect(Self.exceptions.contains { sql.contains($0) }, "\(file): \(sql)")
        }
    }

    @Test func `every exception is still needed`() throws {
        let statements = try Self.statements()

        for exception in Self.exceptions {
            #expect(statements.contains { $0.sql.contains(exception) }, "\(exception)")
        }
    }

    /// `account = ?1`, the row of the account itself, an insert that names it, or rows of pairs that each name it.
    private static func isBound(_ sql: String) -> Bool {
        sql.contains("account = ?1") || sql.contains(/AS needed \(account, .* WHERE \w+\.account = needed\.account/)
            || (sql.contains("accounts") && sql.contains("number = ?1"))
            || sql.contains(/INSERT (OR \w+ )?INTO \w+ \((\w+, )* ?account[,)]/)
            || sql.hasPrefix("INSERT INTO accounts ")
    }

    /// Every literal that is a statement on rows, on one line. Left out is what no request comes to: the making of the
    /// tables, and what is done to the file as a whole; and the client, whose file has one account.
    private static func statements() throws -> [(file: String, sql: String)] {
        let sources = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var statements: [(file: String, sql: String)] = []
        for case let file as URL in files
        where file.pathExtension == "swift" && !file.path.contains("/Sources/KanbanClient/")
            && ![
                "Schema1.swift", "Schema.swift", "Check.swift", "Backup.swift", "Restore.swift", "Seal.swift",
                "PostgresSchema1.swift", "PostgresSchema.swift", "PostgresCheck.swift", "Lineage.swift",
                "TableCopy.swift", "CopySide.swift",
            ]
            .contains(file.lastPathComponent)
        {
            let text = try String(contentsOf: file, encoding: .utf8)
            for literal in Self.literals(of: text) {
                let sql = literal.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                guard ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "].contains(where: sql.hasPrefix) else {
                    continue
                }
                statements.append((file.lastPathComponent, sql))
            }
        }
        return statements
    }

    private static func literals(of text: String) -> [String] {
        text.components(separatedBy: "\"\"\"").enumerated().flatMap { number, part in
            number.isMultiple(of: 2)
                ? part.split(separator: "\n").flatMap { line in
                    line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                        .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
                } : [part]
        }
    }
}
