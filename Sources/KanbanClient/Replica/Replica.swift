import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks

/// The copy of a board on the device: one SQLite file, a queue that writes, connections that read beside it.
///
/// Unchecked: the open file is touched on `queue` only, the rest is constant or behind a lock.
final class Replica: @unchecked Sendable {
    static let fileName = "board.sqlite"

    let folder: URL
    let dependencies: Dependencies
    let log: @Sendable (LogEvent) -> Void
    /// Notified after each commit with the regions that it may have changed.
    let doorbell: RegionDoorbell
    let isReadOnly: Bool
    /// Called when a new file replaced a damaged one and has to be loaded.
    private let onReplaced: @Sendable () -> Void

    private let path: String
    private let context: BoardContext
    private let ids: IDSource
    private let queue = DispatchQueue(label: "kanban.replica", qos: .userInitiated)
    private var opened: Opened?
    private let copies: LogCopies
    private let readers = Locked(Readers())
    /// The file that is open.
    private let file = Locked<FileIdentity?>(nil)

    private typealias Opened = (session: WriteSession<SQLiteConnection>, log: WriteAheadLog)

    /// Unchecked: lent to one client at a time.
    private struct Reader: @unchecked Sendable {
        let connection: SQLiteConnection
        /// The file's generation when the connection was opened.
        let generation: Int
    }

    private struct Readers {
        var idle: [Reader] = []
        var isClosed = false
        /// Grows when the file is replaced by another.
        var generation = 0
    }

    private static let mostIdleReaders = 3

    /// - Throws: ``KanbanError/newerData``, ``KanbanError/storage(_:)``.
    init(
        in folder: URL, dependencies: Dependencies, isReadOnly: Bool = false,
        doorbell: RegionDoorbell = RegionDoorbell(),
        log: @escaping @Sendable (LogEvent) -> Void = { _ in }, onReplaced: @escaping @Sendable () -> Void = {}
    ) throws {
        self.folder = folder
        self.dependencies = dependencies
        self.log = log
        self.doorbell = doorbell
        self.isReadOnly = isReadOnly
        self.onReplaced = onReplaced
        path = folder.appending(path: Self.fileName, directoryHint: .notDirectory).path
        copies = LogCopies(of: path, fileSystem: dependencies.fileSystem)
        context = BoardContext(clock: dependencies.now)
        ids = IDSource(random: dependencies.random)
        do {
            if isReadOnly {
                guard FileManager.default.fileExists(atPath: path) else {
                    throw KanbanError.storage("There is no board in \(folder.path).")
                }
                file.withLock { $0 = FileIdentity(path) }
                giveBack(try takeReader())
            } else {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                opened = try open()
            }
        } catch {
            throw KanbanError(storage: error)
        }
    }

    deinit {
        for reader in readers.withLock({ $0.idle }) { reader.connection.close() }
        opened?.session.connection.close()
    }

    /// Waits for the running transaction and closes the file.
    func close() async {
        await withCheckedContinuation { done in
            queue.async {
                let idle = self.readers.withLock { readers in
                    readers.isClosed = true
                    defer { readers.idle = [] }
                    return readers.idle
                }
                for reader in idle { reader.connection.close() }
                self.copies.finish()
                if let connection = self.opened?.session.connection {
                    // Leaves a single file if that succeeds. If not, the log holds the same.
                    try? connection.run("PRAGMA wal_checkpoint(TRUNCATE)" as String)
                    connection.close()
                }
                self.opened = nil
                done.resume()
            }
        }
    }

    // MARK: - Reading

    /// Reads one committed snapshot on the calling thread. Waits for no write, except while a damaged file is being
    /// replaced.
    func read<T>(_ body: (SQLiteBoard) throws -> T) throws -> T {
        try requireFileToRead()
        let generation = readers.withLock { $0.generation }
        do {
            return try readOnce(body)
        } catch let error as KanbanError where error == .damaged && !isReadOnly {
            queue.sync {
                if readers.withLock({ $0.generation }) == generation { recover() }
            }
            return try readOnce(body)
        }
    }

    private func readOnce<T>(_ body: (SQLiteBoard) throws -> T) throws -> T {
        do {
            let reader = try takeReader()
            let connection = reader.connection
            do {
                try connection.run("BEGIN")
                let result = try body(SQLiteBoard(account: .local, connection: connection, context: context))
                try connection.run("COMMIT")
                giveBack(reader)
                return result
            } catch {
                connection.close()
                throw error
            }
        } catch {
            throw KanbanError(storage: error)
        }
    }

    private func takeReader() throws -> Reader {
        let (idle, generation, isClosed) = readers.withLock { ($0.idle.popLast(), $0.generation, $0.isClosed) }
        guard !isClosed else { throw StoreError.closed }
        if let idle { return idle }
        let connection = try SQLiteConnection(path: path, access: .readOnly, fileSystem: dependencies.fileSystem)
        if isReadOnly {
            do {
                try ReplicaSchema.requireKnown(connection)
            } catch {
                connection.close()
                throw error
            }
        }
        return Reader(connection: connection, generation: generation)
    }

    private func giveBack(_ reader: Reader) {
        let isKept = readers.withLock { readers in
            guard !readers.isClosed, readers.generation == reader.generation,
                readers.idle.count < Self.mostIdleReaders
            else { return false }
            readers.idle.append(reader)
            return true
        }
        if !isKept { reader.connection.close() }
    }

    // MARK: - Writing

    /// Runs the body in a transaction and returns when it is on disk. A body that throws leaves no trace.
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.transact(body) }) }
        }
    }

    private func transact<T>(_ body: (Transaction) throws -> T) throws -> T {
        do {
            let opened = try current()
            guard isThere else {
                // No list shows any more what is not kept.
                doorbell.ring(Set(Region.allCases))
                throw KanbanError.deleted
            }
            return try transact(in: opened, body)
        } catch {
            if !(error is KanbanError || error is BoardError) { dropSession() }
            throw KanbanError(storage: error)
        }
    }

    private func transact<T>(in opened: Opened, _ body: (Transaction) throws -> T) throws -> T {
        let session = opened.session
        try session.begin()
        // Another replica of the same account may have written.
        session.forgetStandings()
        let now = dependencies.now()
        let rows = SQLiteBoardWriter(
            account: .local, writingSession: nil, now: now, session: session, context: context,
            ids: ids)
        let transaction = Transaction(rows)
        let result: T
        do {
            // Without a savepoint of its own: within one, each nested part would cost as much as all before it.
            result = try body(transaction)
        } catch {
            if let fault = session.connection.fault { throw fault }
            try session.rollBack()
            throw error
        }
        if let fault = session.connection.fault { throw fault }
        _ = session.takeChangedTasks()
        _ = try session.commit(at: now)
        doorbell.ring(transaction.touched)
        copies.follow(opened.log)
        return result
    }

    /// After an error of the disk: the next write opens the file again.
    private func dropSession() {
        let fault = opened?.session.connection.fault
        opened?.session.connection.close()
        opened = nil
        if case .corrupt? = fault?.storeError { recover() }
    }

    private func current() throws -> Opened {
        guard !isReadOnly else { throw KanbanError.openedForReading }
        if let opened { return opened }
        guard !readers.withLock({ $0.isClosed }) else { throw StoreError.closed }
        let fresh = try open()
        opened = fresh
        return fresh
    }

    // MARK: - The file

    /// Whether the file at the path is the one that is open. Takes a microsecond.
    private var isThere: Bool { file.withLock { $0 == FileIdentity(path) } }

    /// Whether somebody deleted it.
    var isDeleted: Bool {
        guard !isThere, !readers.withLock({ $0.isClosed }) else { return false }
        // A damaged file may be being replaced.
        queue.sync {}
        return !isThere
    }

    private func requireFileToRead() throws {
        guard !isThere, isDeleted else { return }
        guard isReadOnly, let fresh = FileIdentity(path) else { throw KanbanError.deleted }
        // The app replaced a damaged file.
        file.withLock { $0 = fresh }
        closeIdleReaders()
    }

    private func closeIdleReaders() {
        let idle = readers.withLock { readers in
            readers.generation += 1
            defer { readers.idle = [] }
            return readers.idle
        }
        for reader in idle { reader.connection.close() }
    }

    private func open() throws -> Opened {
        do {
            return try openFile()
        } catch let error as StoreError {
            guard case .corrupt = error else { throw error }
            return try setAside()
        } catch let error as SQLiteError {
            guard case .corrupt? = error.storeError else { throw error }
            return try setAside()
        }
    }

    private func openFile() throws -> Opened {
        let files = FileManager.default
        // Killed while a damaged file was set aside.
        if !files.fileExists(atPath: path), files.fileExists(atPath: salvagedPath) { try takeSalvaged() }
        let opened = try openFile(at: path, journal: "WAL")
        file.withLock { $0 = FileIdentity(path) }
        return opened
    }

    private func openFile(at path: String, journal: String) throws -> Opened {
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw StoreError.io("\(path) cannot be made") }
        }
        let connection = try SQLiteConnection(path: path, access: .readWrite, fileSystem: dependencies.fileSystem)
        do {
            try connection.run("PRAGMA journal_mode = \(journal)" as String)
            try ReplicaSchema.migrate(connection)
            let session = WriteSession<SQLiteConnection>(connection)
            try session.begin()
            // Another replica of the same account may have written.
            session.forgetStandings()
            let now = dependencies.now()
            try session.makeLocalAccount(id: ids.next(at: now), epoch: 1, at: now)
            // Revisions of pending edits begin beyond those of any server.
            try connection.run(
                "UPDATE accounts SET revision = max(revision, \(Revision.firstOptimistic)) WHERE number = 1" as String)
            _ = try session.commit(at: now)
            return (session, try WriteAheadLog(of: connection, bound: LogCopies.growth))
        } catch {
            connection.close()
            throw error
        }
    }

    /// A new file beside a damaged one. It takes the place of that when it is complete.
    private var salvagedPath: String { "\(path).salvaged" }

    /// Moves a damaged file aside and starts a new one with the edits, issues and undo steps that can still be read. When the
    /// disk is full, or the process is killed, the damaged file is read again at the next start.
    private func setAside() throws -> Opened {
        log(LogEvent(code: "replica.set_aside"))
        copies.finish()
        let files = FileManager.default
        for file in [salvagedPath, "\(salvagedPath)-journal"] where files.fileExists(atPath: file) {
            try files.removeItem(atPath: file)
        }
        // One file at any time, without a log beside it. A connection that met damage reports it again at each commit.
        try inSalvaged { try $0.session.connection.salvage(from: path, log) }
        try inSalvaged { try transact(in: $0) { try $0.replayEdits() } }
        try takeSalvaged()
        onReplaced()
        closeIdleReaders()
        return try openFile()
    }

    private func inSalvaged(_ body: (Opened) throws -> Void) throws {
        let salvaged = try openFile(at: salvagedPath, journal: "DELETE")
        defer { salvaged.session.connection.close() }
        try body(salvaged)
    }

    /// The damaged log goes before the new file comes, because SQLite would take it for that one's.
    private func takeSalvaged() throws {
        let damaged = "\(path).damaged-\(dependencies.now().milliseconds)"
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: damaged + suffix)
        }
        try FileManager.default.moveItem(atPath: salvagedPath, toPath: path)
    }

    /// After damage that showed while the board was open.
    private func recover() {
        opened?.session.connection.close()
        opened = nil
        do {
            opened = try setAside()
        } catch {
            log(LogEvent(code: "replica.not_recovered"))
        }
        doorbell.ring(Set(Region.allCases))
    }
}
