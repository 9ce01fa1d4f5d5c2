import Foundation
import JSON
import TestSupport
import Testing

@testable import KanbanClient

/// One folder, opened with the addresses of several servers.
struct ServerFolderTests {
    /// A device whose board heard from its server, `http://first.test`.
    private func deviceThatHeard() async throws -> TestDevice {
        let server = try LocalServer()
        let first = try await TestDevice(server: "http://first.test") { $0.dependencies.transport = server }
        try await first.board.syncNow()
        return first
    }

    @Test func `another server neither gets nor shows what was made for the first`() async throws {
        let first = try await deviceThatHeard()
        try await first.board.create(.init(title: "of the first"))
        await first.board.close()

        let server = try LocalServer()
        let second = try await TestDevice(directory: first.directory, seed: 2, server: "http://second.test") {
            $0.dependencies.transport = server
        }
        #expect(try second.titles().isEmpty)
        try await second.board.create(.init(title: "of the second"))
        try await second.board.syncNow()

        #expect(try await server.json("GET", "/changes")["changes"]?.arrayValue?.count == 1)
        #expect(try second.titles() == ["of the second"])
        await second.board.close()
        // The same address, written in another way.
        let again = try await TestDevice(directory: first.directory, seed: 3, server: "HTTP://First.test:80/")
        #expect(try again.titles() == ["of the first"])
        #expect(try await again.board.pending().count == 1)
        await again.board.close()
    }

    @Test func `a server that never answered leaves its board to the next`() async throws {
        let wrong = try await TestDevice(server: "http://wrong.test")
        try await wrong.board.create(.init(title: "Milk"))
        await #expect(throws: KanbanError.self) { try await wrong.board.syncNow() }
        await wrong.board.close()

        let server = try LocalServer()
        let right = try await TestDevice(directory: wrong.directory, seed: 2, server: "http://right.test") {
            $0.dependencies.transport = server
        }
        #expect(try right.titles() == ["Milk"])
        try await right.board.syncNow()

        #expect(try await server.json("GET", "/changes")["changes"]?.arrayValue?.count == 1)
        await right.board.close()
        // Now it has the board.
        let again = try await TestDevice(directory: wrong.directory, seed: 3, server: "http://wrong.test")
        #expect(try again.titles().isEmpty)
        await again.board.close()
    }

    /// What a server that wants an account says, also to a sync without one.
    private static let refusal = #"{"code": "unauthorized", "status": 401, "requestId": "1"}"#

    @Test(arguments: ["sync", "logIn", "signUp"])
    func `a server that answered with a refusal keeps its board`(call: String) async throws {
        let first = try await TestDevice(server: "http://first.test")
        first.network.answer { _, _, _ in (401, Self.refusal) }
        try await first.board.create(.init(title: "of the first"))
        await #expect(throws: KanbanError.self) {
            switch call {
            case "sync": try await first.board.syncNow()
            case "logIn": try await first.board.logIn(email: "a@example.org", password: "wrong", guest: .add)
            default: try await first.board.signUp(email: "a@example.org", password: "wrong")
            }
        }
        await first.board.close()

        let second = try await TestDevice(directory: first.directory, seed: 2, server: "http://second.test")
        #expect(try second.titles().isEmpty)
        await second.board.close()
        let again = try await TestDevice(directory: first.directory, seed: 3, server: "http://first.test")
        #expect(try again.titles() == ["of the first"])
        await again.board.close()
    }

    @Test func `another service at a wrong address does not keep the board`() async throws {
        let wrong = try await TestDevice(server: "http://wrong.test")
        // A Kanbase at another path of the machine.
        wrong.network.answer { _, _, _ in (404, #"{"code": "not_found", "requestId": "1"}"#) }
        try await wrong.board.create(.init(title: "Milk"))
        let error = KanbanError.notKanbase
        await #expect(throws: error) { try await wrong.board.syncNow() }
        await #expect(throws: error) { try await wrong.board.logIn(email: "a@example.org", password: "password") }
        await #expect(throws: error) { try await wrong.board.signUp(email: "a@example.org", password: "password") }
        await wrong.board.close()

        let right = try await TestDevice(directory: wrong.directory, seed: 2, server: "http://right.test")
        #expect(try right.titles() == ["Milk"])
        await right.board.close()
    }

    @Test func `a board whose file was damaged stays with its server`() async throws {
        let first = try await deviceThatHeard()
        try await first.board.create(.init(title: "of the first"))
        await first.board.close()
        try first.damage("tasks")
        let mended = try await TestDevice(directory: first.directory, seed: 2, server: "http://first.test")
        #expect(try mended.titles() == ["of the first"])
        await mended.board.close()

        let second = try await TestDevice(directory: first.directory, seed: 3, server: "http://second.test")
        #expect(try second.titles().isEmpty)
        await second.board.close()
    }

    @Test(arguments: ["", "{", #"{"servers": [], "shown": 3}"#])
    func `a damaged list of servers takes no board away`(text: String) async throws {
        let first = try await deviceThatHeard()
        try await first.board.create(.init(title: "of the first"))
        await first.board.close()
        let list = first.directory.file("servers")
        try Data(text.utf8).write(to: URL(filePath: list))

        let again = try await TestDevice(directory: first.directory, seed: 2, server: "http://first.test")
        #expect(try again.titles() == ["of the first"])
        await again.board.close()
        // Of two servers' boards it would have to guess.
        let second = try await TestDevice(directory: first.directory, seed: 3, server: "http://second.test")
        await second.board.close()
        try Data(text.utf8).write(to: URL(filePath: list))
        await #expect(
            throws: KanbanError.storage("\(list) is damaged: copy it from a backup, or open another folder.")
        ) {
            try await TestDevice(directory: first.directory, seed: 4, server: "http://second.test")
        }
    }

    @Test(arguments: ["http://server.test/?utm=1", "http://server.test#board", "http://server.test//"])
    func `what an address has beside its path goes with no request`(address: String) async throws {
        let device = try await TestDevice(server: address)

        await #expect(throws: KanbanError.offline) { try await device.board.syncNow(until: .pulled) }

        #expect(device.network.requests.map(\.target) == ["/stats", "/changes?limit=1000"])
        #expect(ServerFolders.name(of: device.board.core.server) == "http://server.test")
        await device.board.close()
    }

    @Test func `a log-in counts for its server alone`() async throws {
        let first = try await TestDevice(server: "http://first.test")
        let account = KanbanID()
        try await first.board.core.show(account, token: "kb_token")
        try await first.board.create(.init(title: "of the account"))
        await first.board.close()

        let second = try await TestDevice(directory: first.directory, seed: 2, server: "http://second.test")
        #expect(second.board.core.account == nil)
        #expect(second.board.core.token == nil)
        try await second.board.core.show(account, token: "kb_other")
        #expect(try second.titles().isEmpty)
        await second.board.close()

        let again = try await TestDevice(directory: first.directory, seed: 3, server: "http://first.test/")
        #expect(again.board.core.token == "kb_token")
        #expect(try again.titles() == ["of the account"])
        await again.board.close()
    }

    @Test func `a folder that is open is not opened with another server`() async throws {
        let device = try await TestDevice(server: "http://first.test")
        let folder = URL(filePath: device.directory.path)
        let same = try await KanbanBoard.open(at: folder, server: try #require(URL(string: "http://first.test/")))
        #expect(same === device.board)

        await #expect(throws: KanbanError.self) {
            try await KanbanBoard.open(at: folder, server: try #require(URL(string: "https://first.test")))
        }
    }

    @Test(arguments: ["http://[::1]:8080", "https://Example.org:443/", "http://example.org:8080/kanban"])
    func `a board opened for reading knows the server's address`(address: String) async throws {
        let device = try await TestDevice(server: address)
        let widget = try await KanbanBoard.openForReading(at: URL(filePath: device.directory.path))

        #expect(widget.core.server.host() == URL(string: address)?.host()?.lowercased())
        await device.board.close()
    }

    @Test func `a widget reads the board of the server that was opened last`() async throws {
        let first = try await deviceThatHeard()
        try await first.board.create(.init(title: "of the first"))
        await first.board.close()
        let second = try await TestDevice(directory: first.directory, seed: 2, server: "http://second.test")
        try await second.board.create(.init(title: "of the second"))

        let widget = try await KanbanBoard.openForReading(at: URL(filePath: first.directory.path))

        #expect(try widget.tasks().current().map(\.title) == ["of the second"])
        await second.board.close()
    }
}
