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
        var isWrong = false
    }

    private let server: ID
    private let version: String
    /// The newest version of the tables that it knows.
    private let format: Int
    private let pace: Duration
    /// `nil` where writes are dated by it.
    private let clock: (@Sendable () -> Timestamp)?
    private let tell: @Sendable (Int) -> Void
    private let report: @Sendable (String, String) -> Void
    private let state = Locked(State())

    /// - Returns: `nil` for a program that serves nobody.
    init?(of server: ID, _ configuration: PostgresConfiguration) {
        guard let version = configuration.version else { return nil }
        self.server = server
        self.version = version
        format = configuration.steps.count
        pace = configuration.registryPace
        clock = configuration.datesByClock ? nil : configuration.clock
        tell = configuration.onServers
        report = configuration.report
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
        let asked = clock?()
        let living = PostgresStatement(
            "SELECT count(*), \(Self.now) FROM servers WHERE \(Self.isAlive)", on: connection)
        _ = try living.step(prepared: false)
        note(max(1, Int(living.integer())))
        if let asked, let clock { compare(living.timestamp(), from: asked, to: clock()) }
        living.reset()
        state.withLock { $0.next = .now + pace }
    }

    /// The number of live servers.
    static func living(on connection: PostgresConnection) throws -> Int64 {
        try connection.integer("SELECT count(*) FROM servers WHERE \(isAlive)") ?? 0
    }

    /// The number of live servers that know only tables older than `format`, and the newest version that the oldest knows.
    static func living(
        on connection: PostgresConnection, below format: Int
    ) throws -> (count: Int64, oldest: Int?) {
        let older = PostgresStatement(
            "SELECT count(*), min(format) FROM servers WHERE \(isAlive) AND format < \(format)", on: connection)
        guard try older.step(prepared: false) else { return (0, nil) }
        return (older.integer(), older.optionalInteger().map(Int.init))
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
        if isNews { tell(count) }
    }

    /// Deadlines, today and the ends of tokens go by the clock of the server that is asked: others would answer otherwise.
    /// - Parameters: the time of the database, and that of this server before the question and after the answer.
    private func compare(_ time: Timestamp, from asked: Timestamp, to answered: Timestamp) {
        let ahead = asked.milliseconds - time.milliseconds
        let behind = time.milliseconds - answered.milliseconds
        let isWrong = max(ahead, behind) > Self.tolerance
        let isNews = state.withLock { state in
            defer { state.isWrong = isWrong }
            return state.isWrong != isWrong
        }
        guard isNews else { return }
        if isWrong {
            report(
                "the clock of this server and that of the database differ by more than a second: set them",
                ahead > 0 ? "ahead by \(ahead) ms" : "behind by \(behind) ms")
        } else {
            report("the clock of this server and that of the database agree again", "")
        }
    }

    /// Milliseconds.
    private static let tolerance = 1_000

    /// True of the row of a server that runs.
    static let isAlive = "seen_at > \(now) - \(timeout)"
    /// By the clock that all servers share.
    private static let now = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
}
