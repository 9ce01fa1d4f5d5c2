import Kanban
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// Requests and answers that are lost, or answered by somebody else: nothing is lost, doubled, or taken for another's edit.
struct LostAnswerTests {
    @Test(arguments: [0, 7_200])
    func `a chain of edits over requests that are full is no conflict`(age: Int64) async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        try await phone.board.edit((0..<1_100).map { .create(.init(title: "task \($0)")) })
        try await phone.rename("edited")
        phone.clock.advance(seconds: age)
        try await phone.board.syncNow(timeout: .seconds(1_200))

        #expect(try phone.board.issues.current().isEmpty)
        let pad = try await TestDevice.on(server, seed: 2)
        try await pad.board.syncNow(timeout: .seconds(1_200))
        for device in [phone, pad] {
            let areEdited = try device.titles() == Array(repeating: "edited", count: 1_100)
            #expect(areEdited)
        }
    }

    @Test(arguments: [false, true])
    func `what the server has answered is no other's before the feed brings it`(undoes: Bool) async throws {
        let server = try LocalServer()
        let network = MeddlingNetwork(to: server)
        let phone = try await TestDevice.on(network)
        try await phone.board.edit((0..<501).map { .create(.init(title: "task \($0)")) })
        try await phone.board.syncNow(timeout: .seconds(1_200))
        try await phone.rename("first")
        let pushes = Locked(0)
        network.meddle { path in
            guard path == "/sync" else { return .none }
            pushes.withLock { $0 += 1 }
            return pushes.withLock { $0 } == 2 ? .cut : .none
        }
        await #expect(throws: KanbanError.offline) { try await phone.board.syncNow(timeout: .seconds(1_200)) }
        #expect(try await phone.board.pending().count == 1)

        if undoes {
            #expect(try await phone.board.undo() == .done)
        } else {
            try await phone.rename("second")
        }
        try await phone.board.syncNow(timeout: .seconds(1_200))

        #expect(try phone.board.issues.current().isEmpty)
        #expect(Set(try phone.titles()) == (undoes ? Set((0..<501).map { "task \($0)" }) : ["second"]))
    }

    @Test func `an edit whose answer was lost is performed once, though the cursor expires`() async throws {
        let server = try LocalServer()
        let network = MeddlingNetwork(to: server)
        let (phone, pad) = try await (TestDevice.on(network), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "base"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { $0.title = "mine" }
        network.meddle { $0 == "/sync" ? .loseAnswer : .none }
        await #expect(throws: KanbanError.offline) { try await phone.board.syncNow() }
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { $0.title = "theirs, of later" }
        try await pad.board.syncNow()
        let expired = TestFlag()
        network.meddle { path in
            guard path == "/sync", !expired.isSet else { return .none }
            expired.set(true)
            return .answer(410, #"{"type":"about:blank","status":410,"code":"cursor_expired"}"#)
        }
        try await phone.board.syncNow()

        #expect(expired.isSet)
        #expect(try phone.titles() == ["theirs, of later"])
        #expect(try phone.board.issues.current().isEmpty)
        try await pad.board.syncNow()
        #expect(try pad.titles() == ["theirs, of later"])
    }

    @Test func `an edit without a result is sent again after a wait`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "safe"))
        device.network.answer { _, _, _ in (200, #"{"results":[],"changes":[],"cursor":"1-0","hasMore":false}"#) }

        await #expect(throws: KanbanError.server(status: 0, code: "not_understood", requestID: nil)) {
            try await device.board.syncNow()
        }
        #expect(device.network.requests.filter { $0.method == "POST" }.count == 1)
        #expect(try await device.board.pending().count == 1)
    }

    @Test func `an answer that was lost loses nothing and does nothing twice`() async throws {
        let server = try LocalServer()
        let network = MeddlingNetwork(to: server)
        let phone = try await TestDevice.on(network)
        try await phone.board.create(.init(title: "once"))
        network.meddle { $0 == "/sync" ? .loseAnswer : .none }
        await #expect(throws: KanbanError.offline) { try await phone.board.syncNow() }
        #expect(try await phone.board.pending().first?.attempts == 1)
        try await phone.board.create(.init(title: "then"))

        network.meddle { _ in .none }
        try await phone.board.syncNow()

        #expect(try phone.titles() == ["once", "then"])
        #expect(try phone.board.issues.current().isEmpty)
        #expect(try await phone.board.pending().isEmpty)
    }

    @Test(arguments: [200, 301, 400, 403, 404, 409, 410, 422])
    func `a page of a proxy is no answer`(status: Int) async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "safe"))
        device.network.answer { method, _, _ in
            method == "GET"
                ? (200, #"{"changes":[],"cursor":"1-0","hasMore":false}"#)
                : (status, "<html>Welcome to the hotel</html>")
        }

        // The test's network says that all is JSON.
        let expected =
            status == 200 ? KanbanError.server(status: 0, code: "not_understood", requestID: nil) : .notKanbase
        await #expect(throws: expected) { try await device.board.syncNow() }
        #expect(try device.titles() == ["safe"])
        #expect(try await device.board.pending().count == 1)
        #expect(try device.board.issues.current().isEmpty)
    }

    @Test(arguments: [("1-2", ["later"]), ("1-4", []), ("2-9", ["later"])])
    func `what a server lost whose data were set back is an issue`(end: String, lost: [String]) async throws {
        let device = try await TestDevice()
        let server = ValueBoard()
        let (first, later) = try (
            server.createTask(id: nil, title: "first", TaskEdit()),
            server.createTask(id: nil, title: "later", TaskEdit())
        )
        let changes = [first, later].map { Change(revision: $0.revision, type: .task, id: $0.id, value: .task($0)) }
        try await device.board.core.replica.write {
            try $0.integrate(SyncResponse(changes: changes, cursor: "1-3"))
            try $0.startOver()
            try $0.integrate(SyncResponse(changes: [changes[0]], cursor: end))
        }

        #expect(try device.titles() == ["first"])
        #expect(try device.board.issues.current().map(\.kind) == lost.map { _ in .restoredServer })
        #expect(try device.board.issues.current().compactMap(\.mine?.title) == lost)
    }

    @Test func `a task that a stream deleted does not come back with an older page`() async throws {
        let device = try await TestDevice()
        let server = ValueBoard()
        let task = try server.createTask(id: nil, title: "ghost", TaskEdit())
        let id = task.id
        let made = Change(revision: task.revision, type: .task, id: id, value: .task(task))
        let deleted = Change(revision: task.revision + 1, type: .task, id: id, value: .deleted)
        try await device.board.core.replica.write {
            try $0.integrate(SyncResponse(changes: [], cursor: "1-0"))
            try $0.integrate(SyncResponse(changes: [deleted], cursor: "1-2"), isStream: true)
            try $0.integrate(SyncResponse(changes: [made], cursor: "1-1"))
        }

        #expect(try device.titles() == [])
    }
}

extension TestDevice {
    /// Renames all tasks, in one step.
    fileprivate func rename(_ title: String) async throws {
        try await board.edit(try board.tasks().current().map { .replace($0.id, TaskDraft(title: title)) })
    }

    @Test func `an edit that the server may have is not taken back while the account has no room`() async throws {
        let server = try LocalServer()
        let network = MeddlingNetwork(to: server)
        let phone = try await TestDevice.on(network)
        try await phone.board.create(.init(title: "base"))
        try await phone.board.syncNow()
        try await phone.rename("mine")
        network.meddle { $0 == "/sync" ? .loseAnswer : .none }
        await #expect(throws: KanbanError.offline) { try await phone.board.syncNow() }
        network.meddle { $0 == "/sync" ? .answer(507, #"{"code": "quota_exceeded", "requestId": "1"}"#) : .none }
        await #expect(throws: KanbanError.server(status: 507, code: "quota_exceeded", requestID: "1")) {
            try await phone.board.syncNow()
        }
        network.meddle { _ in .none }

        #expect(try await phone.board.undo() == .done)
        try await phone.board.syncNow()

        #expect(try phone.titles() == ["base"])
        #expect(try phone.board.issues.current().isEmpty)
    }
}
