import Kanban
import KanbanRows

/// Codes of mails, by their digests.
extension SQLAccess {
    package func code(digest: [UInt8], _ kind: StoredCode.Kind) throws -> StoredCode? {
        let statement = try connection.statement(
            "SELECT account, address, caused_at, expires_at FROM codes WHERE digest = ?1 AND kind = ?2")
        statement.bind(1, digest)
        statement.bind(2, kind.rawValue)
        return try first(of: statement) { row in
            StoredCode(
                kind: kind, account: AccountKey(number: row.integer(0)), address: EmailAddress(stored: row.text(1)),
                causedAt: row.timestamp(2), expiresAt: row.timestamp(3))
        }
    }
}

extension SQLAccessWriter {
    package func insert(_ code: StoredCode, digest: [UInt8]) throws {
        let statement = try connection.statement(
            """
            INSERT INTO codes (digest, account, kind, address, caused_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        statement.bind(1, digest)
        statement.bind(2, code.account.number)
        statement.bind(3, code.kind.rawValue)
        statement.bind(4, code.address.text)
        statement.bind(5, code.causedAt)
        statement.bind(6, code.expiresAt)
        try statement.run()
    }

    package func removeCode(digest: [UInt8]) throws {
        let statement = try connection.statement("DELETE FROM codes WHERE digest = ?1")
        statement.bind(1, digest)
        try statement.run()
    }

    package func removeCodes(_ kind: StoredCode.Kind, of account: AccountKey) throws {
        let statement = try connection.statement("DELETE FROM codes WHERE account = ?1 AND kind = ?2")
        statement.bind(1, account.number)
        statement.bind(2, kind.rawValue)
        try statement.run()
    }
}
