import Foundation
import JSON
import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

/// A store in a directory of its own, for tests.
final class TestStore: Sendable {
    let directory: TemporaryDirectory
    let clock: TestClock
    let store: FileStore

    init(
        directory: TemporaryDirectory? = nil, clock: TestClock = TestClock(),
        configuration: FileStoreConfiguration = FileStoreConfiguration()
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        self.clock = clock
        store = try FileStore(in: directory.path, configuration: configuration, clock: { clock.now })
    }

    deinit {
        store.close()
    }

    /// Closes the store and opens another in the same directory.
    func reopened(configuration: FileStoreConfiguration = FileStoreConfiguration()) throws -> TestStore {
        store.close()
        return try TestStore(directory: directory, clock: clock, configuration: configuration)
    }
}

extension Store {
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any BoardWriter) throws -> T) async throws -> T {
        try await write(.local, session: nil, body)
    }

}

extension LocalStore {
    func read<T>(_ body: (any BoardReader) throws -> T) throws -> T {
        try readNow(.local, body)
    }

    /// The newest revision of the account.
    func revision(of account: AccountKey) throws -> Revision {
        try readNow(account) { try $0.feedState().revision }
    }
}

extension BoardWriter {
    /// Adds a task, which begins its history.
    @discardableResult
    func makeTask(
        _ title: String = "Task", id: ID? = nil, status: TaskStatus = .todo, categoryID: ID? = nil,
        dueDate: DueDate? = nil, position: String? = nil
    ) throws -> TaskItem {
        let revision = try nextRevision()
        var task = TaskItem(
            id: id ?? makeID(), title: title, status: status, categoryID: categoryID, dueDate: dueDate,
            position: Position(text: position ?? "a\(revision)"), createdAt: now, updatedAt: now,
            completedAt: status == .done ? now : nil, revision: revision)
        task.memberRevisions[.title] = revision
        task.memberRevisions[.position] = revision
        try add(task)
        return task
    }

    @discardableResult
    func change(_ id: ID, _ edit: (inout TaskItem) -> Void) throws -> TaskItem {
        var task = try #require(try task(id))
        edit(&task)
        task.revision = try nextRevision()
        task.updatedAt = now
        try save(task)
        return task
    }
}

extension TemporaryDirectory {
    /// Bytes of a file in it; 0 when it is not there.
    func size(of name: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: file(name)) else { return 0 }
        return try FileManager.default.attributesOfItem(atPath: file(name))[.size] as? Int ?? 0
    }
}
