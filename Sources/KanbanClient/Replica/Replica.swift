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
    let notifier: RegionNotifier
    let isReadOnly: Bool
    /// Called when a new file replaced a damaged one and has to be loaded.
    private let onReplaced: @Sendable () -> Void

    private let path: String
    private let context: BoardContext
    private let ids: IDSource
    let queue = DispatchQueue(label: "kanban.replica", qos: .userInitiated)
    private var opened: Opened?
    private let copies: LogCopies
    private let readers: ReaderConnections
    /// Held as long as the file is open for writing.
    private let lock: FolderLock?
    /// The file that is open.
    private let file = Locked<FileIdentity?>(nil)

    private typealias Opened = (session: WriteSession<SQLiteConnection>, log: WriteAheadLog)

    /// - Parameters:
    ///   - isReadOnly: reads what another process writes. Nothing stays open between two calls.
    ///   - isResting: as ``setResting(_:)`` says.
    /// - Throws: ``KanbanError/newerData``, ``KanbanError/storage(_:)``.
    init(
        in folder: URL, dependencies: Dependencies, isReadOnly: Bool = false, isResting: Bool = false,
        lock: FolderLock? = nil, notifier: RegionNotifier = RegionNotifier(),
        log: @escaping @Sendable (LogEvent) -> Void = { _ in }, onReplaced: @escaping @Sendable () -> Void = {}
    ) throws {
        self.folder = folder
        self.dependencies = dependencies
        self.log = log
        self.notifier = notifier
        self.isReadOnly = isReadOnly
        self.onReplaced = onReplaced
        self.lock = lock
        path = folder.appending(path: Self.fileName, directoryHint: .notDirectory).path
        copies = LogCopies(of: path, fileSystem: dependencies.fileSystem)
        readers = ReaderConnections(
            of: path, fileSystem: dependencies.fileSystem, isReadOnly: isReadOnly, isResting: isResting || isReadOnly)
        context = BoardContext(clock: dependencies.now, zone: { Zone(.current) })
        ids = IDSource(random: dependencies.random)
        do {
            if isReadOnly {
                guard FileManager.default.fileExists(atPath: path) else {
                    throw KanbanError.storage("There is no board in \(folder.path).")
                }
                file.withLock { $0 = FileIdentity(path) }
                readers.giveBack(try readers.lend())
            } else {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                do {
                    _ = try current()
                    if isResting { letGo() }
                } catch  where KanbanError(storage: error) == .full {
                    // It is read all the same. Each edit tries to open it for writing again.
                    try openFull()
                }
            }
        } catch {
            throw KanbanError(storage: error)
        }
    }

    deinit {
        closeSession()
    }

    /// Waits for the running transaction and closes the file.
    func close() async {
        await withCheckedContinuation { done in
            queue.async {
                self.readers.close()
                self.copies.finish()
                // Leaves a single file if that succeeds. If not, the log holds the same.
                try? self.opened?.session.connection.run("PRAGMA wal_checkpoint(TRUNCATE)" as String)
                self.closeSession()
                done.resume()
            }
        }
    }

    // MARK: - Resting

    /// While it rests, each call opens the file and closes it again, so that no lock is held in between: iOS ends a process that
    /// holds one in a shared container while it is suspended.
    func setResting(_ isResting: Bool) {
        if isReadOnly { return }
        readers.setResting(isResting)
        queue.async { self.letGoIfResting() }
    }

    private func letGoIfResting() {
        if readers.isResting { letGo() }
    }

    private func letGo() {
        copies.finish()
        closeSession()
    }

    private func closeSession() {
        guard let connection = opened?.session.connection else { return }
        connection.close()
        opened = nil
        lock?.release()
    }

    // MARK: - Reading

    /// Reads one committed snapshot on the calling thread. Waits for no write, except while a damaged file is being
    /// replaced.
    func read<T>(_ body: (SQLiteBoard) throws -> T) throws -> T {
        try requireFileToRead()
        let generation = readers.generation
        do {
            return try readOnce(body)
        } catch let error as KanbanError where error == .damaged && !isReadOnly {
            queue.sync {
                if readers.generation == generation { recover() }
                letGoIfResting()
            }
            return try readOnce(body)
        }
    }

    private func readOnce<T>(_ body: (SQLiteBoard) throws -> T) throws -> T {
        do {
            let reader = try readers.lend()
            let connection = reader.connection
            do {
                try connection.run("BEGIN")
                let result = try body(SQLiteBoard(account: .local, connection: connection, context: context))
                // What it made for itself is gone then; see ``readWithQueue(_:)``.
                try connection.run("ROLLBACK")
                readers.giveBack(reader)
                return result
            } catch {
                connection.close()
                throw error
            }
        } catch {
            throw KanbanError(storage: error)
        }
    }

    // MARK: - Writing

    /// Runs the body in a transaction and returns when it is on disk. A body that throws leaves no trace.
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                let result = Result { try self.transact(body) }
                self.letGoIfResting()
                continuation.resume(with: result)
            }
        }
    }

    /// The same, on the calling thread.
    func writeNow<T>(_ body: (Transaction) throws -> T) throws -> T { try queue.sync { try transact(body) } }

    private func transact<T>(_ body: (Transaction) throws -> T) throws -> T {
        do {
            let opened = try current()
            guard isThere else {
                // Lists no longer show what is not kept.
                notifier.notify(Set(Region.allCases))
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
        session.forgetCachedAccounts()
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
        notifier.notify(transaction.touched)
        copies.follow(opened.log)
        return result
    }

    /// After an error of the disk: the next write opens the file again.
    private func dropSession() {
        let fault = opened?.session.connection.fault
        closeSession()
        if case .corrupt? = fault?.storeError { recover() }
    }

    private func current() throws -> Opened {
        guard !isReadOnly else { throw KanbanError.openedForReading }
        if let opened { return opened }
        guard !readers.isClosed else { throw StoreError.closed }
        return try reopen(open)
    }

    private func reopen(_ open: () throws -> Opened) throws -> Opened {
        closeSession()
        try lock?.hold()
        do {
            let fresh = try open()
            opened = fresh
            return fresh
        } catch {
            lock?.release()
            throw error
        }
    }

    // MARK: - The file

    /// True if the file at the path is the one that is open. Takes a microsecond.
    private var isThere: Bool { file.withLock { $0 == FileIdentity(path) } }

    /// True if somebody deleted the file.
    var isDeleted: Bool {
        guard !isThere, !readers.isClosed else { return false }
        // A damaged file may be being replaced.
        queue.sync {}
        return !isThere
    }

    private func requireFileToRead() throws {
        guard !isThere, isDeleted else { return }
        guard readers.isResting, let fresh = FileIdentity(path) else { throw KanbanError.deleted }
        // Another process replaced a damaged file.
        file.withLock { $0 = fresh }
        readers.startGeneration()
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

    /// - Throws: when there is no board of this version that could be read.
    private func openFull() throws {
        guard FileManager.default.fileExists(atPath: path) else { throw KanbanError.full }
        let reader = try readers.lend()
        defer { readers.giveBack(reader) }
        do {
            try ReplicaSchema.requireKnown(reader.connection)
        } catch KanbanError.tooOld {
            throw KanbanError.full
        }
        file.withLock { $0 = FileIdentity(path) }
        log(LogEvent(code: "replica.full"))
    }

    private func openFile() throws -> Opened {
        let files = FileManager.default
        if !files.fileExists(atPath: path) {
            // Killed while a damaged file was set aside.
            if files.fileExists(atPath: salvagedPath) { try takeSalvaged() } else { try makeFile() }
        } else if try files.attributesOfItem(atPath: path)[.size] as? Int == 0 {
            throw StoreError.corrupt("the file is empty")
        }
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
            session.forgetCachedAccounts()
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

    /// A new file gets its name when it is complete, so an empty one has lost what it held.
    private func makeFile() throws {
        let new = "\(path).new"
        try remove(new)
        try openFile(at: new, journal: "DELETE").session.connection.close()
        do {
            try FileManager.default.moveItem(atPath: new, toPath: path)
        } catch {
            // Another process was faster.
            guard FileManager.default.fileExists(atPath: path) else { throw error }
            try remove(new)
        }
    }

    private func remove(_ path: String) throws {
        for file in [path, "\(path)-journal"] where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    /// A new file beside a damaged one. It takes the place of that when it is complete.
    private var salvagedPath: String { "\(path).salvaged" }

    /// Moves a damaged file aside and starts a new one with the edits, issues and undo steps that can still be read. When the
    /// disk is full, or the process is killed, the damaged file is read again at the next start.
    private func setAside() throws -> Opened {
        log(LogEvent(code: "replica.set_aside"))
        copies.finish()
        try remove(salvagedPath)
        // One file at any time, without a log beside it. A connection that met damage reports it again at each commit.
        let loss = try inSalvaged { try $0.session.connection.salvage(from: path, log) }
        try inSalvaged { opened in
            try transact(in: opened) { transaction in
                try transaction.replayEdits()
                if let loss { try transaction.add(.damaged(loss)) }
            }
        }
        try takeSalvaged()
        onReplaced()
        readers.startGeneration()
        return try openFile()
    }

    private func inSalvaged<T>(_ body: (Opened) throws -> T) throws -> T {
        let salvaged = try openFile(at: salvagedPath, journal: "DELETE")
        defer { salvaged.session.connection.close() }
        return try body(salvaged)
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
        do {
            _ = try reopen(setAside)
        } catch {
            log(LogEvent(code: "replica.not_recovered"))
        }
        notifier.notify(Set(Region.allCases))
    }
}
