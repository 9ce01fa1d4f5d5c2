import Kanban
import KanbanRows

extension SQLBoard {
    package func hasExpiredSessions() throws -> Bool {
        let statement = try statement("SELECT 1 FROM sessions WHERE account = ?1 AND expires_at < ?2 LIMIT 1")
        statement.bind(2, context.clock())
        return try exists(statement)
    }
}

extension SQLBoardWriter {
    package func purgeSessions(limit: Int) throws -> Int {
        let statement = try statement(
            """
            DELETE FROM sessions WHERE id IN (
                SELECT id FROM sessions WHERE account = ?1 AND expires_at < ?2 LIMIT ?3)
            """)
        statement.bind(2, now)
        statement.bind(3, limit)
        try statement.run()
        return connection.changes
    }
}

extension SQLBoardWriter {
    /// Purges expired codes and invitations, and events older than a year, of all accounts.
    /// - Returns: at least `limit` when there may be more.
    package func purgeAccess(limit: Int) throws -> Int {
        let codes = try connection.statement(
            "DELETE FROM codes WHERE digest IN (SELECT digest FROM codes WHERE expires_at < ?1 LIMIT ?2)")
        codes.bind(1, now)
        codes.bind(2, limit)
        try codes.run()
        var most = connection.changes
        // A day later, because until then they count for the limit of a day.
        let invitations = try connection.statement(
            "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at < ?1 LIMIT ?2)")
        invitations.bind(1, now.adding(milliseconds: -86_400_000))
        invitations.bind(2, limit)
        try invitations.run()
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
