import Dispatch
import Foundation
import Kanban
import KanbanAccess
import KanbanRows
import Locks

/// Read-only connections, as many as threads read at the same time.
///
/// Each keeps its read transaction open from one read to the next, since opening one costs as much as a read, and
/// renews it when there was a commit since. Those that nobody uses are let go before a checkpoint.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [Reader] = []
        /// Idle ones that hide unfinished writes.
        var hiding: [Reader] = []
        /// The account with an unfinished write.
        var unfinished: AccountKey?
        /// How many are out of the pool.
        var active = 0
        var isPaused = false
        var isClosed = false
    }

    /// A connection and the snapshot that it has open.
    /// Unchecked: used only by the thread that took it out of the pool.
    private final class Reader: @unchecked Sendable {
        let connection: SQLiteConnection
        /// True if it hides ``UnfinishedWrites``.
        let hides: Bool
        /// The commits that the open snapshot has; `nil` without one.
        var commits: UInt64?

        init(_ connection: SQLiteConnection, hides: Bool) {
            self.connection = connection
            self.hides = hides
        }

        func endSnapshot() {
            guard commits != nil else { return }
            commits = nil
            // Ending a transaction that only read cannot fail in a way that matters: the next read begins a new one.
            try? connection.run("COMMIT")
        }
    }

    private let path: String
    private let configuration: FileStoreConfiguration
    private let commits: Commits
    private let files: DataFileWatch
    private let state = Locked(State())
    /// Held by the writer while readers are paused; they queue at it.
    private let gate = NSLock()
    /// Signalled by the last reader to leave during a pause.
    private let quiet = DispatchSemaphore(value: 0)

    /// The most idle readers. More are opened when the pool is empty because a checkpoint holds the idle ones; those are
    /// closed after use.
    private let limit: Int

    init(path: String, configuration: FileStoreConfiguration, commits: Commits, files: DataFileWatch) {
        self.path = path
        self.configuration = configuration
        self.commits = commits
        self.files = files
        limit = ProcessInfo.processInfo.activeProcessorCount + AccountWorkers.limit
    }

    /// - Parameters:
    ///   - account: whose board is read; `nil`: perhaps several.
    ///   - afresh: takes a new snapshot, which includes commits of other processes.
    func read<T>(
        of account: AccountKey? = nil, afresh: Bool = false, _ body: (SQLiteConnection) throws -> T
    ) throws -> T {
        let reader = try take(account)
        do {
            let isUnderWay = commits.isUnderWay
            let seen = commits.count
            if afresh || isUnderWay || reader.commits != seen {
                reader.endSnapshot()
                try reader.connection.run("BEGIN")
                reader.commits = seen
            }
            let result = try body(reader.connection)
            giveBack(reader)
            return result
        } catch {
            giveBack(reader)
            throw SQLiteError.forCallers(error)
        }
    }

    private func take(_ account: AccountKey?) throws -> Reader {
        var (idle, hides, waits) = try enter(account, isPatient: true)
        if waits {
            gate.withLock {}
            (idle, hides, _) = try enter(account, isPatient: false)
        }
        return try idle ?? open(hides: hides)
    }

    /// - Parameter isPatient: stays outside during a pause.
    private func enter(_ account: AccountKey?, isPatient: Bool) throws -> (idle: Reader?, hides: Bool, waits: Bool) {
        try state.withLock { state in
            guard !state.isClosed else { throw StoreError.closed }
            if isPatient, state.isPaused { return (nil, false, true) }
            state.active += 1
            if let unfinished = state.unfinished, account == nil || account == unfinished {
                return (state.hiding.popLast(), true, false)
            }
            return (state.idle.popLast(), !configuration.isAlone, false)
        }
    }

    private func open(hides: Bool) throws -> Reader {
        do {
            let connection = try connect()
            if hides { try UnfinishedWrites.hide(on: connection) }
            return Reader(connection, hides: hides)
        } catch {
            leave(with: nil)
            throw SQLiteError.forCallers(error)
        }
    }

    private func connect() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: path, access: .readOnly,
            cache: configuration.readerCacheSize, fileSystem: configuration.fileSystem)
        // After it was opened: what lies under the name now is what it has, or else something was put there before.
        try files.check()
        return connection
    }

    private func giveBack(_ reader: Reader) {
        // Few read there, and a snapshot would hold the log back.
        if reader.hides { reader.endSnapshot() }
        // A connection that met an error of the disk starts afresh.
        let isSound = reader.connection.fault == nil
        if !leave(with: isSound ? reader : nil) { reader.connection.close() }
    }

    /// - Returns: true when the reader is in the pool again.
    @discardableResult
    private func leave(with reader: Reader?) -> Bool {
        state.withLock { state in
            state.active -= 1
            if state.active == 0, state.isPaused { quiet.signal() }
            guard let reader, !state.isClosed else { return false }
            if reader.hides, configuration.isAlone {
                guard state.unfinished != nil, state.hiding.count < limit else { return false }
                state.hiding.append(reader)
                return true
            }
            guard state.idle.count < limit else { return false }
            state.idle.append(reader)
            return true
        }
    }

    /// From now on, readers of the account do not see its unfinished write. Reads without an account hide it, too.
    /// - Returns: false when a read takes too long that may begin its transaction later; then nothing is hidden.
    func beginHiding(_ account: AccountKey) -> Bool {
        whilePaused { state.withLock { $0.unfinished = account } }
    }

    /// The write is finished, or removed.
    func endHiding() {
        let hiding = state.withLock { state in
            state.unfinished = nil
            defer { state.hiding = [] }
            return state.hiding
        }
        for reader in hiding { reader.connection.close() }
    }

    /// A connection for the writer alone that hides unfinished writes.
    func openHiding() throws -> SQLiteConnection {
        let connection = try connect()
        do {
            try UnfinishedWrites.hide(on: connection)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// Runs the body while nobody reads; those who want to wait. Gives up when a reader takes too long.
    /// - Returns: true when the body ran.
    func whilePaused(_ body: () -> Void) -> Bool {
        gate.withLock {
            let isQuiet = state.withLock { state in
                state.isPaused = true
                return state.active == 0
            }
            defer {
                state.withLock { state in
                    state.isPaused = false
                    // A signal that nobody waited for must not count for the next pause. Zero is "at once" (`DISPATCH_TIME_NOW`);
                    // a moment would be waited for by the wall clock, which may be set back.
                    while quiet.wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .success {}
                }
            }
            let patience = DispatchTimeInterval.nanoseconds(Int(configuration.readerPatience / .nanoseconds(1)))
            guard isQuiet || quiet.wait(timeout: .now() + patience) == .success else { return false }
            endIdleSnapshots()
            body()
            return true
        }
    }

    /// Ends the snapshots of the readers that nobody uses: they would hold the log back.
    func endIdleSnapshots() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.endSnapshot() }
        let kept = state.withLock { state in
            let room = state.isClosed ? 0 : max(0, limit - state.idle.count)
            state.idle.append(contentsOf: idle.prefix(room))
            return room
        }
        for reader in idle.dropFirst(kept) { reader.connection.close() }
    }

    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { (state.idle, state.hiding) = ([], []) }
            return state.idle + state.hiding
        }
        for reader in idle { reader.connection.close() }
    }
}
