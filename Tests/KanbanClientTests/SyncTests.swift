import Foundation
import JSON
import Kanban
import KanbanRows
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Two devices and the real API, without a socket.
struct SyncTests {
    @Test func `what one device edits another shows, in the same order`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        for title in ["a", "b", "c"] { try await phone.board.create(.init(title: title)) }
        let last = try #require(try phone.board.tasks().current().last)
        try await phone.board.move(last.id, .first)
        try await phone.board.syncNow()

        try await pad.board.syncNow()

        #expect(try pad.titles() == ["c", "a", "b"])
        #expect(try Shown(phone.board) == Shown(pad.board))
        #expect(try phone.board.status.current().pendingEdits == 0)
        #expect(try phone.board.tasks().current().allSatisfy { !$0.isPending })
        #expect(try !phone.board.status.current().isFromDevice)
    }

    @Test func `both changed a member: mine is applied and both values are kept`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "base"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { $0.title = "pad" }
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { $0.title = "phone" }
        try await phone.board.syncNow()

        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.kind == .merged)
        #expect(issue.conflicts == [Conflict(target: task.id, member: "title", mine: "phone", theirs: "pad")])
        #expect(try await phone.board.task(task.id)?.title == "phone")

        try await phone.board.answer(issue.id, .theirs)
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        #expect(try await pad.board.task(task.id)?.title == "pad")
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test(arguments: [365, -365])
    func `a clock that is a year off loses nothing, before and after somebody sets it right`(days: Int64) async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let early = try await phone.board.create(.init(title: "early"))
        phone.clock.advance(seconds: days * 86_400)
        let task = try await phone.board.create(.init(title: "wrong", due: .day("2026-12-24")))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { $0.title = "right" }
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { $0.body = "of the phone" }
        try await phone.board.delete(early.id)
        #expect(try await phone.board.undo() == .done)
        try await phone.board.syncNow()
        phone.clock.advance(seconds: -days * 86_400)
        try await phone.board.move(task.id, to: .doing)
        try await phone.board.syncNow()
        try await pad.board.syncNow()

        #expect(try phone.titles(.todo) == ["early"])
        #expect(try phone.titles(.doing) == ["right"])
        #expect(try Shown(phone.board) == Shown(pad.board))
        #expect(try phone.board.issues.current().isEmpty)
        #expect(try phone.board.trash().current().isEmpty)
        for device in [phone, pad] { await device.board.close() }
    }

    @Test func `an edit of last week yields, and can still be made`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "base"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) {
            $0.title = "old words"; $0.body = "and more"
        }
        phone.clock.advance(seconds: 7 * 86_400)
        try await pad.board.edit(task.id) { $0.title = "new words" }
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(try await phone.board.task(task.id)?.title == "new words")
        #expect(try await phone.board.task(task.id)?.body == "and more")
        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.mine?.title == "old words")
        try await phone.board.answer(issue.id, .mine)
        try await phone.board.syncNow()
        #expect(try await phone.board.task(task.id)?.title == "old words")
    }

    @Test func `the trash of a device is emptied after as many days as the server's`() async throws {
        let clock = TestClock()
        let server = try LocalServer(clock: clock)
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "gone"))
        let kept = try await phone.board.create(.init(title: "deleted later"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await phone.board.delete(task.id)
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        for clock in [clock, phone.clock, pad.clock] { clock.advance(seconds: 29 * 86_400) }
        try await pad.board.delete(kept.id)

        try await pad.board.syncNow()
        #expect(Set(try pad.board.trash().current().map(\.title)) == ["gone", "deleted later"])
        for clock in [clock, phone.clock, pad.clock] { clock.advance(seconds: 2 * 86_400) }
        try await pad.board.create(.init(title: "of that day"))
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(try pad.board.trash().current().map(\.title) == ["deleted later"])
        #expect(try phone.board.trash().current().map(\.title) == ["deleted later"])
        #expect(try await pad.board.pending().isEmpty)
    }

    @Test func `the trash shows nothing that was deleted thirty days ago`() async throws {
        let device = try await TestDevice()
        for title in ["first", "second"] {
            try await device.board.delete(try await device.board.create(.init(title: title)).id)
            device.clock.advance(seconds: 86_400)
        }
        let trash = device.board.trash()

        #expect(try trash.current().map(\.title) == ["second", "first"])
        let validUntil = try #require(try trash.read().validUntil)
        #expect(validUntil.milliseconds == 1_795_000_000_000 + 30 * 86_400_000)
        device.clock.advance(seconds: 28 * 86_400)
        #expect(try trash.current().map(\.title) == ["second"])
        device.clock.advance(seconds: 86_400)
        #expect(try trash.current().isEmpty)
        #expect(try trash.read().validUntil == nil)
    }

    @Test func `what was made and deleted before a push goes from the trash as well`() async throws {
        let clock = TestClock()
        let device = try await TestDevice.on(try LocalServer(clock: clock))
        let task = try await device.board.create(.init(title: "made and deleted here"))
        try await device.board.delete(task.id)
        try await device.board.create(.init(title: "sent"))
        try await device.board.syncNow()
        #expect(try await device.board.task(task.id)?.deletedAt != nil)
        for clock in [clock, device.clock] { clock.advance(seconds: 31 * 86_400) }

        try await device.board.create(.init(title: "of that day"))
        try await device.board.syncNow()

        #expect(try await device.board.task(task.id) == nil)
        #expect(try device.titles() == ["sent", "of that day"])
    }

    @Test func `a device whose clock is a year ahead keeps its trash`() async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        let task = try await phone.board.create(.init(title: "brought back"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await phone.board.syncNow()
        phone.clock.advance(seconds: 365 * 86_400)
        try await phone.board.create(.init(title: "another"))
        try await phone.board.syncNow()
        try await phone.board.syncNow()

        try await phone.board.restore(task.id)
        try await phone.board.syncNow()
        #expect(Set(try phone.titles()) == ["brought back", "another"])
    }

    @Test func `a chain of edits over several requests is no conflict`() async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        let task = try await phone.board.create(.init(title: "0"))
        try await phone.board.syncNow()
        for number in 1...5 {
            try await phone.board.edit(task.id) { $0.title = "\(number)" }
            phone.clock.advance(seconds: 7_200)
            try await phone.board.syncNow()
            #expect(try await phone.board.task(task.id)?.title == "\(number)")
        }
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `an edit of a task that is gone stays an issue, which brings it back`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "base"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.delete(task.id)
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { $0.title = "mine" }
        try await phone.board.syncNow()

        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.kind == .deleted)
        #expect(issue.mine?.title == "mine")
        #expect(try phone.titles().isEmpty)
        try await phone.board.answer(issue.id, .restoreWithMine)
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        #expect(try pad.titles() == ["mine"])
    }

    @Test func `an edit of now does not yield because it followed one of this morning`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "base"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { $0.title = "of this morning" }
        try await pad.board.edit(task.id) { $0.body = "of noon" }
        try await pad.board.syncNow()
        phone.clock.advance(seconds: 4 * 3_600)
        try await phone.board.edit(task.id) { $0.body = "of now" }
        phone.clock.advance(seconds: 60)
        try await phone.board.edit(task.id) { $0.body += ", and more" }

        #expect(try await phone.board.pending().count == 2)
        try await phone.board.syncNow()
        #expect(try await phone.board.task(task.id)?.title == "of this morning")
        #expect(try await phone.board.task(task.id)?.body == "of now, and more")
    }

    @Test func `a category of the same name on two devices becomes one`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let (first, second) = (KanbanID(), KanbanID())
        try await phone.board.create(.init(id: first, title: "phone", category: .named("Home")))
        try await pad.board.create(.init(id: second, title: "pad", category: .named("HOME")))
        let mine = try #require(try await pad.board.task(second)?.categoryID)
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(second) { $0.category = .id(mine) }
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(try phone.board.categories().current().map(\.taskCount) == [2])
        #expect(try Shown(phone.board) == Shown(pad.board))
        #expect(try pad.board.issues.current().isEmpty)
    }

    @Test func `a new task stays in its list when a pull brings another category of the same name`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        try await phone.board.createCategory(.init(name: "HOME"))
        try await phone.board.syncNow()
        let task = try await pad.board.create(.init(title: "pad", category: .named("Home")))

        // As a stream brings it, before the push.
        let page = try SyncResponse(try await pad.board.core.client(token: nil).json(.get("/changes")).json)
        try await pad.board.core.replica.write { try $0.integrate(page) }

        let theirs = try #require(try pad.board.categories().current().first)
        #expect(try pad.board.categories().current().map(\.name) == ["HOME"])
        #expect(try pad.board.tasks(category: .only([theirs.id])).current().map(\.id) == [task.id])
        try await pad.board.syncNow()
        #expect(try pad.board.tasks(category: .only([theirs.id])).current().map(\.id) == [task.id])
    }

    @Test func `a server that was restored gives back what it lost only when the user says so`() async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        try await phone.board.create(.init(title: "kept"))
        try await phone.board.syncNow()
        let backup = try await server.export()
        let lost = try await phone.board.create(.init(title: "lost"))
        try await phone.board.syncNow()
        try await server.restore(backup)
        let pending = try await phone.board.create(.init(title: "pending"))

        try await phone.board.syncNow()

        #expect(try phone.titles() == ["kept", "pending"])
        #expect(try await phone.board.task(pending.id)?.isPending == false)
        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.kind == .restoredServer)
        #expect(issue.target == lost.id)
        #expect(issue.mine?.title == "lost")
        try await phone.board.answer(issue.id, .sendAgain)
        try await phone.board.syncNow()
        #expect(try phone.titles().sorted() == ["kept", "lost", "pending"])
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `an edit does not become part of one that others made impossible`() async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        let task = try await phone.board.create(.init(title: "task"))
        let home = try await phone.board.createCategory(.init(name: "Home"))
        try await phone.board.syncNow()
        try await phone.board.edit(task.id) { $0.category = .id(home.id) }
        _ = try await server.json("DELETE", "/categories/\(home.id)")
        // As a stream brings it.
        let replica = phone.board.core.replica
        let cursor = try #require(try replica.read { try $0.connection.state(.cursor) })
        let page = try SyncResponse(try await server.json("GET", "/changes?since=\(cursor)"))
        try await replica.write { try $0.integrate(page) }

        try await phone.board.edit(task.id) { $0.title = "renamed" }
        try await phone.board.syncNow()

        #expect(try phone.titles() == ["renamed"])
        #expect(try phone.board.issues.current().count == 1)
    }

    @Test func `settings that a restored server lost come back only when the user says so`() async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        let backup = try await server.export()
        try await phone.board.editSettings { $0.custom["theme"] = "dark" }
        try await phone.board.syncNow()
        try await server.restore(backup)

        try await phone.board.syncNow()

        #expect(try phone.board.settings().current().custom.isEmpty)
        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.kind == .restoredServer)
        try await phone.board.answer(issue.id, .sendAgain)
        try await phone.board.syncNow()
        #expect(try phone.board.settings().current().custom == ["theme": "dark"])
        #expect(try await phone.board.pending().isEmpty)
    }

    @Test func `an event of an earlier commit does not hide a later edit`() async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        try await phone.board.syncNow()
        try await phone.board.create(.init(title: "later"))

        // As an answer tells whose transaction was before the edit.
        phone.board.core.tell(.outbox(hasUnsent: false))
        try await phone.board.syncNow()

        #expect(try await phone.board.pending().isEmpty)
        #expect(try await server.json("GET", "/tasks")["items"]?.arrayValue?.count == 1)
    }

    @Test func `a first load is usable page by page`() async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        let edits = (0..<2_500).map { Edit.create(.init(title: "task \($0)")) }
        try await phone.board.edit(edits)
        try await phone.board.syncNow(timeout: .seconds(1_200))
        #expect(try await phone.board.pending().isEmpty)

        let pad = try await TestDevice.on(server, seed: 2)
        try await pad.board.syncNow(until: .pulled, timeout: .seconds(1_200))

        #expect(try pad.board.counts().current().total == 2_500)
        let isSame = try Shown(phone.board) == Shown(pad.board)
        #expect(isSame)
    }

    @Test func `started, it polls where there are no streams`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        pad.board.start()
        var tasks = pad.board.tasks().makeAsyncIterator()
        #expect(try await tasks.next()?.isEmpty == true)

        try await phone.board.create(.init(title: "hello"))
        try await phone.board.syncNow()

        #expect(try await tasks.next()?.map(\.title) == ["hello"])
        await pad.board.close()
    }
}
