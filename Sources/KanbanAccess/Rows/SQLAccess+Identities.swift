import Kanban
import KanbanRows

private enum IdentityRow {
    static let columns = "id, account, provider, subject, email, created_at, silenced_email"
    static let bySubject = ComposedSQL("SELECT \(columns) FROM identities WHERE provider = ?1 AND subject = ?2")
    static let ofAccount = ComposedSQL("SELECT \(columns) FROM identities WHERE account = ?1 ORDER BY created_at, id")
}

private enum InvitationRow {
    static let columns = "id, account, email, created_at, expires_at, used_at"
    static let byDigest = ComposedSQL("SELECT \(columns) FROM invitations WHERE digest = ?1 AND removed_at IS NULL")
    static let ofAccount = ComposedSQL(
        """
        SELECT \(columns) FROM invitations WHERE account = ?1 AND removed_at IS NULL ORDER BY created_at DESC, id DESC
        """)
}

/// Identities at sign-in providers, and invitations.
extension SQLAccess {
    package func identity(provider: String, subject: String) throws -> Identity? {
        let statement = try connection.statement(IdentityRow.bySubject)
        statement.bind(1, provider)
        statement.bind(2, subject)
        return try statement.first(readIdentity)
    }

    package func identities(of account: AccountKey) throws -> [Identity] {
        try connection.statement(IdentityRow.ofAccount).bound(to: account).all(readIdentity)
    }

    private func readIdentity(_ row: Database.Statement) throws -> Identity {
        Identity(
            id: try row.id(), account: AccountKey(number: row.integer()), provider: row.text(), subject: row.text(),
            email: row.optionalText(), createdAt: row.timestamp(),
            silencedEmail: row.optionalText().map(EmailAddress.init(stored:)))
    }

    package func invitation(digest: [UInt8]) throws -> Invitation? {
        try connection.statement(InvitationRow.byDigest).bound(to: digest).first(readInvitation)
    }

    package func invitations(of account: AccountKey) throws -> [Invitation] {
        try connection.statement(InvitationRow.ofAccount).bound(to: account).all(readInvitation)
    }

    package func invitationTime(of account: AccountKey, newest place: Int) throws -> Timestamp? {
        let statement = try connection.statement(
            "SELECT created_at FROM invitations WHERE account = ?1 ORDER BY created_at DESC LIMIT 1 OFFSET ?2")
        statement.bind(1, account.number)
        statement.bind(2, Int64(place - 1))
        return try statement.first { $0.timestamp() }
    }

    private func readInvitation(_ row: Database.Statement) throws -> Invitation {
        Invitation(
            id: try row.id(), maker: row.optionalInteger().map(AccountKey.init(number:)),
            email: row.optionalText().map(EmailAddress.init(stored:)), createdAt: row.timestamp(),
            expiresAt: row.timestamp(),
            usedAt: row.optionalTimestamp())
    }
}

extension SQLAccessWriter {
    package func useIDToken(_ digest: [UInt8], until end: Timestamp) throws -> Bool {
        let statement = try connection.statement(
            "INSERT INTO used_id_tokens (digest, expires_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
        statement.bind(1, digest)
        statement.bind(2, end)
        try statement.run()
        return connection.changes > 0
    }

    package func insert(_ identity: Identity) throws {
        let statement = try connection.statement(
            """
            INSERT INTO identities (id, account, provider, subject, email, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        statement.bind(1, identity.id)
        statement.bind(2, identity.account.number)
        statement.bind(3, identity.provider)
        statement.bind(4, identity.subject)
        statement.bind(5, identity.email)
        statement.bind(6, identity.createdAt)
        try statement.run()
        try removeErasure(of: identity.account)
    }

    package func setSilencedEmail(_ email: EmailAddress?, of identity: Identity) throws {
        let statement = try connection.statement(
            "UPDATE identities SET silenced_email = ?3 WHERE account = ?1 AND id = ?2")
        statement.bind(1, identity.account.number)
        statement.bind(2, identity.id)
        statement.bind(3, email?.text)
        try statement.run()
    }

    package func removeIdentity(_ id: ID, of account: AccountKey) throws -> Bool {
        try remove("DELETE FROM identities WHERE account = ?1 AND id = ?2", id, of: account)
    }

    package func insert(_ invitation: Invitation, digest: [UInt8]) throws {
        let statement = try connection.statement(
            """
            INSERT INTO invitations (id, digest, account, email, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        statement.bind(1, invitation.id)
        statement.bind(2, digest)
        statement.bind(3, invitation.maker?.number)
        statement.bind(4, invitation.email?.text)
        statement.bind(5, invitation.createdAt)
        statement.bind(6, invitation.expiresAt)
        try statement.run()
    }

    package func useInvitation(_ id: ID) throws {
        let statement = try connection.statement("UPDATE invitations SET used_at = ?2 WHERE id = ?1")
        statement.bind(1, id)
        statement.bind(2, now)
        try statement.run()
    }

    /// The row stays for a day: it counts for the limit of one.
    package func removeInvitation(_ id: ID, of account: AccountKey) throws -> Bool {
        let statement = try connection.statement(
            """
            UPDATE invitations SET removed_at = ?3, expires_at = CASE WHEN expires_at < ?3 THEN expires_at ELSE ?3 END
            WHERE id = ?2 AND account = ?1 AND removed_at IS NULL
            """)
        statement.bind(1, account.number)
        statement.bind(2, id)
        statement.bind(3, now)
        try statement.run()
        return connection.changes > 0
    }
}
