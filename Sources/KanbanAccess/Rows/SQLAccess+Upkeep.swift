import Kanban
import KanbanRows

extension SQLBoard {
    package func hasExpiredSessions() throws -> Bool {
        let statement = try statement("SELECT 1 FROM sessions WHERE account = ?1 AND expires_at < ?2 LIMIT 1")
        statement.bind(2, context.clock())
        return try statement.exists()
    }
}

extension SQLBoardWriter {
    /// The clock's time, by which sessions and codes end. That of the board may be ahead, after a clock was set back.
    private var present: Timestamp { min(now, context.clock()) }

    package func purgeSessions(limit: Int) throws -> Int {
        let statement = try statement(
            """
            DELETE FROM sessions WHERE id IN (
                SELECT id FROM sessions WHERE account = ?1 AND expires_at < ?2 LIMIT ?3)
            """)
        statement.bind(2, present)
        statement.bind(3, limit)
        try statement.run()
        return connection.changes
    }

    /// Purges expired codes, used tokens of providers, invitations and revocations, and events older than a year, of all
    /// accounts.
    /// - Returns: at least `limit` when there may be more.
    package func purgeAccess(limit: Int) throws -> Int {
        let now = present
        let codes = try connection.statement(
            "DELETE FROM codes WHERE digest IN (SELECT digest FROM codes WHERE expires_at < ?1 LIMIT ?2)")
        codes.bind(1, now)
        codes.bind(2, limit)
        try codes.run()
        var most = connection.changes
        let tokens = try connection.statement(
            """
            DELETE FROM used_id_tokens WHERE digest IN (
                SELECT digest FROM used_id_tokens WHERE expires_at < ?1 LIMIT ?2)
            """)
        tokens.bind(1, now)
        tokens.bind(2, limit)
        try tokens.run()
        most = max(most, connection.changes)
        // A day later, because until then they count for the limit of a day.
        let invitations = try connection.statement(
            "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at < ?1 LIMIT ?2)")
        invitations.bind(1, now.adding(milliseconds: -86_400_000))
        invitations.bind(2, limit)
        try invitations.run()
        most = max(most, connection.changes)
        // The queue deletes them itself; not those of a server that was started without Apple's key again.
        let revocations = try connection.statement(
            """
            DELETE FROM revocations WHERE number IN (
                SELECT number FROM (SELECT number, created_at FROM revocations ORDER BY number LIMIT ?2) AS oldest
                WHERE created_at < ?1)
            """)
        revocations.bind(1, now.adding(milliseconds: -Retry.lifetime.components.seconds * 1000))
        revocations.bind(2, limit)
        try revocations.run()
        most = max(most, connection.changes)
        // Numbers grow with time, so the oldest come first.
        let events = try connection.statement(
            """
            DELETE FROM account_events WHERE number IN (
                SELECT number FROM (SELECT number, at FROM account_events ORDER BY number LIMIT ?2) AS oldest WHERE at < ?1)
            """)
        events.bind(1, now.adding(milliseconds: -AccountEvent.lifetime.components.seconds * 1000))
        events.bind(2, limit)
        try events.run()
        return max(most, connection.changes)
    }
}
