import Foundation
import Kanban
import TestSupport
import Testing

@testable import KanbanRows
@testable import KanbanSQLite

struct SchemaTests {
    @Test func `a file of a newer version is refused and left as it is`() async throws {
        let box = try TestStore()
        box.store.close()
        try execute("PRAGMA user_version = 99", on: box.store.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: box.store.path))

        #expect(throws: StoreError.newer(version: 99)) { try box.reopened() }
        #expect(throws: StoreError.newer(version: 99)) { try FileStore.check(box.directory.path) }
        #expect(throws: StoreError.newer(version: 99)) {
            try FileStore.restore(from: box.store.path, to: try TemporaryDirectory().path, now: box.clock.now)
        }

        #expect(try Data(contentsOf: URL(fileURLWithPath: box.store.path)) == before)
    }

    @Test func `a database of another program is refused and left as it is`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file(FileStore.fileName)
        try execute("CREATE TABLE recipes (name TEXT)", on: path)

        #expect(throws: StoreError.self) { try TestStore(directory: directory) }

        #expect(try count("recipes", on: path) == 0)
    }

    @Test func `an older file is copied and then brought up, with all that is in it`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask("old") }
        box.store.close()
        let next: [Schema.Step] = Schema.steps + [{ try $0.run("CREATE TABLE later (a INTEGER) STRICT" as String) }]

        let connection = try SQLiteConnection(path: box.store.path, access: .readWrite)
        try DataFile.bringUp(connection, now: box.clock.now, steps: next)
        connection.close()

        #expect(try count("later", on: box.store.path) == 0)
        #expect(try count("tasks", on: box.store.path) == 1)
        let copy = "\(box.store.path).v\(Schema.steps.count)-\(box.clock.now.milliseconds)"
        #expect(try count("tasks", on: copy) == 1)
        let old = try SQLiteConnection(path: copy, access: .readOnly)
        #expect(try old.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'later'") == 0)
    }

    @Test func `of those who bring a file up at once one does it, and one copy is left`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask("old") }
        box.store.close()
        let (path, now) = (box.store.path, box.clock.now)
        // What a process that was killed while it copied left behind.
        for leftover in [".copying", ".copying-journal"] {
            try Data("half".utf8).write(to: URL(filePath: path + leftover))
        }
        let next: [Schema.Step] =
            Schema.steps + [{ try $0.run("ALTER TABLE tasks ADD COLUMN later INTEGER" as String) }]

        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    let connection = try SQLiteConnection(path: path, access: .readWrite)
                    defer { connection.close() }
                    // However long the disk takes for the first of them.
                    try connection.run("PRAGMA busy_timeout = 240000" as String)
                    let copied = Timestamp(milliseconds: now.milliseconds + Int64(number))
                    try DataFile.bringUp(connection, now: copied, steps: next)
                }
            }
            try await group.waitForAll()
        }

        let names = try FileManager.default.contentsOfDirectory(atPath: box.directory.path)
        #expect(names.filter { $0.contains(".v") }.count == 1 && !names.contains { $0.contains("copying") }, "\(names)")
        #expect(try count("tasks", on: path) == 1)
    }

    @Test func `a copy that finds no room is not left in part`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask("old") }
        box.store.close()
        let next: [Schema.Step] = Schema.steps + [{ try $0.run("CREATE TABLE later (a INTEGER) STRICT" as String) }]
        let (path, now) = (box.store.path, box.clock.now)
        // In the place of the copy stands what a file cannot replace.
        let copy = "\(path).v\(Schema.steps.count)-\(now.milliseconds)"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)

        let connection = try SQLiteConnection(path: path, access: .readWrite)
        #expect(throws: StoreError.self) { try DataFile.bringUp(connection, now: now, steps: next) }
        connection.close()

        let names = try FileManager.default.contentsOfDirectory(atPath: box.directory.path)
        #expect(!names.contains { $0.contains("copying") }, "\(names)")
        let reopened = try box.reopened()
        #expect(try reopened.store.read { try $0.tasks(TaskQuery()).count } == 1)
    }

    @Test func `a step that fails leaves the file as it was`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask("old") }
        box.store.close()
        let next: [Schema.Step] =
            Schema.steps + [
                { try $0.run("DROP TABLE history" as String) }, { try $0.run("CREATE NONSENSE" as String) },
            ]

        let connection = try SQLiteConnection(path: box.store.path, access: .readWrite)
        #expect(throws: SQLiteError.self) { try DataFile.bringUp(connection, now: box.clock.now, steps: next) }
        connection.close()

        let reopened = try box.reopened()
        #expect(try reopened.store.read { try $0.tasks(TaskQuery()).count } == 1)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `a directory that cannot be written is an error of the disk`() throws {
        #expect(throws: StoreError.self) {
            try FileStore(in: "/proc/kanbase", clock: { Timestamp(milliseconds: 0) })
        }
    }

    @Test func `the directory and the file are for their owner only`() throws {
        let directory = try TemporaryDirectory()
        let store = try FileStore(in: directory.file("data"), clock: { Timestamp(milliseconds: 0) })
        defer { store.close() }
        let files = FileManager.default

        #expect(try files.attributesOfItem(atPath: directory.file("data"))[.posixPermissions] as? Int == 0o700)
        for name in try files.contentsOfDirectory(atPath: directory.file("data")) {
            let path = directory.file("data/\(name)")
            #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test(arguments: ["empty", "missing"])
    func `a file that is gone is refused beside its log, which stays`(file: String) async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask() }
        let crashed = try TemporaryDirectory()
        let log = try Data(contentsOf: URL(fileURLWithPath: box.store.path + "-wal"))
        if file == "empty" { try Data().write(to: URL(fileURLWithPath: crashed.file(FileStore.fileName))) }
        try log.write(to: URL(fileURLWithPath: crashed.file(FileStore.fileName + "-wal")))

        #expect(throws: StoreError.self) { try TestStore(directory: crashed) }

        #expect(try Data(contentsOf: URL(fileURLWithPath: crashed.file(FileStore.fileName + "-wal"))) == log)
    }

    @Test func `an empty file is refused and stays`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file(FileStore.fileName)
        try Data().write(to: URL(fileURLWithPath: file))

        #expect(throws: StoreError.self) { try TestStore(directory: directory) }

        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).isEmpty)
    }

    @Test func `of files that are placed under one name at once the first stays`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file(FileStore.fileName)
        try DurableFile.create(path + ".mine")
        try DurableFile.create(path + ".other")
        try Data("first".utf8).write(to: URL(fileURLWithPath: path + ".mine"))

        for source in [".mine", ".other"] { try DurableFile.place(path + source, at: path) }

        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("first".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [FileStore.fileName])
    }

    @Test func `every table that refers to accounts is erased with its account`() throws {
        let connection = try SQLiteConnection(path: ":memory:", access: .readWrite)
        defer { connection.close() }
        for step in Schema.steps { try step(connection) }

        let tables = try connection.text(
            """
            SELECT group_concat(name) FROM (
                SELECT DISTINCT schema.name FROM sqlite_schema AS schema, pragma_foreign_key_list(schema.name) AS keys
                WHERE schema.type = 'table' AND keys."table" = 'accounts' ORDER BY 1)
            """)

        #expect(tables == Schema.tablesOfAccounts.sorted().joined(separator: ","))
    }

    /// What somebody who may write a file for a moment could leave in it.
    private static let plants = [
        """
        CREATE TRIGGER backdoor AFTER INSERT ON sessions BEGIN
            INSERT INTO tokens (account, id, token_hash, name, scope, created_at)
            VALUES (new.account, randomblob(16), x'00', 'backdoor', 'full', 0);
        END
        """,
        "CREATE VIEW everything AS SELECT * FROM accounts",
        "DROP INDEX tasks_by_id",
        "DROP INDEX tasks_by_id; CREATE INDEX tasks_by_id ON tasks (account, id)",
        "CREATE TABLE extra (a INTEGER) STRICT",
        "DROP TABLE ddays",
        "ALTER TABLE sessions ADD COLUMN note TEXT",
    ]

    @Test(arguments: plants)
    func `a file that declares anything else is refused everywhere`(plant: String) async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask() }
        let clean = box.directory.file("clean")
        try FileStore.backUp(box.directory.path, to: clean)
        box.store.close()
        let planted = box.directory.file("planted")
        try FileManager.default.copyItem(atPath: clean, toPath: planted)

        try execute(plant, on: planted)
        try execute(plant, on: box.store.path)

        #expect(throws: StoreError.self, "start") { try box.reopened() }
        #expect(throws: StoreError.self, "backup") {
            try FileStore.backUp(box.directory.path, to: box.directory.file("b"))
        }
        #expect(try FileStore.check(box.directory.path).count == 1)
        let elsewhere = try TemporaryDirectory()
        #expect(throws: StoreError.self, "restore") {
            try FileStore.restore(from: planted, to: elsewhere.path, now: box.clock.now)
        }
        #expect(try FileStore.restore(from: clean, to: elsewhere.path, now: box.clock.now) == nil)
    }

    @Test func `an older file with a trigger is not brought up`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask("old") }
        box.store.close()
        try execute("CREATE TRIGGER t AFTER UPDATE ON accounts BEGIN DELETE FROM tasks; END", on: box.store.path)
        let next: [Schema.Step] = Schema.steps + [{ try $0.run("CREATE TABLE later (a INTEGER) STRICT" as String) }]

        let connection = try SQLiteConnection(path: box.store.path, access: .readWrite)
        #expect(throws: StoreError.self) { try DataFile.bringUp(connection, now: box.clock.now, steps: next) }
        connection.close()

        let names = try FileManager.default.contentsOfDirectory(atPath: box.directory.path)
        #expect(!names.contains { $0.contains(".v") }, "\(names)")
        #expect(try count("tasks", on: box.store.path) == 1)
    }

    @Test func `on a connection no trigger fires, no view reads, and nobody writes the schema`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("f")
        try execute(
            "CREATE TABLE a (x); CREATE TABLE b (x); CREATE VIEW v AS SELECT * FROM a;"
                + "CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (1); END", on: path)
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        defer { connection.close() }

        try connection.run("INSERT INTO a VALUES (1)" as String)

        #expect(try connection.integer("SELECT count(*) FROM b") == 0)
        #expect(throws: SQLiteError.self) { try connection.integer("SELECT count(*) FROM v") }
        try connection.run("PRAGMA writable_schema = ON" as String)
        #expect(throws: SQLiteError.self) { try connection.run("DELETE FROM sqlite_schema" as String) }
        #expect(try connection.integer("PRAGMA trusted_schema") == 0)
    }
}
