import Foundation
import Kanban
import KanbanAccess
import KanbanRows
import KanbanSQLite
import Locks
import TestSupport
import Testing

/// Long imports that are on disk in parts before they end. Every part here has 64 tasks.
struct DividedWriteTests {
    @Test func `others write in the middle of an import, of which nobody sees a part`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let isWritten = Flag()
        let mostOnDisk = Locked(0)

        let report = try await store.bring(box.tasks, to: account) { done in
            if done == 500 {
                store.enqueue {
                    try await store.write(box.other) { try $0.makeTask() }; isWritten.set()
                }
            }
            if done == 700 {
                let counts = try store.readNow(box.other) { try $0.taskCounts().map(\.count) }
                #expect(counts == [1])
            }
            guard done.isMultiple(of: 100) else { return }
            let onDisk = try box.rows(of: account)
            mostOnDisk.withLock { $0 = max($0, onDisk) }
            #expect(try store.sees(of: account) == .nothing)
            let planned = try store.readAccessNow { try $0.board(of: account).tasks(TaskQuery()).count }
            #expect(planned == 0)
            #expect(try FileStore.check(box.directory.path) == [])
        }

        #expect(report.tasks.created == box.count)
        #expect(mostOnDisk.withLock { $0 } > 1_000)
        #expect(try store.sees(of: account) == .all(box.count))
        #expect(try box.unfinished() == 0)
        try await until { isWritten.isSet }
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `another write of the account comes after its import`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let revision = Locked<Revision>(0)

        _ = try await store.bring(box.tasks, to: account) { done in
            if done == 500 {
                store.enqueue {
                    let made = try await store.write(account) { try $0.makeTask(position: "z") }
                    revision.withLock { $0 = made.revision }
                }
            }
        }

        try await until { revision.withLock { $0 } > 0 }
        #expect(revision.withLock { $0 } == Revision(box.count + 1))
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `an import that fails in the middle leaves nothing, and others write while it is removed`() async throws
    {
        let box = try DividedStore { $0.quota = Quota(bytes: 1 << 30, tasks: 1_200) }
        let (store, account) = (box.store, try await box.account())

        await #expect(throws: StoreError.quotaExceeded(.tasks(1_200))) {
            _ = try await store.bring(box.tasks, to: account) { done in
                guard done == 1_100 else { return }
                let unfinished = try box.unfinished()
                #expect(unfinished == 1)
            }
        }

        #expect(try store.sees(of: account) == .nothing)
        #expect(try box.rows(of: account) == 0)
        #expect(try box.unfinished() == 0)
        let report = try await store.bring(Array(box.tasks.prefix(1_100)), to: account) { _ in }
        #expect(report.tasks.created == 1_100)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `what was killed in the middle is gone at the next start, and comes again`() async throws {
        let box = try DividedStore()
        let account = try await box.account()
        let copy = try TemporaryDirectory()
        let backup = box.directory.file("copy.backup")

        _ = try await box.store.bring(box.tasks, to: account) { done in
            guard done == 1_300 else { return }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: box.store.path + suffix, toPath: copy.file(FileStore.fileName + suffix))
            }
            #expect(try FileStore.backUp(box.directory.path, to: backup).tasks == 0)
        }

        #expect(try DividedStore.rows(of: account, in: copy) > 1_000)
        #expect(try FileStore.check(copy.path) == [])
        // A server may be in the middle of the write, for all that a command knows.
        let command = try box.command(in: copy)
        #expect(try command.sees(of: account) == .nothing)
        command.close()
        #expect(try DividedStore.rows(of: account, in: copy) > 1_000)
        let killed = try TestStore(directory: copy)
        #expect(try killed.store.sees(of: account) == .nothing)
        #expect(try DividedStore.rows(of: account, in: copy) == 0)
        #expect(try await killed.store.bring(box.tasks, to: account) { _ in }.tasks.created == box.count)
        #expect(try FileStore.check(copy.path) == [])
        killed.store.close()
        try FileStore.restore(from: backup, to: copy.path, now: box.clock.now)
        let restored = try TestStore(directory: copy)
        let tasks = try restored.store.readNow(account) { try $0.tasks(TaskQuery()).count }
        #expect(tasks == 0)
    }

    @Test func `a command beside the server sees no part`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let command = try box.command(in: box.directory)

        let report = try await store.bring(box.tasks, to: account) { done in
            guard done == 1_300 else { return }
            let (seen, rows) = (try command.sees(of: account), try box.rows(of: account))
            #expect(seen == .nothing)
            #expect(rows > 1_000)
        }

        #expect(report.tasks.created == box.count)
        #expect(try command.sees(of: account) == .all(box.count))
        command.close()
    }

    @Test func `an account that is erased in the middle of its import is gone`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())

        await #expect(throws: StoreError.noAccount) {
            _ = try await store.bring(box.tasks, to: account) { done in
                if done == 500 { store.enqueue { try await store.writeAccess { try $0.eraseAccount(account) } } }
            }
        }

        #expect(try box.rows(of: account) == 0)
        #expect(try box.unfinished() == 0)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `an import whose account changes in the middle begins again, and is no more divided`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let runs = Locked(0)

        let report = try await store.bring(box.tasks, to: account) { done in
            if done == 1 { runs.withLock { $0 += 1 } }
            if done == 500, runs.withLock({ $0 }) == 1 {
                let limits = OwnLimits(bytes: 1 << 30, tasks: 5_000)
                store.enqueue { try await store.writeAccess { try $0.setLimits(limits, of: account) } }
            }
            if done == 1_500, runs.withLock({ $0 }) == 2 {
                let unfinished = try box.unfinished()
                #expect(unfinished == 0)
            }
        }

        #expect(runs.withLock { $0 } == 2)
        #expect(report.tasks.created == box.count)
        #expect(try store.sees(of: account) == .all(box.count))
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `imports of two accounts at once are whole, one after the other`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let isSecondDone = Flag()

        _ = try await store.bring(box.tasks, to: account) { done in
            if done == 500 {
                store.enqueue {
                    _ = try await store.bring(box.tasks, to: box.other) { _ in }
                    isSecondDone.set()
                }
            }
        }

        try await until { isSecondDone.isSet }
        for account in [account, box.other] { #expect(try store.sees(of: account) == .all(box.count)) }
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `new tasks come in parts before known ones change, and the rest is one transaction`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let known = box.tasks[4]
        try await store.write(account) { tx in
            try tx.makeTask("old", id: known.id, position: known.position.text)
        }
        let parts = Locked<[Int]>([])

        let report = try await store.bring(box.tasks, to: account) { done in
            if done.isMultiple(of: 100) || done == box.count {
                let rows = try box.rows(of: account)
                parts.withLock { $0.append(rows) }
                let titles = try store.readNow(account) { try $0.tasks(TaskQuery()).map(\.title) }
                #expect(titles == ["old"])
            }
        }

        #expect(report.tasks.created == box.count - 1 && report.tasks.updated == 1)
        #expect(parts.withLock { $0.max() ?? 0 } > 1_000)
        let title = try store.readNow(account) { try $0.task(known.id)?.title }
        #expect(title == known.title)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `a body that has changed what was there is not divided`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let id = try await store.write(account) { try $0.makeTask().id }

        try await store.write(account) { tx in
            try tx.pause()
            for _ in 0..<10 { try tx.makeTask() }
            try tx.pause()
            #expect(try box.rows(of: account) == 11)
            try tx.change(id) { $0.title = "changed" }
            try tx.makeTask()
            try tx.pause()
            #expect(try box.rows(of: account) == 11)
        }

        #expect(try box.rows(of: account) == 12)
        #expect(try box.unfinished() == 0)
        #expect(try FileStore.check(box.directory.path) == [])
    }
}

/// A store whose bodies are divided wherever they can be, and the tasks of a file.
private final class DividedStore: Sendable {
    let count = 1_600
    let box: TestStore
    let tasks: [TaskItem]
    let other = AccountKey.local

    var store: FileStore { box.store }
    var directory: TemporaryDirectory { box.directory }
    var clock: TestClock { box.clock }

    init(_ change: (inout FileStoreConfiguration) -> Void = { _ in }) throws {
        var configuration = FileStoreConfiguration()
        configuration.partTime = .zero
        change(&configuration)
        box = try TestStore(configuration: configuration)
        let now = box.clock.now
        tasks = (0..<UInt64(count)).map { number in
            TaskItem(
                id: ID(high: number &* 0x9e37_79b9_7f4a_7c15, low: number), title: "Task \(number)",
                position: Position(text: number.isMultiple(of: 2) ? "b\(10_000 + number)" : ""), createdAt: now,
                updatedAt: Timestamp(milliseconds: now.milliseconds + 1), revision: 0)
        }
    }

    func account() async throws -> AccountKey {
        try await store.writeAccess {
            try $0.makeAccount(email: nil, displayName: nil, passwordHash: nil).key
        }
    }

    /// The data as a command opens it that may run beside a server.
    func command(in directory: TemporaryDirectory) throws -> FileStore {
        var configuration = FileStoreConfiguration()
        configuration.isAlone = false
        return try FileStore(in: directory.path, configuration: configuration, clock: { self.clock.now })
    }

    /// The rows of tasks in the file, hidden ones too.
    func rows(of account: AccountKey) throws -> Int { try Self.rows(of: account, in: directory) }

    static func rows(of account: AccountKey, in directory: TemporaryDirectory) throws -> Int {
        try integer("SELECT count(*) FROM tasks WHERE account = \(account.number)", in: directory)
    }

    func unfinished() throws -> Int { try Self.integer("SELECT count(*) FROM unfinished_writes", in: directory) }

    private static func integer(_ sql: String, in directory: TemporaryDirectory) throws -> Int {
        let connection = try SQLiteConnection(path: directory.file(FileStore.fileName), access: .readOnly)
        defer { connection.close() }
        return Int(try connection.integer(sql) ?? 0)
    }
}

/// What readers see of an import.
private enum Sight: Equatable {
    case nothing
    case all(Int)
    case part(String)
}

extension FileStore {
    /// Every way to read a board.
    fileprivate func sees(of account: AccountKey) throws -> Sight {
        try readNow(account) { board in
            let listed = try board.tasks(TaskQuery()).count
            let changed = try board.changes(
                since: 0, types: Set(ResourceType.allCases), livingOnly: false, limit: 10_000)
            let feed = try board.feedState().revision
            let numbers = [
                listed, try board.countTasks(TaskQuery()), changed.count, Int(feed),
                try board.taskCounts().map(\.count).reduce(0, +), Int(try board.usage().tasks),
            ]
            guard Set(numbers).count == 1 else { return .part("\(numbers)") }
            return listed == 0 ? .nothing : .all(listed)
        }
    }

    /// Imports the tasks. `onTask` runs in the middle of it, on the thread of the writer.
    fileprivate func bring(
        _ tasks: [TaskItem], to account: AccountKey, onTask: @escaping @Sendable (Int) throws -> Void
    ) async throws -> ImportReport {
        try await write(account) { board in
            var document = BoardDocument()
            document.tasks = tasks.enumerated().map { BoardDocument.Entry($1, index: $0, line: $0 + 1) }
            return try board.importBoard(document, mode: .merge) { done in
                do {
                    try onTask(done)
                } catch {
                    Issue.record(error)
                }
            }
        }
    }

    @discardableResult
    fileprivate func write<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await write(account, session: nil, body)
    }

    /// Begins a write in the middle of another one, and returns when it waits for the writer.
    fileprivate func enqueue(_ write: @escaping @Sendable () async throws -> Void) {
        let waiting = activity.waitingWrites
        Task {
            do {
                try await write()
            } catch {
                Issue.record(error)
            }
        }
        // Nobody else can tell that it has come.
        while activity.waitingWrites == waiting { sched_yield() }
    }
}
