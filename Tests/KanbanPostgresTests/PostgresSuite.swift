import Dispatch
import Kanban
import KanbanAccess
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

/// All suites that need a server: they share one, each store with a schema of its own. One after the other, because their stores
/// would open a thousand connections at once, and end the sessions of others that rest in a transaction.
@Suite(
    .serialized,
    .enabled(if: PostgresCluster.programs != nil, "PostgreSQL is not installed: apt-get install postgresql"))
struct PostgresTests {}

/// Holds a body where a test wants it. A body that runs again passes.
final class Gate: Sendable {
    private let reached = Locked(0)
    private let opened = DispatchSemaphore(value: 0)

    /// For tests alone: bodies do not block.
    func pass() {
        reached.withLock { $0 += 1 }
        opened.wait()
        opened.signal()
    }

    func open() {
        opened.signal()
    }

    var isReached: Bool { count > 0 }
    /// How often a body reached it.
    var count: Int { reached.withLock { $0 } }
}

/// Servers over one schema, closed with the test.
final class TestStores: Sendable {
    let target: String
    let clock = TestClock()
    let stores: [PostgresStore]

    init(
        count: Int = 1, target: String? = nil, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws {
        let target = try target ?? PostgresCluster.shared.get().freshSchema()
        self.target = target
        var configuration = PostgresConfiguration.patient(target: target, clock: { [clock] in clock.now })
        change(&configuration)
        stores = try (0..<count).map { _ in try PostgresStore(configuration) }
    }

    deinit {
        close()
    }

    func close() {
        for store in stores { store.close() }
    }

    /// A schema whose sessions all have its name, for ``endSessions()``.
    static func namedTarget() throws -> String {
        let target = try PostgresCluster.shared.get().freshSchema()
        return try "\(target)&application_name=kanbase%20\(#require(target.split(separator: "%3D").last))"
    }

    /// Ends the sessions of these servers, and no others, as a restart of PostgreSQL would.
    func endSessions() throws {
        let connection = try connection()
        let ended = try connection.integer(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()
            """)
        #expect(try #require(ended) > 0)
    }

    var store: PostgresStore { stores[0] }

    func connection() throws -> PostgresConnection {
        try PostgresConnection(.init(target: target))
    }

    /// Ends the session in the middle of a COMMIT.
    /// - Parameters:
    ///   - table: of which a row was added.
    ///   - condition: for which rows; in SQL, of `NEW` and `nextval('tries')`, their number.
    func breakCommits(of table: String = "tasks", when condition: String) throws {
        let connection = try connection()
        try connection.run("CREATE SEQUENCE tries")
        try connection.run(
            """
            CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF \(condition) THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                RETURN NULL;
            END $$
            """)
        try connection.run(
            """
            CREATE CONSTRAINT TRIGGER breaking AFTER INSERT ON \(table) DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION break_off()
            """)
        try connection.wait()
    }

    func makeAccounts(_ count: Int) throws -> [AccountKey] {
        let connection = try connection()
        try connection.run(
            """
            INSERT INTO accounts (number, id, epoch, created_at)
            SELECT 1000 + n, md5('account' || n)::uuid, n, 0 FROM generate_series(0, \(count - 1)) n
            """)
        try connection.wait()
        return (0..<count).map { AccountKey(number: 1000 + Int64($0)) }
    }

    typealias Body = @Sendable (any BoardWriter) throws -> Void

    /// Runs the bodies as writes that wait together: meanwhile another one keeps the lane busy.
    func gather(
        _ writes: [(account: AccountKey, body: Body)], needs: WriteNeeds = WriteNeeds(),
        meanwhile: () async throws -> Void = {}
    ) async throws -> [(any Error)?] {
        let store = store
        let gate = Gate()
        let first = Task { try await store.write { _ in gate.pass() } }
        defer { gate.open() }
        try await until("the lane is busy") { gate.isReached }
        return try await withThrowingTaskGroup { group in
            for (index, write) in writes.enumerated() {
                group.addTask {
                    do {
                        try await store.write(write.account, session: nil, needs: needs, write.body)
                        return (index, nil as (any Error)?)
                    } catch {
                        return (index, error)
                    }
                }
            }
            try await until("all wait") { store.activity.waitingWrites >= writes.count }
            gate.open()
            try await first.value
            try await meanwhile()
            var errors: [(any Error)?] = writes.map { _ in nil }
            for try await (index, error) in group { errors[index] = error }
            return errors
        }
    }

    /// Pulls the changes of tasks, from each server in turn.
    /// - Parameter isDone: true if nothing more is written; the pull ends after it has found nothing since.
    /// - Returns: the revisions in the order of their coming.
    func pull(_ account: AccountKey = .local, until isDone: () -> Bool) async throws -> [Revision] {
        var cursor: Revision = 0
        var seen: [Revision] = []
        var turn = 0
        while true {
            let wasDone = isDone()
            let since = cursor
            turn += 1
            let (changes, revision) = try await stores[turn % stores.count].read(account) {
                (
                    try $0.changes(since: since, types: [.task], livingOnly: false, limit: 1000),
                    try $0.feedState().revision
                )
            }
            seen += changes.map(\.revision)
            cursor = revision
            if wasDone, changes.isEmpty { return seen }
        }
    }
}

extension PostgresStore {
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any BoardWriter) throws -> T) async throws -> T {
        try await write(.local, session: nil, body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any BoardReader) throws -> T) async throws -> T {
        try await read(.local, body)
    }
}

extension BoardWriter {
    /// Adds a task by its rule.
    @discardableResult
    func makeTask(_ title: String = "Task", _ edit: TaskEdit = TaskEdit()) throws -> TaskItem {
        try createTask(id: nil, title: title, edit)
    }
}
