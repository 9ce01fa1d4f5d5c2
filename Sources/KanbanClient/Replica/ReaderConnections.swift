import Kanban
import KanbanRows
import Locks

/// The connections of a replica that read, each lent to one reader at a time. Some stay open for the next reader, unless the board
/// rests: an open connection holds a lock of the file.
final class ReaderConnections: Sendable {
    /// Unchecked: lent to one client at a time.
    struct Reader: @unchecked Sendable {
        let connection: SQLiteConnection
        /// The file's generation when the connection was opened.
        fileprivate let generation: Int
        fileprivate var isAlone = false
    }

    private struct State {
        var idle: [Reader] = []
        var isClosed = false
        var isResting: Bool
        /// Grows when the file is replaced by another.
        var generation = 0
    }

    private static let mostIdle = 3

    private let path: String
    private let fileSystem: String?
    /// True if this process never writes, and cannot migrate the file.
    private let isReadOnly: Bool
    private let state: Locked<State>

    init(of path: String, fileSystem: String?, isReadOnly: Bool, isResting: Bool) {
        self.path = path
        self.fileSystem = fileSystem
        self.isReadOnly = isReadOnly
        state = Locked(State(isResting: isResting))
    }

    deinit { closeIdle() }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var isResting: Bool { state.withLock { $0.isResting } }

    /// Changes when the file is replaced by another.
    var generation: Int { state.withLock { $0.generation } }

    func lend() throws -> Reader {
        let (idle, generation, isClosed) = state.withLock { ($0.idle.popLast(), $0.generation, $0.isClosed) }
        guard !isClosed else { throw StoreError.closed }
        if let idle { return idle }
        do {
            return Reader(connection: try open(.readOnly), generation: generation)
        } catch let error as SQLiteError {
            guard case .full? = error.storeError else { throw error }
            return Reader(connection: try open(.alone), generation: generation, isAlone: true)
        }
    }

    private func open(_ access: SQLiteConnection.Access) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: access, fileSystem: fileSystem)
        do {
            // The first read opens the log.
            try connection.refresh()
            if isReadOnly { try ReplicaSchema.requireKnown(connection) }
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    func giveBack(_ reader: Reader) {
        let isKept = state.withLock { state in
            guard !reader.isAlone, !state.isClosed, !state.isResting, state.generation == reader.generation,
                state.idle.count < Self.mostIdle
            else { return false }
            state.idle.append(reader)
            return true
        }
        if !isKept { reader.connection.close() }
    }

    /// From now on no connection stays open, or some do again.
    func setResting(_ isResting: Bool) {
        state.withLock { $0.isResting = isResting }
        if isResting { closeIdle() }
    }

    /// Connections to a file that was replaced are no longer used.
    func startGeneration() {
        state.withLock { $0.generation += 1 }
        closeIdle()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        closeIdle()
    }

    private func closeIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.connection.close() }
    }
}
