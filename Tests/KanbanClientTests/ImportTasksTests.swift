import Foundation
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// Tasks that an app brings along from the store that it had before.
struct ImportTasksTests {
    private static let made = Date(timeIntervalSince1970: 1_600_000_000)
    private static let done = Date(timeIntervalSince1970: 1_600_003_600)

    @Test func `tasks keep the times that they bring along, on the device, on the server and on another device`()
        async throws
    {
        let server = try LocalServer()
        let device = try await TestDevice.on(server)
        let old = NewTask(
            title: "old", status: .done, category: .named("Work"), createdAt: Self.made, completedAt: Self.done)
        let open = NewTask(title: "open", createdAt: Self.made)

        let count = try await device.board.importTasks([old, open, NewTask(title: "new")])

        func check(_ board: KanbanBoard) async throws {
            let known = try #require(try await board.task(old.id))
            #expect(known.createdAt == Self.made && known.completedAt == Self.done)
            #expect(try await board.task(open.id)?.createdAt == Self.made)
            #expect(try board.categories().current().map(\.name) == ["Work"])
        }
        #expect(count == 3)
        try await check(device.board)
        #expect(try !device.board.undoState.current().canUndo)
        try await device.board.syncNow()
        try await check(device.board)
        let other = try await TestDevice.on(server)
        try await other.board.syncNow()
        try await check(other.board)
        #expect(try other.board.tasks(sort: .createdAt, descending: true).current().first?.title == "new")
        await other.board.close()
        await device.board.close()
    }

    @Test func `two devices that had the same store bring the same tasks`() async throws {
        let server = try LocalServer()
        let (phone, tablet) = (try await TestDevice.on(server), try await TestDevice.on(server, seed: 2))
        let tasks = [
            NewTask(title: "a", category: .named("Work"), createdAt: Self.made), NewTask(title: "b"),
            NewTask(title: "gone"),
        ]
        for device in [phone, tablet] { try await device.board.importTasks(tasks) }
        try await phone.board.syncNow()
        try await phone.board.edit(tasks[1].id) { $0.title = "mine" }
        try await phone.board.delete(tasks[2].id)

        for device in [phone, tablet, phone] { try await device.board.syncNow() }

        for device in [phone, tablet] {
            #expect(try device.titles() == ["a", "mine"])
            #expect(try device.board.issues.current().isEmpty)
            #expect(try await device.board.pending().isEmpty)
            #expect(try device.board.categories().current().map(\.taskCount) == [1])
        }
        await phone.board.close()
        await tablet.board.close()
    }

    @Test func `thousands are one call, which may be repeated`() async throws {
        let device = try await TestDevice()
        let tasks = (0..<3_000).map { NewTask(title: "task \($0)", createdAt: Self.made) }

        #expect(try await device.board.importTasks(tasks) == 3_000)
        #expect(try await device.board.importTasks(tasks) == 0)
        try await device.board.delete(tasks[0].id)
        #expect(try await device.board.importTasks(tasks) == 0)

        #expect(try device.board.counts().current().total == 2_999)
        #expect(try device.board.undoState.current().undoName == "delete task")
        await device.board.close()
    }

    @Test func `one that the rules refuse is named, and nothing is imported`() async throws {
        let device = try await TestDevice()

        await #expect(throws: KanbanError.invalid([Fault(pointer: "#/1/title", code: "blank")])) {
            try await device.board.importTasks([.init(title: "a"), .init(title: " ")])
        }

        #expect(try device.titles().isEmpty)
        await device.board.close()
    }

    @Test func `a time in the future is now, and nothing is done before it was made`() async throws {
        let device = try await TestDevice()
        let now = Date(device.clock.now)
        let late = NewTask(title: "late", createdAt: .distantFuture)
        let early = NewTask(title: "early", status: .done, createdAt: Self.done, completedAt: Self.made)
        let finished = NewTask(title: "finished", status: .done, completedAt: Self.done)

        try await device.board.importTasks([late, early, finished])

        #expect(try await device.board.task(late.id)?.createdAt == now)
        #expect(try await device.board.task(early.id)?.completedAt == Self.done)
        #expect(try await device.board.task(finished.id)?.createdAt == Self.done)
        await device.board.close()
    }
}
