import Kanban
import KanbanRows

/// Codes of mails, by their digests.
extension SQLAccess {
    package func code(digest: [UInt8], _ kind: StoredCode.Kind) throws -> StoredCode? {
        let statement = try connection.statement(
            "SELECT account, address, caused_at, expires_at FROM codes WHERE digest = ?1 AND kind = ?2")
        statement.bind(1, digest)
        statement.bind(2, kind.rawValue)
        return try statement.first { row in
            StoredCode(
                kind: kind, account: AccountKey(number: row.integer()), address: EmailAddress(stored: row.text()),
                causedAt: row.timestamp(), expiresAt: row.timestamp())
        }
    }

    package func firstCause(
        of kind: StoredCode.Kind, sentTo address: EmailAddress, of account: AccountKey
    ) throws -> Timestamp? {
        let statement = try connection.statement(
            "SELECT caused_at FROM codes WHERE account = ?1 AND kind = ?2 AND address = ?3 ORDER BY caused_at LIMIT 1")
        statement.bind(1, account.number)
        statement.bind(2, kind.rawValue)
        statement.bind(3, address.text)
        return try statement.first { $0.timestamp() }
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

    package func removeLockCodes(
        of account: AccountKey, since cause: Timestamp, notSentTo address: EmailAddress
    ) throws {
        let codes = try connection.statement(
            "DELETE FROM codes WHERE account = ?1 AND kind = ?2 AND caused_at >= ?3 AND address <> ?4")
        codes.bind(1, account.number)
        codes.bind(2, StoredCode.Kind.accountLock.rawValue)
        codes.bind(3, cause)
        codes.bind(4, address.text)
        try codes.run()
        let mails = try connection.statement(
            "DELETE FROM mails WHERE account = ?1 AND created_at >= ?2 AND address <> ?3")
        mails.bind(1, account.number)
        mails.bind(2, cause)
        mails.bind(3, address.text)
        try mails.run()
    }
}
