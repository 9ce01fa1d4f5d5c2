import Kanban
import KanbanRows
import Locks

/// The history of a PostgreSQL server: which one, and how often it was continued from an older state. A new one may lack the
/// last commits of the old one, whose revisions clients have seen.
struct Lineage: Hashable {
    let text: String

    init(text: String) {
        self.text = text
    }

    init(of connection: PostgresConnection) throws {
        self.init(text: try connection.text(Self.question) ?? "")
    }

    /// `nil` where the role may not ask.
    static func ifTold(by connection: PostgresConnection) throws -> Lineage? {
        do {
            let lineage = try Lineage(of: connection)
            return lineage.text.isEmpty ? nil : lineage
        } catch let error as PostgresError where !error.endsConnection && error.statement == question {
            try connection.recover()
            return nil
        }
    }

    private static let question = """
        SELECT (SELECT system_identifier::text FROM pg_control_system())
            || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        """
}

/// The newest history of each PostgreSQL server that this process has seen. A primary that was replaced by its standby and comes
/// back still takes writes: nobody would find them at the new one, nor those of the new one here.
final class SeenLineages: Sendable {
    private let newest = Locked<[Substring: UInt32]>([:])

    /// - Throws: ``PostgresError``, which ends the connection, for an older history than one seen before.
    func note(_ lineage: Lineage) throws {
        let parts = lineage.text.split(separator: "/")
        guard parts.count == 2, let timeline = UInt32(parts[1], radix: 16) else { return }
        let seen = newest.withLock { newest in
            let seen = max(newest[parts[0]] ?? 0, timeline)
            newest[parts[0]] = seen
            return seen
        }
        guard timeline < seen else { return }
        throw PostgresError(
            state: PostgresError.replaced,
            message:
                "a primary that was replaced has come back: its timeline is \(timeline), that of the new one \(seen)")
    }
}
