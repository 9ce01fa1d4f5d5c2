import Kanban
import KanbanAccess
import KanbanRows

extension PostgresStore: AttemptLedger {
    package func attempt(
        _ kind: String, _ keys: [[UInt8]], most: Int, within window: Duration, counts: Bool
    ) async throws -> Duration? {
        try await performAccess { writer in
            try PostgresAccessWriter(writer: writer).attempt(kind, keys, most: most, within: window, counts: counts)
        }
    }
}

extension PostgresAccessWriter: AttemptWriter {
    func attempt(
        _ kind: String, _ keys: [[UInt8]], most: Int, within window: Duration, counts: Bool
    ) throws -> Duration? {
        let start = writer.now.adding(milliseconds: -Int64(window / .milliseconds(1)))
        var wait: Duration?
        for key in keys {
            let last = try writer.connection.statement(
                "SELECT at FROM attempts WHERE kind = ?1 AND key = ?2 AND at > ?3 ORDER BY at DESC LIMIT ?4")
            last.bind(1, kind)
            last.bind(2, key)
            last.bind(3, start)
            last.bind(4, most)
            let times = try last.all { $0.timestamp() }
            if times.count >= most, let oldest = times.last {
                wait = max(wait ?? .zero, .milliseconds(oldest.milliseconds - start.milliseconds))
            }
        }
        guard wait == nil, counts else { return wait }
        let expired = try writer.connection.statement("DELETE FROM attempts WHERE kind = ?1 AND at <= ?2")
        expired.bind(1, kind)
        expired.bind(2, start)
        try expired.run()
        for key in keys {
            let attempt = try writer.connection.statement("INSERT INTO attempts (kind, key, at) VALUES (?1, ?2, ?3)")
            attempt.bind(1, kind)
            attempt.bind(2, key)
            attempt.bind(3, writer.now)
            try attempt.run()
        }
        return nil
    }
}
