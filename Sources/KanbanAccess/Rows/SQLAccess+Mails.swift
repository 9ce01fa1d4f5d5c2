import Kanban
import KanbanRows

/// The queue of mails.
extension SQLAccess {
    package func mails(dueAt now: Timestamp, limit: Int) throws -> [MailJob] {
        let statement = try connection.statement(
            """
            SELECT number, kind, account, address, language, device, network, created_at, attempts FROM mails
            WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2
            """)
        statement.bind(1, now)
        statement.bind(2, limit)
        return try statement.all { row in
            let number = row.integer()
            guard let kind = MailJob.Kind(rawValue: row.text()) else {
                throw connection.damaged("a mail's kind")
            }
            return MailJob(
                number: number, kind: kind, account: row.optionalInteger().map(AccountKey.init(number:)),
                address: EmailAddress(stored: row.text()),
                language: row.optionalText().flatMap(Language.init(rawValue:)),
                device: row.optionalText(), network: row.optionalText(), createdAt: row.timestamp(),
                attempts: Int(row.integer()))
        }
    }

    package func nextMailDue() throws -> Timestamp? {
        try connection.statement("SELECT due_at FROM mails ORDER BY due_at LIMIT 1").first { $0.timestamp() }
    }

    package func mailCount() throws -> Int {
        try connection.statement("SELECT count(*) FROM mails").count()
    }

    package func locale(of account: AccountKey) throws -> String? {
        try connection.statement("SELECT locale FROM settings WHERE account = ?1").bound(to: account)
            .first { $0.optionalText() } ?? nil
    }
}

extension SQLAccessWriter {
    package func enqueue(_ mail: MailJob) throws -> Bool {
        let waiting = try connection.statement("SELECT count(*) FROM (SELECT 1 FROM mails LIMIT ?1) AS waiting")
        waiting.bind(1, mail.kind.most)
        guard try waiting.count() < mail.kind.most else { return false }
        let statement = try connection.statement(
            """
            INSERT INTO mails (kind, account, address, language, device, network, created_at, due_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        statement.bind(1, mail.kind.rawValue)
        statement.bind(2, mail.account?.number)
        statement.bind(3, mail.address.text)
        statement.bind(4, mail.language?.rawValue)
        statement.bind(5, mail.device)
        statement.bind(6, mail.network)
        statement.bind(7, mail.createdAt)
        statement.bind(8, mail.createdAt + mail.kind.delay)
        try statement.run()
        return true
    }

    package func postponeMail(_ mail: MailJob, until due: Timestamp) throws -> Bool {
        let statement = try connection.statement(
            "UPDATE mails SET due_at = ?2, attempts = attempts + 1 WHERE number = ?1 AND attempts = ?3")
        statement.bind(1, mail.number)
        statement.bind(2, due)
        statement.bind(3, mail.attempts)
        try statement.run()
        return connection.changes > 0
    }

    package func removeMail(_ number: Int64) throws {
        let statement = try connection.statement("DELETE FROM mails WHERE number = ?1")
        statement.bind(1, number)
        try statement.run()
    }
}
