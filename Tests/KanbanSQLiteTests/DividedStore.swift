import Foundation
import Kanban
import KanbanAccess
import KanbanRows
import KanbanSQLite
import TestSupport
import Testing

/// A store whose bodies are divided wherever they can be, and the tasks of a file.
final class DividedStore: Sendable {
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

    /// Another account writes when 500 tasks of an import are done, and has its task when 700 are. Called in the middle of it.
    func letOtherWrite(in done: Int, _ isWritten: Flag) throws {
        let (store, other) = (store, other)
        if done == 500 {
            store.enqueue {
                try await store.write(other) { try $0.makeTask() }
                isWritten.set()
            }
        }
        if done == 700 {
            let counts = try store.readNow(other) { try $0.taskCounts().map(\.count) }
            #expect(counts == [1])
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

    func integer(_ sql: String) throws -> Int { try Self.integer(sql, in: directory) }

    private static func integer(_ sql: String, in directory: TemporaryDirectory) throws -> Int {
        let connection = try SQLiteConnection(path: directory.file(FileStore.fileName), access: .readOnly)
        defer { connection.close() }
        return Int(try connection.integer(sql) ?? 0)
    }
}

/// What readers see of an import.
enum Sight: Equatable {
    case nothing
    case all(Int)
    case part(String)
}

extension FileStore {
    /// Every way to read a board.
    func sees(of account: AccountKey) throws -> Sight {
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
    /// - Parameter content: what the document has besides tasks.
    func bring(
        _ tasks: [TaskItem], to account: AccountKey, besides content: BoardDocument = BoardDocument(),
        isDryRun: Bool = false, onTask: @escaping @Sendable (Int) throws -> Void
    ) async throws -> ImportReport {
        try await write(account) { board in
            var document = content
            document.tasks = tasks.enumerated().map { BoardDocument.Entry($1, index: $0, line: $0 + 1) }
            let report = try board.importBoard(document, mode: .merge) { done in
                do {
                    try onTask(done)
                } catch {
                    Issue.record(error)
                }
            }
            if isDryRun { throw Undone(report) }
            return report
        }
    }

    @discardableResult
    func write<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await write(account, session: nil, body)
    }

    /// Begins a write in the middle of another one, and returns when it waits for the writer.
    func enqueue(_ write: @escaping @Sendable () async throws -> Void) {
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
