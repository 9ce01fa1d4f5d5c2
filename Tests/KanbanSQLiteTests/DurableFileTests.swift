import Foundation
import Kanban
import KanbanRows
import TestSupport
import Testing

@testable import KanbanSQLite

struct DurableFileTests {
    @Test(arguments: [
        ("x", "."), ("xy", "."), ("é", "."), (".", "."), ("a/", "."), ("/x", "/"), ("/", "/"), ("a/b", "a"),
        ("a/b/", "a"), ("/a/b", "/a"), ("./x", "."), ("../x", ".."), ("a//b", "a"),
    ])
    func `the directory of a file is what dirname says`(path: String, directory: String) {
        #expect(path.parentDirectory == directory)
    }

    @Test func `a file is made under a new name only, and never through a link`() throws {
        let directory = try TemporaryDirectory()
        let (path, other) = (directory.file("made"), directory.file("other"))
        try Data("theirs".utf8).write(to: URL(filePath: other))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)

        #expect(throws: StoreError.self) { try DurableFile.create(path) }
        #expect(throws: StoreError.self) { try DurableFile.copy(other, to: path) }
        #expect(throws: StoreError.self) { try DurableFile.create(other) }

        #expect(try Data(contentsOf: URL(filePath: other)) == Data("theirs".utf8))
        #expect(DurableFile.partialName(of: path) != DurableFile.partialName(of: path))
    }

    @Test(.enabled(if: geteuid() == 0, "only the administrator may give files away"))
    func `what the administrator makes of the data belongs to the owner of the directory`() async throws {
        let (made, restored) = (try TemporaryDirectory(), try TemporaryDirectory())
        for directory in [made, restored] { #expect(chown(directory.path, 4_711, 4_712) == 0) }

        let box = try TestStore(directory: made)
        let backup = made.file("backup")
        try FileStore.backUp(made.path, to: backup)
        try FileStore.restore(from: backup, to: restored.path, now: box.clock.now)

        for path in [box.store.path, box.store.path + "-wal", restored.file(FileStore.fileName)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == 4_711 && attributes[.groupOwnerAccountID] as? Int == 4_712)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: backup)
        #expect(attributes[.ownerAccountID] as? Int == 0)
    }

    @Test func `a file that cannot be opened says why`() throws {
        let directory = try TemporaryDirectory()

        let error = #expect(throws: SQLiteError.self) {
            try SQLiteConnection(path: directory.file("missing/file"), access: .readOnly).close()
        }

        #expect(error?.description == "SQLite 14: unable to open database file (No such file or directory)")
    }

    @Test func `a copy is the same bytes, for its owner alone`() throws {
        let directory = try TemporaryDirectory()
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try bytes.write(to: URL(filePath: directory.file("source")))

        try DurableFile.copy(directory.file("source"), to: directory.file("copy"))

        #expect(try Data(contentsOf: URL(filePath: directory.file("copy"))) == bytes)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.file("copy"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
