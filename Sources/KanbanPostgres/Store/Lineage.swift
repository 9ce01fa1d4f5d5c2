import Kanban
import KanbanRows

/// The history of a PostgreSQL server: which one, and how often it was continued from an older state. A new one may lack the
/// last commits of the old one, whose revisions clients have seen.
struct Lineage: Hashable {
    let text: String

    init(text: String) {
        self.text = text
    }

    init(of connection: PostgresConnection) throws {
        let text = try connection.text(
            """
            SELECT (SELECT system_identifier::text FROM pg_control_system())
                || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
            """)
        self.init(text: text ?? "")
    }
}
