import Kanban
import KanbanRows

private enum ErasureRow {
    static let columns = "account, due_at, provider, subject"
    static let ofAccount = ComposedSQL("SELECT \(columns) FROM erasures WHERE account = ?1")
    static let bySubject = ComposedSQL("SELECT \(columns) FROM erasures WHERE provider = ?1 AND subject = ?2")
    static let due = ComposedSQL("SELECT \(columns) FROM erasures WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2")
}

/// Accounts that nobody can log in to, until they are erased.
extension SQLAccess {
    package func erasure(of account: AccountKey) throws -> Erasure? {
        try connection.statement(ErasureRow.ofAccount).bound(to: account).first(readErasure)
    }

    package func erasure(provider: String, subject: String) throws -> Erasure? {
        let statement = try connection.statement(ErasureRow.bySubject)
        statement.bind(1, provider)
        statement.bind(2, subject)
        return try statement.first(readErasure)
    }

    package func erasures(dueAt now: Timestamp, limit: Int) throws -> [Erasure] {
        let statement = try connection.statement(ErasureRow.due)
        statement.bind(1, now)
        statement.bind(2, limit)
        return try statement.all(readErasure)
    }

    private func readErasure(_ row: Database.Statement) throws -> Erasure {
        Erasure(
            account: AccountKey(number: row.integer()), dueAt: row.timestamp(), provider: row.text(),
            subject: row.text())
    }
}

extension SQLAccessWriter {
    package func insert(_ erasure: Erasure) throws {
        let statement = try connection.statement(
            "INSERT INTO erasures (account, due_at, provider, subject) VALUES (?1, ?2, ?3, ?4)")
        statement.bind(1, erasure.account.number)
        statement.bind(2, erasure.dueAt)
        statement.bind(3, erasure.provider)
        statement.bind(4, erasure.subject)
        try statement.run()
    }

    /// The account has a way in again.
    func removeErasure(of account: AccountKey) throws {
        let statement = try connection.statement("DELETE FROM erasures WHERE account = ?1")
        statement.bind(1, account.number)
        try statement.run()
    }
}
