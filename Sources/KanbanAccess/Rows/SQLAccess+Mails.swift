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
        return try all(of: statement) { row in
            guard let kind = MailJob.Kind(rawValue: row.text(1)) else {
                throw connection.damaged("a mail's kind")
            }
            return MailJob(
                number: row.integer(0), kind: kind, account: row.optionalInteger(2).map(AccountKey.init(number:)),
                address: EmailAddress(stored: row.text(3)),
                language: row.optionalText(4).flatMap(Language.init(rawValue:)),
                device: row.optionalText(5), network: row.optionalText(6), createdAt: row.timestamp(7),
                attempts: Int(row.integer(8)))
        }
    }

    package func nextMailDue() throws -> Timestamp? {
        try first(of: connection.statement("SELECT due_at FROM mails ORDER BY due_at LIMIT 1")) { $0.timestamp(0) }
    }

    package func mailCount() throws -> Int {
        try first(of: connection.statement("SELECT count(*) FROM mails")) { Int($0.integer(0)) } ?? 0
    }

    package func locale(of account: AccountKey) throws -> String? {
        let statement = try connection.statement("SELECT locale FROM settings WHERE account = ?1")
        statement.bind(1, account.number)
        return try first(of: statement) { $0.optionalText(0) } ?? nil
    }
}

extension SQLAccessWriter {
    package func enqueue(_ mail: MailJob) throws -> Bool {
        let count = try connection.statement("SELECT count(*) FROM (SELECT 1 FROM mails LIMIT ?1) AS waiting")
        count.bind(1, MailJob.most)
        guard try first(of: count, { Int($0.integer(0)) }) ?? 0 < MailJob.most else { return false }
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
