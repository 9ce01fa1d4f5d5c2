import Kanban
import KanbanRows

/// When mails of what is due are queued.
extension SQLAccess {
    package func digests(
        dueAt now: Timestamp, after last: AccountKey?, limit: Int
    ) throws -> [(AccountKey, DigestSchedule?)] {
        let statement = try connection.statement(
            """
            SELECT s.account, d.account, d.revision, d.next_at, d.sent_on
            FROM settings s LEFT JOIN digests d ON d.account = s.account
            WHERE s.digest IS NOT NULL AND s.account > ?1
                AND (d.account IS NULL OR d.revision <> s.revision OR d.next_at <= ?2 OR d.next_at > ?4)
            ORDER BY s.account LIMIT ?3
            """)
        statement.bind(1, last?.number ?? 0)
        statement.bind(2, now)
        statement.bind(3, limit)
        // Later than any next day: it was planned before the clock was set back.
        statement.bind(4, now.adding(milliseconds: 2 * 86_400_000))
        return try statement.all { row in
            let account = AccountKey(number: row.integer())
            let isNew = row.isNull(at: row.column)
            let digest = readDigest(row)
            return (account, isNew ? nil : digest)
        }
    }

    package func digest(of account: AccountKey) throws -> DigestSchedule? {
        try connection.statement("SELECT account, revision, next_at, sent_on FROM digests WHERE account = ?1")
            .bound(to: account).first(readDigest)
    }

    private func readDigest(_ row: Database.Statement) -> DigestSchedule {
        DigestSchedule(
            account: AccountKey(number: row.integer()), revision: row.integer(), nextAt: row.timestamp(),
            sentOn: row.optionalInteger().map { Day(number: Int($0)) })
    }
}

extension SQLAccessWriter {
    package func save(_ digest: DigestSchedule) throws {
        let statement = try connection.statement(
            """
            INSERT INTO digests (account, revision, next_at, sent_on) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (account) DO UPDATE SET revision = excluded.revision, next_at = excluded.next_at,
                sent_on = excluded.sent_on
            """)
        statement.bind(1, digest.account.number)
        statement.bind(2, digest.revision)
        statement.bind(3, digest.nextAt)
        statement.bind(4, digest.sentOn.map { Int64($0.number) })
        try statement.run()
    }
}
