import Foundation
import JSON
import Kanban
import KanbanRows
import TestSupport
import Testing

@testable import KanbanClient

/// Files that are damaged, older, newer, or somebody else's.
struct FileTests {
    @Test func `a damaged file is set aside, and what is the user's own is taken over as far as it can be read`()
        async throws
    {
        let device = try await TestDevice()
        for number in 0..<50 { try await device.board.create(.init(title: "task \(number)")) }
        let pending = try await device.board.pending().count
        await device.board.close()
        let handle = try FileHandle(forUpdating: URL(filePath: device.file))
        try handle.write(contentsOf: Data(repeating: 0x5a, count: 64))
        try handle.close()

        let again = try await device.reopened()

        #expect(pending == 50)
        try await again.board.create(.init(title: "goes on"))
        #expect(try again.titles().contains("goes on"))
        let names = try FileManager.default.contentsOfDirectory(atPath: device.directory.file("guest"))
        #expect(names.contains { $0.hasPrefix("board.sqlite.damaged-") })
        await again.board.close()
    }

    @Test func `edits in a file whose board is damaged are sent all the same`() async throws {
        let server = try LocalServer()
        let device = try await TestDevice.on(server)
        try await device.board.create(.init(title: "safe"))
        await device.board.close()
        try device.damage("tasks")

        let again = try await device.reopened { $0.dependencies.transport = server }
        #expect(try again.titles() == ["safe"])
        try await again.board.syncNow()

        #expect(try again.titles() == ["safe"])
        #expect(try await again.board.pending().isEmpty)
        await again.board.close()
    }

    @Test func `an issue says how much of a damaged file is missing`() async throws {
        let device = try await TestDevice()
        for number in 0..<40 { try await device.board.create(.init(title: "task \(number)")) }
        await device.board.close()
        let handle = try FileHandle(forUpdating: URL(filePath: device.file))
        try handle.truncate(atOffset: try handle.seekToEnd() / 2)
        try handle.close()

        let again = try await device.reopened()

        let left = try await again.board.pending().count
        let issue = try again.board.issues.current().first
        #expect(left == 40 || issue?.kind == .rejected([Fault(pointer: "#/file", code: "damaged")]))
        if left < 40 { #expect(issue?.conflicts.map(\.member) == ["edits"]) }
        try await again.board.create(.init(title: "goes on"))
        await again.board.close()
    }

    @Test func `damage in the middle of the edits takes no more than a page of them`() async throws {
        let device = try await TestDevice()
        let body = String(repeating: "x", count: 400)
        for number in 0..<100 { try await device.board.create(.init(title: "task \(number)", body: body)) }
        await device.board.close()
        let page = try device.leavesOfOutbox()[4]
        try device.overwrite(page: page)

        let again = try await device.reopened()

        let left = try await again.board.pending().count
        #expect((80..<100).contains(left))
        let issue = try #require(try again.board.issues.current().first)
        #expect(issue.kind == .rejected([Fault(pointer: "#/file", code: "damaged")]))
        #expect(issue.conflicts.map(\.mine) == [String(100 - left)])
        let titles = try again.titles()
        #expect(titles.contains("task 0") && titles.contains("task 99") && titles.count == left)
        await again.board.close()
    }

    @Test func `an empty file has lost what it held, and an issue says so`() async throws {
        let device = try await TestDevice()
        #expect(try device.board.issues.current().isEmpty)
        try await device.board.create(.init(title: "lost"))
        await device.board.close()
        try Data().write(to: URL(filePath: device.file))

        let again = try await device.reopened()

        #expect(
            try again.board.issues.current().map(\.kind) == [.rejected([Fault(pointer: "#/file", code: "damaged")])])
        try await again.board.create(.init(title: "goes on"))
        #expect(try again.titles() == ["goes on"])
        await again.board.close()
    }

    @Test func `a file that an earlier or later version left is refused for reading, too`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "old"))
        await device.board.close()
        let folder = URL(filePath: device.directory.path)
        for (change, expected) in [
            ("UPDATE state SET value = '9999' WHERE name = 'replica.version'", KanbanError.newerData),
            ("UPDATE state SET value = '0' WHERE name = 'replica.version'", .tooOld),
        ] {
            let connection = try SQLiteConnection(path: device.file, access: .readWrite)
            try connection.run(change)
            connection.close()

            await #expect(throws: expected) { _ = try await KanbanBoard.openForReading(at: folder) }
        }
    }

    /// The index is read when the engine is made, the table when it sends.
    @Test(arguments: ["unanswered", "outbox"])
    func `a call that finds the file damaged waits for the board to be loaded again`(part: String) async throws {
        let server = try LocalServer()
        let device = try await TestDevice.on(server)
        try await device.board.create(.init(title: "on the server"))
        try await device.board.syncNow()
        await device.board.close()
        try device.damage(part)

        let again = try await device.reopened { $0.dependencies.transport = server }
        try await again.board.syncNow()

        #expect(try again.titles() == ["on the server"])
        try await again.board.create(.init(title: "goes on"))
        try await again.board.syncNow()
        #expect(try await server.json("GET", "/tasks")["items"]?.arrayValue?.count == 2)
        await again.board.close()
    }

    @Test func `a file of a newer version is refused and left alone`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "from the future"))
        await device.board.close()
        let connection = try SQLiteConnection(path: device.file, access: .readWrite)
        try connection.run("UPDATE state SET value = '9999' WHERE name = 'replica.version'" as String)
        connection.close()

        await #expect(throws: KanbanError.newerData) { _ = try await device.reopened() }

        let names = try FileManager.default.contentsOfDirectory(atPath: device.directory.file("guest"))
        #expect(!names.contains { $0.contains("damaged") })
    }

    @Test func `a full disk refuses edits and what the server says, and loses nothing`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let long = String(repeating: "x", count: 900)
        try await pad.board.edit((0..<100).map { .create(.init(title: "theirs \($0)", body: long)) })
        try await pad.board.syncNow()
        try await phone.board.create(.init(title: "mine"))

        try await phone.fillDisk()
        await #expect(throws: KanbanError.storage("The disk is full.")) { try await phone.board.syncNow() }
        #expect(try phone.titles() == ["mine"])
        try await phone.fillDisk()
        await #expect(throws: KanbanError.storage("The disk is full.")) {
            try await phone.board.edit((0..<100).map { .create(.init(title: "lost \($0)", body: long)) })
        }
        #expect(try phone.titles() == ["mine"])

        try await phone.board.create(.init(title: "after"))
        try await phone.board.syncNow()
        #expect(try phone.board.counts().current().total == 102)
        try await phone.board.core.replica.expectSound()
    }

    @Test func `the file and the secrets are the user's alone`() async throws {
        let device = try await TestDevice()
        let secrets = FileSecrets(in: URL(filePath: device.directory.path))
        try secrets.write("kb_secret", for: "a")
        try secrets.write("kb_other", for: "b")
        try secrets.write(nil, for: "b")

        #expect(try secrets.read("a") == "kb_secret")
        #expect(try secrets.read("b") == nil)
        for path in [device.file, device.directory.file("secrets.json")] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        await device.board.close()
    }

    @Test func `a file of secrets that cannot be read is not taken for an empty one`() async throws {
        let directory = try TemporaryDirectory()
        let secrets = FileSecrets(in: URL(filePath: directory.path))
        // For the user who runs everything, permissions keep nothing shut.
        try FileManager.default.createDirectory(
            atPath: directory.file("secrets.json"), withIntermediateDirectories: false)

        let error = KanbanError.storage("The file of secrets cannot be read.")
        #expect(throws: error) { try secrets.read("a") }
        #expect(throws: error) { try secrets.write("kb_token", for: "a") }
    }
}

extension TestDevice {
    /// The board without an account.
    var file: String { directory.file("guest/board.sqlite") }

    /// Overwrites the first page of a table or an index, while the board is closed.
    func damage(_ part: String) throws {
        let connection = try SQLiteConnection(path: file, access: .readWrite)
        let page = try #require(
            try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(part)'"))
        connection.close()
        try overwrite(page: page)
    }

    /// The pages with edits, in their order.
    fileprivate func leavesOfOutbox() throws -> [Int64] {
        let connection = try SQLiteConnection(path: file, access: .readOnly)
        defer { connection.close() }
        return try connection.all(
            "SELECT pageno FROM dbstat WHERE name = 'outbox' AND pagetype = 'leaf' ORDER BY path", []
        ) { $0.integer() }
    }

    fileprivate func overwrite(page: Int64) throws {
        let connection = try SQLiteConnection(path: file, access: .readOnly)
        let size = try #require(try connection.integer("PRAGMA page_size"))
        connection.close()
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        try handle.seek(toOffset: UInt64((page - 1) * size))
        try handle.write(contentsOf: Data(repeating: 0x5a, count: Int(size)))
        try handle.close()
    }

    /// The file may not grow until an error has it opened again.
    func fillDisk() async throws {
        try await board.core.replica.write { transaction in
            try transaction.rows.connection.run("PRAGMA max_page_count = 1" as String)
        }
    }
}
