import Kanban
import TestSupport
import Testing

@testable import KanbanRows
@testable import KanbanSQLite

struct SealTests {
    @Test func `a changed bit in any column of any table breaks the seal`() throws {
        let file = try SQLiteConnection(path: ":memory:", access: .readWrite)
        defer { file.close() }
        try Schema.migrate(file)
        try file.run("PRAGMA foreign_keys = OFF" as String)
        let columns = try texts(
            """
            SELECT tables.name || ' ' || columns.name || ' ' || columns.type FROM sqlite_schema AS tables,
                pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_stat%' ORDER BY tables.name, columns.cid
            """, on: file
        ).map { $0.split(separator: " ").map(String.init) }
        let tables = Dictionary(grouping: columns) { $0[0] }
        for (table, columns) in tables where table != Seal.table && !table.hasPrefix("sqlite") {
            let values = columns.map { Self.value(of: $0[2]) }.joined(separator: ", ")
            try file.run("INSERT INTO \(table) VALUES (\(values))" as String)
        }
        #expect(try Seal.findings(in: file) == [], "a file without a seal is not a backup")
        try Seal.write(into: file)
        #expect(try Seal.findings(in: file) == [])

        for column in columns {
            let (table, name) = (column[0], column[1])
            try file.run("SAVEPOINT flip" as String)
            for change in Self.changes(of: name, type: column.count > 2 ? column[2] : "INTEGER") {
                try file.run("UPDATE \(table) SET \(name) = \(change)" as String)
                #expect(try !Seal.findings(in: file).isEmpty, "\(table).\(name) = \(change)")
                try file.run("ROLLBACK TO flip" as String)
            }
            try file.run("RELEASE flip" as String)
        }
        #expect(Set(columns.map { $0[0] }).isSuperset(of: Schema.tablesOfAccounts + ["accounts", "sqlite_sequence"]))
    }

    @Test func `a missing or another row breaks the seal`() throws {
        let file = try SQLiteConnection(path: ":memory:", access: .readWrite)
        defer { file.close() }
        try Schema.migrate(file)
        try file.run("INSERT INTO accounts (number, id, created_at, epoch) VALUES (1, x'01', 0, 0)" as String)
        try Seal.write(into: file)

        try file.run(
            "INSERT INTO settings (account, custom, revision, member_revisions) VALUES (1, '{}', 1, x'')" as String)
        #expect(try Seal.findings(in: file) == ["the table settings is not as the backup was written"])
        try file.run("DELETE FROM settings" as String)
        #expect(try Seal.findings(in: file) == [])
        try file.run("DELETE FROM seal WHERE name = 'accounts'" as String)
        #expect(try Seal.findings(in: file) == ["the table accounts is not as the backup was written"])
    }

    @Test(arguments: [
        "UPDATE accounts SET password_hash = 'known'", "UPDATE accounts SET state = 1",
        "UPDATE tombstones SET id = x'00112233445566778899aabbccddeeff'", "UPDATE seal SET checksum = 1 - checksum",
    ])
    func `a backup that was changed is refused, and its own data directory has no seal`(change: String) async throws {
        let box = try TestStore()
        let task = try await box.store.write { try $0.makeTask() }
        try await box.store.write { tx in
            let dday = try tx.createDDay(id: nil) { dday in
                dday.title = "Exam"
                dday.date = Day(number: 9)
            }
            try tx.removeDDay(dday.id, revision: try tx.nextRevision())
        }
        let file = box.directory.file("copy.backup")
        try FileStore.backUp(box.directory.path, to: file)
        let changed = box.directory.file("changed.backup")
        try FileStore.backUp(box.directory.path, to: changed)
        try execute(change, on: changed)
        let target = try TemporaryDirectory()

        #expect(throws: StoreError.self) {
            try FileStore.restore(from: changed, to: target.path, now: box.clock.now)
        }
        try FileStore.restore(from: file, to: target.path, now: box.clock.now)

        let restored = try TestStore(directory: target)
        #expect(try restored.store.read { try $0.task(task.id) } != nil)
        #expect(try count("seal", on: restored.store.path) == 0 && count("seal", on: file) > 0)
    }

    @Test func `a backup that is served where it lies is no longer sealed`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask() }
        let target = try TemporaryDirectory()
        try FileStore.backUp(box.directory.path, to: target.file(FileStore.fileName))

        let served = try TestStore(directory: target)
        try await served.store.write { _ = try $0.makeTask() }

        #expect(try FileStore.check(target.path) == [])
    }

    private static func value(of type: String) -> String {
        switch type {
        case "INTEGER": "5"
        case "TEXT": "'value'"
        default: "x'0102'"
        }
    }

    /// A bit of the value, and NULL.
    private static func changes(of column: String, type: String) -> [String] {
        switch type {
        case "INTEGER": ["\(column) + 1", "\(column) - (1 << 40)"]
        // `v` and `w` differ in a bit.
        case "TEXT": ["replace(\(column), 'v', 'w')", "'w' || substr(\(column), 2)"]
        default: ["x'0103'", "x'8102'"]
        }
    }

    private func texts(_ sql: String, on connection: SQLiteConnection) throws -> [String] {
        let statement = try SQLiteStatement(sql, on: connection)
        defer { statement.finalize() }
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text()) }
        return texts
    }
}
