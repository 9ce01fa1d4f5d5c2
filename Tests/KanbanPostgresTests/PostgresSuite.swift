import Kanban
import KanbanAccess
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

/// All suites that need a server: they share one, each store with a schema of its own.
@Suite(.enabled(if: PostgresCluster.programs != nil, "PostgreSQL is not installed: apt-get install postgresql"))
struct PostgresTests {}

/// A clock that stands until it is set.
final class ManualClock: Sendable {
    private let moment = Locked(Timestamp(milliseconds: 1_795_000_000_000))

    var now: Timestamp { moment.withLock { $0 } }

    func advance(days: Int = 0, milliseconds: Int64 = 0) {
        moment.withLock { $0.milliseconds += Int64(days) * 86_400_000 + milliseconds }
    }
}

/// Servers over one schema, closed with the test.
final class TestStores: Sendable {
    let target: String
    let clock = ManualClock()
    let stores: [PostgresStore]

    init(
        count: Int = 1, target: String? = nil, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws {
        let target = try target ?? PostgresCluster.shared.get().freshSchema()
        self.target = target
        var configuration = PostgresConfiguration(target: target, clock: { [clock] in clock.now })
        configuration.datesByClock = true
        configuration.lanes = 2
        configuration.readers = 2
        change(&configuration)
        stores = try (0..<count).map { _ in try PostgresStore(configuration) }
    }

    deinit {
        for store in stores { store.close() }
    }

    var store: PostgresStore { stores[0] }

    func connection() throws -> PostgresConnection {
        try PostgresConnection(.init(target: target))
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
