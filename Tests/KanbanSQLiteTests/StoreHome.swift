import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

/// Where the board of a contract test lives.
enum StoreHome: CaseIterable, CustomTestStringConvertible {
    /// The file store, whose reads never wait.
    case file
    /// A store of another engine, whose every read waits and whose statements fail now and then.
    case elsewhere

    var testDescription: String {
        switch self {
        case .file: "a file"
        case .elsewhere: "a slow and failing engine"
        }
    }

    func open() throws -> OpenHome {
        let clock = HandClock()
        let directory = try TemporaryDirectory()
        // The file store makes the tables for both.
        let files = try SQLStore(in: directory.path, clock: { clock.now })
        switch self {
        case .file:
            return OpenHome(store: files, directory: directory) { files.close() }
        case .elsewhere:
            files.close()
            let store = try StumblingStore(path: files.path, clock: { clock.now })
            return OpenHome(store: store, directory: directory) { store.close() }
        }
    }
}

/// A store that is closed with the test.
final class OpenHome: Sendable {
    let store: any Store & AccessStore
    let directory: TemporaryDirectory
    private let close: @Sendable () -> Void

    init(
        store: any Store & AccessStore, directory: TemporaryDirectory, close: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.directory = directory
        self.close = close
    }

    deinit {
        close()
    }
}
