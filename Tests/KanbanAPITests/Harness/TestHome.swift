import Kanban
import KanbanAPI
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanPostgres

/// Where the rows of a test's board are: in a directory, or in a schema of PostgreSQL that the servers of the test share.
enum TestHome: Sendable {
    case directory(TemporaryDirectory)
    case schema(String)

    /// An empty one, of the kind that `KANBASE_TEST_SERVERS` asks for.
    init() throws {
        self =
            try SharedServers.count == 0
            ? .directory(TemporaryDirectory()) : .schema(PostgresCluster.shared.get().freshSchema())
    }

    /// What is wrong with the rows.
    func check() throws -> [String] {
        switch self {
        case .directory(let directory): try FileStore.check(directory.path)
        case .schema(let target): try PostgresStore.check(target)
        }
    }

    /// Opens a store for each server, with a notifier of its commits and those of the others.
    func open(
        quota: Quota? = nil, batchTime: Duration? = nil, partTime: Duration? = nil,
        grain: Duration = .milliseconds(250),
        clock: @escaping @Sendable () -> Timestamp, onCommit: @escaping @Sendable () -> Void = {}
    ) throws -> [(store: any TestedStore, notifier: ChangeNotifier)] {
        switch self {
        case .directory(let directory):
            let notifier = ChangeNotifier(grain: grain)
            var configuration = FileStoreConfiguration()
            configuration.quota = quota
            configuration.batchTime = batchTime ?? configuration.batchTime
            configuration.partTime = partTime ?? configuration.partTime
            configuration.onCommit = {
                onCommit()
                notifier.notify($0)
            }
            return [(try FileStore(in: directory.path, configuration: configuration, clock: clock), notifier)]
        case .schema(let target):
            return try (0..<SharedServers.count).map { _ in
                let notifier = ChangeNotifier(grain: grain)
                var configuration = PostgresConfiguration.patient(target: target, clock: clock)
                configuration.lanes = 1
                configuration.quota = quota
                configuration.onCommit = { notifier.notify($0) }
                configuration.subscribedAccounts = { notifier.subscribedAccounts }
                return (try PostgresStore(configuration), notifier)
            }
        }
    }
}

/// A store as a test of the API opens, keeps and closes it.
protocol TestedStore: Store, AccessStore {
    func runMaintenance() async throws -> Bool
    func close()
}

extension FileStore: TestedStore {}
extension PostgresStore: TestedStore {}

extension Trait where Self == ConditionTrait {
    /// For a test of what one process over a file has and servers over a database do not, with what that is.
    static func overAFile(_ what: Comment) -> Self { .enabled(if: SharedServers.count == 0, what) }
}
