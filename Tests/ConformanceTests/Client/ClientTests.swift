import Foundation
import KanbanClient
import TestSupport
import Testing

/// The client library against the program over real sockets.
struct ClientTests {
    @Test func `an edit on one device is live on the other`() async throws {
        let server = try Kanbase()
        let (phone, pad) = try await (ClientDevice(server.port), ClientDevice(server.port))
        phone.board.start()
        pad.board.start()
        _ = try await first(pad.board.status) { $0.phase == .live }

        let task = try await phone.board.create(.init(title: "우유", category: .named("shop")))
        _ = try await first(pad.board.tasks(in: .todo)) { $0.map(\.title) == ["우유"] }
        try await pad.board.move(task.id, to: .done)
        _ = try await first(phone.board.tasks(in: .done)) { $0.map(\.id) == [task.id] && !$0[0].isPending }

        #expect(try phone.board.categories().current().map(\.doneCount) == [1])
        let history = try await phone.board.history(of: task.id)
        #expect(history.map(\.action) == ["moved", "created"])
        #expect(try await phone.board.weather(latitude: 37.57, longitude: 126.98) == nil)
        await phone.board.close()
        await pad.board.close()
    }

    @Test func `a server that is gone for a while is found again, and nothing is lost`() async throws {
        let folder = try DataFolder()
        let server = try Kanbase(on: folder)
        let phone = try await ClientDevice(server.port)
        phone.board.start()
        _ = try await first(phone.board.status) { $0.phase == .live }
        server.stop(SIGKILL)
        _ = try await first(phone.board.status) { $0.phase == .offline }
        for number in 0..<20 { try await phone.board.create(.init(title: "task \(number)")) }

        let again = try Kanbase(on: folder, ["--port", "\(server.port)"])
        phone.board.networkChanged()
        _ = try await first(phone.board.status) { $0.phase == .live && $0.pendingEdits == 0 }

        let pad = try await ClientDevice(again.port)
        try await pad.board.syncNow()
        #expect(try pad.board.counts().current().total == 20)
        await phone.board.close()
        await pad.board.close()
    }

    @Test func `what was made as a guest goes to the account only when the app says so`() async throws {
        let server = try Kanbase(["--auth", "required"])
        let phone = try await ClientDevice(server.port)
        let task = try await phone.board.create(.init(title: "guest's", status: .doing, category: .named("c")))
        try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        await #expect(throws: KanbanError.loggedOut) { try await phone.board.syncNow() }
        try await phone.board.signUp(email: "a@example.org", password: "correct-horse")
        try await phone.board.syncNow()
        #expect(try await phone.board.task(task.id)?.status == .doing)
        #expect(try phone.board.ddays().current().count == 1)
        try await phone.board.logOut()
        #expect(try phone.board.counts().current().total == 0)

        try await phone.board.create(.init(title: "another guest"))
        let asks = try await #require(throws: KanbanError.self) {
            try await phone.board.logIn(email: "a@example.org", password: "correct-horse")
        }
        guard case .guestData(let counts) = asks else {
            Issue.record("\(asks)")
            return
        }
        #expect(counts.total == 1)
        await #expect(throws: KanbanError.wrongPassword) {
            try await phone.board.logIn(email: "a@example.org", password: "wrong-horse", guest: .discard)
        }
        try await phone.board.logIn(email: "a@example.org", password: "correct-horse", guest: .discard)
        try await phone.board.syncNow()
        #expect(try phone.board.tasks().current().map(\.title) == ["guest's"])
        await phone.board.close()
    }

    @Test func `one account's edits never get to another's board`() async throws {
        let server = try Kanbase(["--auth", "required"])
        let phone = try await ClientDevice(server.port)
        try await phone.board.signUp(email: "a@example.org", password: "correct-horse")
        try await phone.board.create(.init(title: "a's, unsent"))
        var tasks = phone.board.tasks().makeAsyncIterator()
        #expect(try await tasks.next()?.count == 1)

        try await phone.board.signUp(email: "b@example.org", password: "correct-horse")
        #expect(try await tasks.next()?.isEmpty == true)
        try await phone.board.create(.init(title: "b's"))
        try await phone.board.syncNow()
        #expect(try phone.board.tasks().current().map(\.title) == ["b's"])

        try await phone.board.logIn(email: "a@example.org", password: "correct-horse")
        try await phone.board.syncNow()
        #expect(try phone.board.tasks().current().map(\.title) == ["a's, unsent"])
        try await phone.board.create(.init(title: "more"))
        await #expect(throws: KanbanError.unsent(1)) { try await phone.board.logOut() }
        try await phone.board.logOut(.keep)
        try await phone.board.logIn(email: "a@example.org", password: "correct-horse")
        #expect(try phone.board.counts().current().total == 2)
        await phone.board.close()
    }

    @Test func `a session that was ended elsewhere keeps the edits until the next log-in`() async throws {
        let server = try Kanbase(["--auth", "required"])
        let phone = try await ClientDevice(server.port)
        let pad = try await ClientDevice(server.port)
        try await phone.board.signUp(email: "a@example.org", password: "correct-horse")
        try await pad.board.logIn(email: "a@example.org", password: "correct-horse")
        phone.board.start()
        _ = try await first(phone.board.status) { $0.phase == .live }
        // Ends all sessions but the pad's own.
        let token = try #require(try String(contentsOfFile: pad.folder.file("secrets.json"), encoding: .utf8).token)
        let client = try Client(port: server.port)
        #expect(try client.send("DELETE", "/sessions", ["authorization": "Bearer \(token)"]).status == 204)
        _ = try await first(phone.board.status) { $0.phase == .loggedOut }
        try await phone.board.create(.init(title: "kept"))

        try await phone.board.logIn(email: "a@example.org", password: "correct-horse")
        _ = try await first(phone.board.status) { $0.phase == .live && $0.pendingEdits == 0 }
        try await pad.board.syncNow()

        #expect(try pad.board.tasks().current().map(\.title) == ["kept"])
        await phone.board.close()
        await pad.board.close()
    }

    @Test func `another process cannot open the folder, and a widget may read it`() async throws {
        let server = try Kanbase()
        let phone = try await ClientDevice(server.port)
        try await phone.board.create(.init(title: "seen"))
        let binary = URL(filePath: kanbaseBinary).deletingLastPathComponent().appending(path: "kb").path

        let other = try ChildProcess.run(binary, [phone.folder.path, "http://127.0.0.1:1", "list"], environment: [:])
        let widget = try await KanbanBoard.openForReading(at: URL(filePath: phone.folder.path))

        #expect(other.ending == .exited(1))
        #expect(other.output.contains("Another process has the board open"))
        #expect(try widget.tasks().current().map(\.title) == ["seen"])
        await #expect(throws: KanbanError.storage("The board was opened for reading.")) {
            try await widget.create(.init(title: "no"))
        }
        await widget.close()
        await phone.board.close()
    }

    @Test func `a widget asks the server for what only it has`() async throws {
        let server = try Kanbase(["--auth", "required"])
        let phone = try await ClientDevice(server.port)
        try await phone.board.signUp(email: "a@example.org", password: "correct-horse")
        try await phone.board.create(.init(title: "seen"))
        try await phone.board.syncNow()

        let widget = try await KanbanBoard.openForReading(at: URL(filePath: phone.folder.path))

        #expect(try await widget.history().map(\.title) == ["seen"])
        // Asked, and the server has none: not that there is no network.
        await #expect(throws: KanbanError.notFound) { try await widget.image(KanbanID()) }
        await widget.close()
        await phone.board.close()
    }
}

extension String {
    /// The token in a file of secrets.
    fileprivate var token: String? {
        split(separator: "\"").first { $0.hasPrefix("kb_") }.map(String.init)
    }
}
