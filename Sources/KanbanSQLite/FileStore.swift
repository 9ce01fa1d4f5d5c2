import CSQLite
import Foundation
import Kanban
import KanbanAccess
import KanbanRows
import Locks
import Turns

/// Boards in one SQLite file: one writer that commits in groups, readers beside it.
///
/// The file is `kanbase.sqlite` in the data directory, with `-wal` and `-shm` beside it while it is open.
package final class FileStore: LocalStore {
    package static let fileName = "kanbase.sqlite"

    package let path: String
    package let configuration: FileStoreConfiguration
    let context: BoardContext
    let commits: Commits
    let readers: ReaderPool
    let writer: Writer
    private let files: DataFileWatch
    private let longReads: AccountWorkers
    let maintenance = Locked(MaintenanceWalk())

    /// Opens the file in the directory, or makes both; migrates an older file after copying it.
    ///
    /// - Parameters:
    ///   - random: 64 random bits, from a source that nobody can guess.
    /// - Throws: ``StoreError``: `corrupt` for a file that is damaged or not ours, `newer` for one of a newer version,
    ///   `io` when it cannot be opened, `full`.
    package init(
        in directory: String, configuration: FileStoreConfiguration = FileStoreConfiguration(),
        clock: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) throws {
        _ = Self.withoutMemoryStatistics
        self.configuration = configuration
        context = BoardContext(
            clock: clock, retention: configuration.retention, quota: configuration.quota,
            zone: { configuration.zone })
        do {
            path = try DataFile.prepare(in: directory, now: clock(), configuration: configuration)
            commits = Commits()
            files = try DataFileWatch(path: path, report: configuration.onMove)
            readers = ReaderPool(path: path, configuration: configuration, commits: commits, files: files)
            writer = try Writer(
                path: path, configuration: configuration, context: context, random: random, commits: commits,
                readers: readers, files: files)
            longReads = AccountWorkers()
        } catch {
            throw SQLiteError.forCallers(error)
        }
    }

    /// True if opening the data migrates it, which a server of an older version must not work beside.
    package static func migrates(_ directory: String, steps: [Schema.Step] = Schema.steps) throws -> Bool {
        do {
            return try DataFile.isOlder(in: directory, steps: steps)
        } catch {
            throw SQLiteError.forCallers(error)
        }
    }

    private static let withoutMemoryStatistics: Void = {
        // Fails when SQLite is in use already; then SQLite is only slower.
        _ = csqlite_forgo_memory_statistics()
    }()

    /// Finishes running writes, answers waiting ones with ``StoreError/closed``, and copies the log into the file.
    package func close() {
        writer.close()
        readers.close()
        writer.closeFile()
    }

    package var activity: StoreActivity {
        var activity = StoreActivity()
        writer.report(to: &activity)
        let reads = longReads.figures
        activity.longReads = StoreActivity.Work(count: reads.count, time: reads.time)
        activity.waitingReads = reads.waiting
        return activity
    }

    package var local: (any LocalStore)? { self }

    package func read<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try readNow(account, body)
    }

    package func readDetached<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try self.readNow(account, body) })
            }
        }
    }

    package func feedState(of account: AccountKey) async throws -> FeedState {
        try readNow(account) { try $0.feedState() }
    }

    package func readNow<T>(_ account: AccountKey, _ body: (any BoardReader) throws -> T) throws -> T {
        try readers.read(of: account) { connection in
            try body(SQLiteBoard(account: account, connection: connection, context: context))
        }
    }

    package func readAside<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await longReads.run(for: account) { [self] in
            try readers.read(of: account) { connection in
                try connection.withDeadline(configuration.readTime) {
                    try body(SQLiteBoard(account: account, connection: connection, context: context))
                }
            }
        }
    }

    package func write<T: Sendable>(
        _ account: AccountKey, session: ID?, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await writer.perform(account, session: session, body)
    }

    // Not left to the protocol's default: its step in between takes 600 instructions. Specialized for what most writes of
    // the API return, because generic code looks up the types of its values at each step.
    @_specialize(where T == TaskItem)
    @_specialize(where T == (task: TaskItem, successor: [TaskItem?]))
    package func write<T: Sendable>(
        _ account: AccountKey, session: ID?, needs: @autoclosure () -> WriteNeeds,
        _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await writer.perform(account, session: session, body)
    }

    /// Sets what is called within 100 ms after another process wrote. It must not block.
    package func whenOthersWrite(_ body: @escaping @Sendable () -> Void) {
        writer.whenOthersWrite(body)
    }

    package func checkWritability() throws {
        try files.check()
    }

    package func addObserver(_ observer: any CommitObserver) {
        writer.addObserver(observer)
    }
}
