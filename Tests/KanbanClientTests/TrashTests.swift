import Foundation
import JSON
import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The trash of one device on another: the feed says that something was deleted, and the lists of the trash what it was.
struct TrashTests {
    private let server: LocalServer
    private let network: MeddlingNetwork
    private let phone, tablet: TestDevice

    init() async throws {
        server = try LocalServer()
        network = MeddlingNetwork(to: server)
        (phone, tablet) = try await (TestDevice.on(server), TestDevice.on(network, seed: 2))
    }

    private func sync() async throws {
        try await phone.board.syncNow()
        try await tablet.board.syncNow()
    }

    @Test func `a task in the trash has no category that is there, too, in every read`() async throws {
        let board = phone.board
        let home = try await board.createCategory(.init(name: "Home"))
        let task = try await board.create(.init(title: "task", category: .id(home.id)))
        try await board.delete(task.id)
        var live = board.task(live: task.id).makeAsyncIterator()
        #expect(try await live.next()??.categoryID == home.id)

        try await board.deleteCategory(home.id)

        #expect(try await board.task(task.id)?.categoryID == nil)
        #expect(try board.task(live: task.id).current()?.categoryID == nil)
        #expect(try await live.next()??.categoryID == nil)
    }

    @Test func `what was deleted before a device was there is in its trash, and can be restored offline`() async throws
    {
        let home = try await phone.board.createCategory(.init(name: "Home", color: "#aa0000"))
        let work = try await phone.board.createCategory(.init(name: "Work"))
        let task = try await phone.board.create(.init(title: "task", body: "words", category: .id(home.id)))
        let exam = try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await phone.board.deleteCategory(work.id)
        try await phone.board.deleteDDay(exam.id)

        try await sync()

        let trash = try tablet.board.trash().current()
        #expect(trash.map(\.title) == ["task"] && trash.map(\.body) == ["words"])
        #expect(trash.map(\.categoryID) == [home.id] && trash.allSatisfy { $0.deletedAt != nil && !$0.isPending })
        #expect(try tablet.board.deletedCategories().current().map(\.name) == ["Work"])
        #expect(try tablet.board.deletedDDays().current().map(\.title) == ["exam"])

        network.meddle { _ in .cut }
        try await tablet.board.restore(task.id)
        try await tablet.board.restoreCategory(work.id)
        try await tablet.board.restoreDDay(exam.id)
        #expect(try tablet.titles() == ["task"] && tablet.board.trash().current().isEmpty)
        #expect(try tablet.board.categories().current().map(\.name) == ["Home", "Work"])
        network.meddle { _ in .none }
        try await tablet.board.syncNow()
        try await sync()

        for device in [phone, tablet] {
            #expect(try await device.board.task(task.id)?.body == "words")
            #expect(try device.board.ddays().current().map(\.id) == [exam.id])
            #expect(try device.board.categories().current().map(\.id) == [home.id, work.id])
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    @Test func `what was made and deleted between two syncs is in the trash`() async throws {
        try await sync()
        let task = try await phone.board.create(.init(title: "brief"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)

        try await sync()

        #expect(try tablet.board.trash().current().map(\.title) == ["brief"])
    }

    @Test func `the trash shows the last words, though only the deletion came`() async throws {
        let task = try await phone.board.create(.init(title: "first"))
        try await sync()
        try await phone.board.edit(task.id) { $0.title = "last" }
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)

        try await sync()

        #expect(try tablet.board.trash().current().map(\.title) == ["last"])
    }

    @Test func `a deletion that a stream brings asks for what was deleted, if it is not known`() async throws {
        let known = try await phone.board.create(.init(title: "known"))
        try await sync()
        let replica = tablet.board.core.replica
        func stream() async throws -> Bool {
            let cursor = try #require(try replica.read { try $0.connection.state(.cursor) })
            let page = try SyncResponse(try await server.json("GET", "/changes?since=\(cursor)"))
            return try await replica.write { transaction in
                try transaction.integrate(SyncResponse(changes: page.changes, cursor: page.cursor), isStream: true)
                return try transaction.wantsTrash()
            }
        }

        try await phone.board.delete(known.id)
        try await phone.board.syncNow()
        #expect(try await !stream())
        #expect(try tablet.board.trash().current().map(\.title) == ["known"])

        let brief = try await phone.board.create(.init(title: "brief"))
        try await phone.board.syncNow()
        try await phone.board.delete(brief.id)
        try await phone.board.syncNow()
        #expect(try await stream())
        #expect(try tablet.board.trash().current().map(\.title) == ["known"])
        try await tablet.board.syncNow()
        #expect(Set(try tablet.board.trash().current().map(\.title)) == ["known", "brief"])
        #expect(try await replica.write { try !$0.wantsTrash() })
    }

    @Test func `a stream that wants the trash has the machine pull`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)
        _ = machine.handle(.started)
        _ = machine.handle(.answered(hasMore: false, hasUnsent: false))
        _ = machine.handle(.streamReady)

        #expect(machine.handle(.trashWanted) == [.send(.pull), .show(.syncing)])
        #expect(machine.handle(.answered(hasMore: false, hasUnsent: false)) == [.show(.live)])
    }

    @Test func `what is restored elsewhere leaves the trash, and comes not back to it`() async throws {
        let task = try await phone.board.create(.init(title: "task"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await sync()
        #expect(try tablet.board.trash().current().count == 1)
        try await phone.board.restore(task.id)
        try await sync()
        tablet.clock.advance(seconds: 2 * 86_400)
        try await sync()

        #expect(try tablet.board.trash().current().isEmpty)
        #expect(try tablet.titles() == ["task"])
    }

    @Test func `an old page of the trash does not take back a restoration`() async throws {
        let task = try await phone.board.create(.init(title: "task"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await phone.board.syncNow()
        let list = try await server.json("GET", "/tasks?deleted=true")
        let page = (list["items"]?.arrayValue ?? []).compactMap { Change.Value(shown: $0, as: .task) }
        try await phone.board.restore(task.id)
        try await sync()

        try await tablet.board.core.replica.write { try $0.integrate(trash: page) }

        #expect(page.count == 1)
        #expect(try tablet.titles() == ["task"])
    }

    @Test func `what is deleted again while the trash is read is read once more`() async throws {
        try await sync()
        let (replica, task) = (tablet.board.core.replica, ResourceKey.task(KanbanID().id))
        try await replica.write { try $0.want(task, at: 5) }
        let now = tablet.clock.now
        let reading = try #require(try replica.read { try TrashReading($0, at: now) })
        // A stream, beside the request whose lists are under way.
        try await replica.write { try $0.want(task, at: 7) }

        try await replica.write { try $0.finish(reading) }

        #expect(try await replica.write { try $0.wantsTrash() })
    }

    @Test func `what a device saw deleted while its clock was a year behind stays in the trash`() async throws {
        let tasks = try await [phone.board.create(.init(title: "task")), phone.board.create(.init(title: "other"))]
        try await sync()
        network.meddle { $0 == "/tasks" ? .cut : .none }
        tablet.clock.advance(seconds: -365 * 86_400)
        try await phone.board.delete(tasks[0].id)
        try await sync()
        tablet.clock.advance(seconds: 365 * 86_400)
        try await phone.board.edit(tasks[1].id) { $0.title = "edited" }

        try await sync()

        #expect(try tablet.board.trash().current().map(\.title) == ["task"])
    }

    @Test func `what the server purged goes within a day`() async throws {
        let task = try await phone.board.create(.init(title: "task"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await sync()
        // Days of the server that are no days of the device: as with a shorter time in the trash.
        server.clock.advance(seconds: 31 * 86_400)
        try await server.maintain()
        try await tablet.board.syncNow()
        #expect(try tablet.board.trash().current().count == 1)

        tablet.clock.advance(seconds: 86_401)
        try await tablet.board.syncNow()

        #expect(try tablet.board.trash().current().isEmpty)
        #expect(try await tablet.board.task(task.id) == nil)
    }

    @Test func `a trash that cannot be read fails no sync, and is read with the next one`() async throws {
        let task = try await phone.board.create(.init(title: "task"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await phone.board.syncNow()
        network.meddle { $0 == "/tasks" ? .answer(503, "{}") : .none }

        try await tablet.board.syncNow()
        #expect(try tablet.board.trash().current().isEmpty)
        network.meddle { _ in .none }
        try await tablet.board.syncNow()

        #expect(try tablet.board.trash().current().map(\.title) == ["task"])
    }

    @Test func `a large trash is read page by page, and only as far as something is missing`() async throws {
        let ids = (0..<450).map { _ in KanbanID() }
        try await phone.board.edit(ids.map { .create(.init(id: $0, title: "old")) })
        try await phone.board.syncNow()
        try await phone.board.edit(ids.map { .delete($0) })
        try await phone.board.syncNow()
        let counting = CountingNetwork(to: server)
        let third = try await TestDevice.on(counting, seed: 3)
        try await third.board.syncNow()
        #expect(try third.board.trash().current().count == 450)
        #expect(counting.count("/tasks") == 3)

        let brief = try await phone.board.create(.init(title: "brief"))
        try await phone.board.syncNow()
        server.clock.advance(seconds: 1)
        try await phone.board.delete(brief.id)
        try await phone.board.syncNow()
        try await third.board.syncNow()

        #expect(try third.board.trash().current().contains { $0.id == brief.id })
        #expect(counting.count("/tasks") == 4)
    }

    @Test func `the trash stays while a restored server is read again, and is the server's in the end`() async throws {
        let task = try await phone.board.create(.init(title: "kept"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await sync()
        let backup = try await server.export()
        let lost = try await phone.board.create(.init(title: "lost"))
        try await phone.board.syncNow()
        try await phone.board.delete(lost.id)
        try await sync()
        #expect(try tablet.board.trash().current().count == 2)
        try await server.restore(backup)
        network.meddle { $0 == "/tasks" ? .cut : .none }
        try await tablet.board.syncNow()
        #expect(try tablet.board.trash().current().count == 2)
        network.meddle { _ in .none }

        try await tablet.board.syncNow()

        #expect(try tablet.board.trash().current().map(\.title) == ["kept"])
        try await tablet.board.restore(task.id)
        try await tablet.board.syncNow()
        #expect(try tablet.titles() == ["kept"])
        #expect(try tablet.board.issues.current().isEmpty)
    }
}

/// Counts requests by their path.
private final class CountingNetwork: Transport {
    private let server: any Transport
    private let paths = Locked<[String]>([])

    init(to server: any Transport) {
        self.server = server
    }

    func count(_ path: String) -> Int { paths.withLock { $0.count { $0 == path } } }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        paths.withLock { $0.append(request.url?.path ?? "") }
        return try await server.send(request, timeout: timeout)
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        server.stream(request, timeout: timeout)
    }
}
