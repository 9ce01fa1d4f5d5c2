import Kanban
import KanbanRows
import Locks

/// The servers that share the database: each writes down that it lives, and learns how many do.
final class ServerRegistry: Sendable {
    /// Milliseconds without an entry after which a server does not count any more.
    private static let timeout = 15_000
    /// After as many milliseconds its row goes, too.
    private static let memory = 86_400_000

    private struct State {
        var next = ContinuousClock.now
        var count = 1
    }

    private let server: ID
    private let version: String
    private let pace: Duration
    private let report: @Sendable (Int) -> Void
    private let state = Locked(State())

    /// - Returns: `nil` for a program that serves nobody.
    init?(of server: ID, _ configuration: PostgresConfiguration) {
        guard let version = configuration.version else { return nil }
        self.server = server
        self.version = version
        pace = configuration.registryPace
        report = configuration.onServers
    }

    func announceIfDue(on connection: PostgresConnection) throws {
        guard state.withLock({ $0.next <= .now }) else { return }
        let entry = try connection.statement(
            composed: """
                INSERT INTO servers (id, version, seen_at) VALUES (?1, ?2, \(Self.now))
                ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
                """)
        entry.bind(1, server)
        entry.bind(2, version)
        try entry.run()
        try connection.run("DELETE FROM servers WHERE seen_at < \(Self.now) - \(Self.memory)")
        try connection.run("DELETE FROM lanes WHERE at < \(Self.now) - \(Self.memory)")
        let count = try connection.integer(
            "SELECT count(*) FROM servers WHERE seen_at > \(Self.now) - \(Self.timeout)")
        note(max(1, Int(count ?? 1)))
        state.withLock { $0.next = .now + pace }
    }

    /// The others need not wait for its silence.
    func leave(on connection: PostgresConnection) throws {
        let entry = try connection.statement("DELETE FROM servers WHERE id = ?1")
        entry.bind(1, server)
        try entry.run()
        try connection.wait()
    }

    private func note(_ count: Int) {
        let isNews = state.withLock { state in
            defer { state.count = count }
            return state.count != count
        }
        if isNews { report(count) }
    }

    /// By the clock that all servers share.
    private static let now = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
}
