import CSQLite
import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanSQLite
import TestSupport
import Testing

struct RowChecksumTests {
    /// A board with a row of each kind, changed and unchanged, with and without what may be missing.
    private func filled() async throws -> TestStore {
        let box = try TestStore()
        try await box.store.write { tx in
            let category = Category(
                id: tx.makeID(), name: "Ärzte", color: "#ff00ff", emoji: "🩺", createdAt: tx.now, updatedAt: tx.now,
                revision: try tx.nextRevision(), memberRevisions: MemberRevisions(all: 1))
            try tx.save(category)
            let plain = try tx.makeTask("Plain")
            let long = try tx.makeTask(
                "漢字 and more", status: .done, categoryID: category.id, dueDate: .day(Day(number: 20_000)))
            try tx.change(long.id) { $0.body = String(repeating: "body ", count: 60) }
            try tx.change(plain.id) { $0.deletedAt = tx.now }
            try tx.append(
                HistoryEntry(
                    taskID: long.id, revision: try tx.nextRevision(), at: tx.now, action: .updated,
                    changes: [.init(member: "body", from: "", to: "x")], sessionID: tx.makeID()))
            let dday = DDay(
                id: tx.makeID(), title: "Exam", date: Day(number: 20_100), createdAt: tx.now, updatedAt: tx.now,
                revision: try tx.nextRevision(), memberRevisions: MemberRevisions(all: 1))
            try tx.save(dday)
            let content = try ImageContent([0xff, 0xd8, 0xff, 1, 2, 3, 4, 5, 6, 7, 8])
            _ = try tx.putImage(tx.makeID(), content)
            try tx.save(
                Settings(
                    timeZone: "Asia/Seoul", custom: ["a": "b"], revision: try tx.nextRevision(),
                    memberRevisions: MemberRevisions(all: 1)))
        }
        return box
    }

    @Test func `what was written has the checksum that check finds`() async throws {
        let box = try await filled()

        #expect(try FileStore.check(box.directory.path) == [])
        box.store.close()
        for (table, _) in RowChecksum.tables {
            #expect(try count("\(table) WHERE checksum IS NULL", on: box.store.path) == 0, "\(table)")
            #expect(try count(table, on: box.store.path) > 0, "\(table)")
        }
    }

    private static let columns = RowChecksum.tables.flatMap { table in
        (["account"] + table.columns.split(separator: ", ").map(String.init)).map { "\(table.name).\($0)" }
    }

    @Test(arguments: columns)
    func `a column that changed on the disk is found`(place: String) async throws {
        let box = try await filled()
        box.store.close()
        let (table, column) = (place.prefix { $0 != "." }, place.drop { $0 != "." }.dropFirst())
        let instead = ["category_id", "session_id", "image"].contains(column) ? "zeroblob(16)" : "5"

        // As little as can be, and never what is there: the last byte of an id is random.
        try execute(
            """
            UPDATE \(table) SET \(column) = CASE typeof(\(column)) WHEN 'null' THEN \(instead)
                WHEN 'integer' THEN \(column) + 1
                WHEN 'text' THEN iif(substr(\(column), 1, 1) = 'x', 'y', 'x') || substr(\(column), 2)
                ELSE CAST(substr(\(column), 1, length(\(column)) - 1)
                    || iif(substr(\(column), -1) = x'7f', x'80', x'7f') AS BLOB) END
            """, on: box.store.path)

        let findings = try FileStore.check(box.directory.path)
        #expect(findings.contains { $0.hasPrefix("a row is not as it was written: one of \(table)") }, "\(findings)")
    }

    @Test func `a backup with a changed row is not restored, and not made`() async throws {
        let box = try await filled()
        let backup = box.directory.file("backup")
        try FileStore.backUp(box.directory.path, to: backup)
        try execute("UPDATE tasks SET body = 'xody' WHERE body <> ''", on: backup)
        let elsewhere = try TemporaryDirectory()

        #expect(throws: StoreError.self) {
            try FileStore.restore(from: backup, to: elsewhere.path, now: box.clock.now)
        }
        box.store.close()
        try execute("UPDATE tasks SET body = 'xody' WHERE body <> ''", on: box.store.path)
        #expect(throws: StoreError.self) { try FileStore.backUp(box.directory.path, to: box.directory.file("second")) }
    }

    @Test func `flipped bits in texts are found, wherever they are`() async throws {
        let box = try await filled()
        box.store.close()
        let path = box.store.path
        let sound = try Data(contentsOf: URL(filePath: path))
        var found = 0
        var tried = 0
        for text in ["body body", "漢字", "Plain", "Exam", "Asia/Seoul"] {
            var start = sound.startIndex
            // In the table and in every index that has a copy.
            while let range = sound.range(of: Data(text.utf8), in: start..<sound.endIndex) {
                var damaged = sound
                damaged[range.lowerBound + 1] ^= 0x01
                try damaged.write(to: URL(filePath: path))
                tried += 1
                if try !FileStore.check(box.directory.path).isEmpty { found += 1 }
                start = range.upperBound
            }
        }

        #expect(tried > 5)
        // A copy in a page that is no longer used may change.
        #expect(found >= tried - 2, "\(found) of \(tried)")
        try sound.write(to: URL(filePath: path))
        #expect(try FileStore.check(box.directory.path) == [])
    }
}
