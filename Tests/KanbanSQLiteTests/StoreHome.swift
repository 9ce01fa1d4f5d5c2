import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanPostgres

/// Where the board of a contract test lives.
enum StoreHome: CaseIterable, CustomTestStringConvertible {
    /// The file store, whose reads never wait.
    case file
    /// A store of another engine, whose every read waits and whose statements fail now and then.
    case elsewhere
    /// A PostgreSQL database, where PostgreSQL is installed.
    case cluster

    static var allCases: [StoreHome] { [.file, .elsewhere] + (PostgresCluster.programs == nil ? [] : [.cluster]) }

    var testDescription: String {
        switch self {
        case .file: "a file"
        case .elsewhere: "a slow and failing engine"
        case .cluster: "PostgreSQL"
        }
    }

    func open() throws -> OpenHome {
        let clock = TestClock()
        let directory = try TemporaryDirectory()
        if self == .cluster {
            let target = try PostgresCluster.shared.get().freshSchema()
            var configuration = PostgresConfiguration.patient(target: target, clock: { clock.now })
            configuration.lanes = 1
            let store = try PostgresStore(configuration)
            return OpenHome(store: store, directory: directory, check: { try PostgresStore.check(target) }) {
                store.close()
            }
        }
        // The file store makes the tables for both.
        let files = try FileStore(in: directory.path, clock: { clock.now })
        switch self {
        case .file, .cluster:
            return OpenHome(store: files, directory: directory) { files.close() }
        case .elsewhere:
            files.close()
            let store = try FaultyStore(path: files.path, clock: { clock.now })
            return OpenHome(store: store, directory: directory) { store.close() }
        }
    }
}

/// A store that is closed with the test.
final class OpenHome: Sendable {
    let store: any Store & AccessStore
    let directory: TemporaryDirectory
    /// What is wrong with the data.
    let check: @Sendable () throws -> [String]
    private let close: @Sendable () -> Void

    init(
        store: any Store & AccessStore, directory: TemporaryDirectory,
        check: (@Sendable () throws -> [String])? = nil, close: @escaping @Sendable () -> Void
    ) {
        self.check = check ?? { try FileStore.check(directory.path) }
        self.store = store
        self.directory = directory
        self.close = close
    }

    deinit {
        close()
    }
}
