import Kanban
import KanbanRows
import Locks

/// The servers that share the database: each announces that it is alive, and reads how many are.
final class ServerRegistry: Sendable {
    /// Milliseconds without an announcement after which a server no longer counts.
    private static let timeout = 15_000
    /// Milliseconds after which its row is removed.
    private static let memory = 86_400_000

    private struct State {
        var next = ContinuousClock.now
        var count = 1
    }

    private let server: ID
    private let version: String
    /// The newest version of the tables that it knows.
    private let format: Int
    private let pace: Duration
    private let report: @Sendable (Int) -> Void
    private let state = Locked(State())

    /// - Returns: `nil` for a program that serves nobody.
    init?(of server: ID, _ configuration: PostgresConfiguration) {
        guard let version = configuration.version else { return nil }
        self.server = server
        self.version = version
        format = PostgresSchema.newest(of: configuration.steps)
        pace = configuration.registryPace
        report = configuration.onServers
    }

    func announceIfDue(on connection: PostgresConnection) throws {
        guard state.withLock({ $0.next <= .now }) else { return }
        try announce(on: connection)
    }

    func announce(on connection: PostgresConnection) throws {
        try connection.relaxCommit()
        let entry = try connection.statement(
            composed: """
                INSERT INTO servers (id, version, seen_at, format) VALUES (?1, ?2, \(Self.now), ?3)
                ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
                """)
        entry.bind(1, server)
        entry.bind(2, version)
        entry.bind(3, format)
        try entry.run()
        try connection.run("DELETE FROM servers WHERE seen_at < \(Self.now) - \(Self.memory)")
        try connection.run("DELETE FROM lanes WHERE at < \(Self.now) - \(Self.memory)")
        note(max(1, Int(try Self.living(on: connection))))
        state.withLock { $0.next = .now + pace }
    }

    /// The number of live servers.
    static func living(on connection: PostgresConnection) throws -> Int64 {
        try connection.integer("SELECT count(*) FROM servers WHERE seen_at > \(now) - \(timeout)") ?? 0
    }

    /// The number of live servers that know only tables older than `format`, and the newest version that the oldest knows.
    static func living(
        on connection: PostgresConnection, below format: Int
    ) throws -> (count: Int64, oldest: Int?) {
        let known = "coalesce(format, \(PostgresSchema.oldestFormat))"
        let older = PostgresStatement(
            "SELECT count(*), min(\(known)) FROM servers WHERE seen_at > \(now) - \(timeout) AND \(known) < \(format)",
            on: connection)
        guard try older.step(prepared: false) else { return (0, nil) }
        return (older.integer(0), older.optionalInteger(1).map(Int.init))
    }

    /// So that the others need not wait for the time-out.
    func leave(on connection: PostgresConnection) throws {
        try connection.relaxCommit()
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
