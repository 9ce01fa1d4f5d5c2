import CSQLite
import Foundation
import Kanban
import KanbanSQLite
import TestSupport
import Testing

struct CheckTests {
    @Test func `sound data has no findings, also while it is open and after vacuuming`() async throws {
        let box = try TestStore()
        try await box.store.write { tx in
            let task = try tx.makeTask(status: .done)
            try tx.makeTask()
            try tx.change(task.id) { $0.deletedAt = Timestamp(milliseconds: 1) }
        }

        #expect(try FileStore.check(box.directory.path) == [])

        box.store.close()
        #expect(try FileStore.check(box.directory.path, vacuum: true) == [])
        let reopened = try box.reopened()
        #expect(try reopened.store.read { try $0.tasks(TaskQuery()).count } == 1)
    }

    @Test(arguments: [
        ("UPDATE accounts SET todo_tasks = todo_tasks + 1", "a count of tasks is wrong"),
        ("INSERT INTO task_counts VALUES (1, zeroblob(16), 0, 1)", "a count of tasks is wrong"),
        ("UPDATE accounts SET used_bytes = used_bytes + 1", "what an account takes is counted wrong"),
        ("UPDATE accounts SET used_tasks = 7", "what an account takes is counted wrong"),
        ("UPDATE accounts SET revision = 0", "a revision is above its account's"),
        ("UPDATE tasks SET position = 'a b'", "a task stands at no place"),
        ("UPDATE tasks SET completed_at = 5", "a task is done without a time, or has one and is not"),
        ("UPDATE tasks SET category_id = zeroblob(16)", "a task is in a category that does not exist"),
        (
            "INSERT INTO settings (account, custom, revision, member_revisions) SELECT 1, '{}', min(revision), x'' FROM tasks",
            "a revision stands twice"
        ),
        ("UPDATE accounts SET image = zeroblob(16)", "an image that is shown does not exist"),
        (
            "INSERT INTO image_contents (account, id, content) VALUES (1, zeroblob(16), x'00')",
            "an image has no bytes, others than it says, or bytes belong to none"
        ),
        ("UPDATE tasks SET id = x'00'", "an id is not 16 bytes"),
        ("UPDATE tasks SET account = 77", "a row belongs to no account"),
    ])
    func `what breaks a rule of ours is found`(statement: String, finding: String) async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask() }
        let second = try await box.store.write { try $0.makeTask() }
        box.store.close()
        try execute("DELETE FROM tasks WHERE id = x'\(hex(second.id))'; " + "DELETE FROM history;", on: box.store.path)
        try execute(
            "UPDATE accounts SET todo_tasks = 1, used_tasks = 1, used_bytes = used_bytes - 324", on: box.store.path)
        #expect(try FileStore.check(box.directory.path) == [])

        try execute(statement, on: box.store.path)

        let findings = try FileStore.check(box.directory.path)
        #expect(findings.contains { $0.hasPrefix(finding) }, "\(findings)")
    }

    @Test(arguments: Damage.allCases)
    func `a damaged file is refused, reported, and left as it is`(damage: Damage) async throws {
        let box = try TestStore()
        for number in 0..<200 { try await box.store.write { _ = try $0.makeTask("Task \(number)") } }
        box.store.close()
        let sound = box.directory.file("sound")
        try FileManager.default.moveItem(atPath: box.store.path, toPath: sound)
        try damage.write(from: sound, to: box.store.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: box.store.path))

        #expect(try !FileStore.check(box.directory.path).isEmpty)
        if damage != .scribbled {
            #expect(throws: StoreError.self) { try box.reopened() }
        }

        #expect(try Data(contentsOf: URL(fileURLWithPath: box.store.path)) == before)
    }
}

/// Runs statements on a file behind the store's back.
func execute(_ sql: String, on path: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
}

func hex(_ id: ID) -> String {
    id.description.filter { $0 != "-" }
}

/// How many rows a table has.
func count(_ table: String, on path: String) throws -> Int {
    var (handle, statement): (OpaquePointer?, OpaquePointer?)
    defer {
        sqlite3_finalize(statement)
        sqlite3_close(handle)
    }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_prepare_v2(handle, "SELECT count(*) FROM \(table)", -1, &statement, nil) == SQLITE_OK)
    try #require(sqlite3_step(statement) == SQLITE_ROW)
    return Int(sqlite3_column_int64(statement, 0))
}
