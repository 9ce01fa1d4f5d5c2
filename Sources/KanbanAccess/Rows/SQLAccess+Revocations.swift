import Kanban
import KanbanRows

/// The queue of revocations.
extension SQLAccess {
    package func revocations(dueAt now: Timestamp, limit: Int) throws -> [Revocation] {
        let statement = try connection.statement(
            """
            SELECT number, provider, client_id, token_kind, token, created_at, attempts FROM revocations
            WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2
            """)
        statement.bind(1, now)
        statement.bind(2, limit)
        return try statement.all { row in
            let number = row.integer()
            let client = AppleService.Client(provider: row.text(), id: row.text())
            guard let kind = AppleToken.Kind(rawValue: row.text()) else {
                throw connection.damaged("the kind of a token to revoke")
            }
            return Revocation(
                number: number, token: AppleToken(client: client, kind: kind, text: row.text()),
                createdAt: row.timestamp(), attempts: Int(row.integer()))
        }
    }

    package func nextRevocationDue() throws -> Timestamp? {
        try connection.statement("SELECT due_at FROM revocations ORDER BY due_at LIMIT 1").first {
            $0.timestamp()
        }
    }

    package func revocationCount() throws -> Int {
        try connection.statement("SELECT count(*) FROM revocations").count()
    }
}

extension SQLAccessWriter {
    package func enqueue(_ revocation: Revocation) throws {
        let statement = try connection.statement(
            """
            INSERT INTO revocations (provider, client_id, token_kind, token, created_at, due_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?5)
            """)
        statement.bind(1, revocation.token.client.provider)
        statement.bind(2, revocation.token.client.id)
        statement.bind(3, revocation.token.kind.rawValue)
        statement.bind(4, revocation.token.text)
        statement.bind(5, revocation.createdAt)
        try statement.run()
    }

    package func postponeRevocation(_ revocation: Revocation, until due: Timestamp) throws -> Bool {
        let statement = try connection.statement(
            "UPDATE revocations SET due_at = ?2, attempts = attempts + 1 WHERE number = ?1 AND attempts = ?3")
        statement.bind(1, revocation.number)
        statement.bind(2, due)
        statement.bind(3, revocation.attempts)
        try statement.run()
        return connection.changes > 0
    }

    package func removeRevocation(_ number: Int64) throws {
        let statement = try connection.statement("DELETE FROM revocations WHERE number = ?1")
        statement.bind(1, number)
        try statement.run()
    }
}
