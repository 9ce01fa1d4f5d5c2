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
