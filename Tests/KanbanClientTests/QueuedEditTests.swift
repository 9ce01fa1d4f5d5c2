import Foundation
import JSON
import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// A widget that ticks a task: it may only read the folder, and the app does the rest.
struct QueuedEditTests {
    private func widget(of device: TestDevice) async throws -> KanbanBoard {
        var configuration = Configuration()
        let clock = device.clock
        configuration.dependencies.now = { clock.now }
        return try await KanbanBoard.openForReading(
            at: URL(filePath: device.directory.path), configuration: configuration)
    }

    private func files(_ device: TestDevice) -> [String] {
        let folder = device.board.core.replica.folder.appending(path: "queued")
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    @Test func `a widget shows the tick at once, and the app makes it and sends it`() async throws {
        let server = try LocalServer()
        var device = try await TestDevice.on(server)
        let milk = try await device.board.create(.init(title: "milk", due: .day("2026-11-18")))
        let bread = try await device.board.create(.init(title: "bread", due: .day("2026-11-18")))
        try await device.board.syncNow()
        await device.board.close()
        device.clock.advance(seconds: 60)
        let tapped = Date(device.clock.now)
        let widget = try await widget(of: device)

        let shown = try await widget.toggle(milk.id)

        #expect(shown.status == .done && shown.isPending && shown.completedAt == tapped)
        #expect(try widget.tasks(in: .todo, limit: 1).current().map(\.title) == ["bread"])
        #expect(try widget.tasks(in: .done).current().map(\.title) == ["milk"])
        #expect(try widget.tasks().current().map(\.status) == [.done, .todo])
        let today = try widget.today().current()
        #expect(today.overdue.count + today.today.count == 1 && today.percentDone == 50)
        #expect(try widget.counts().current().byStatus == [.todo: 1, .doing: 0, .done: 1])
        #expect(try await widget.task(milk.id)?.status == .done)
        #expect(try widget.upcoming().current().allSatisfy { $0.task.id != milk.id })
        // It is not the widget that writes the board.
        await #expect(throws: KanbanError.openedForReading) { try await widget.move(bread.id, to: .done) }
        await widget.close()

        device.clock.advance(seconds: 600)
        server.clock.advance(seconds: 660)
        device = try await device.reopened { $0.dependencies.transport = server }
        #expect(try device.titles(.done) == ["milk"] && device.titles(.todo) == ["bread"])
        #expect(try device.board.tasks(in: .done).current().first?.completedAt == tapped)
        #expect(files(device).isEmpty)
        #expect(try device.board.undoState.current().undoName == "move task")
        try await device.board.syncNow()
        let sent = try await server.json("GET", "/tasks/\(milk.id)")
        #expect(sent["status"] == "done")
        #expect(sent["completedAt"]?.stringValue == Timestamp(tapped).description)
        await device.board.close()
    }

    @Test func `two ticks are none, and a board that is open makes them with its next start`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "x"))
        let other = try await device.board.create(.init(title: "y"))
        let widget = try await widget(of: device)

        try await widget.toggle(task.id)
        device.clock.advance(seconds: 1)
        #expect(try await widget.toggle(task.id).status == .todo)
        device.clock.advance(seconds: 1)
        try await widget.complete(other.id)
        try await widget.complete(other.id)
        #expect(files(device).count == 3)
        #expect(try widget.tasks(in: .done).current().map(\.title) == ["y"])

        device.board.start()
        try await until("they are made") { files(device).isEmpty }
        #expect(try device.titles(.todo) == ["x"] && device.titles(.done) == ["y"])
        await widget.close()
        await device.board.close()
    }

    @Test func `an edit whose file was left behind is made once`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "x"))
        let widget = try await widget(of: device)
        try await widget.complete(task.id)
        let queue = EditQueue(of: widget.core.replica)
        let left = try #require(queue.edits().first)

        await device.board.core.makeQueuedEdits()
        #expect(try device.titles(.done) == ["x"])
        try await device.board.move(task.id, to: .doing)
        // As if the process had been killed before the file was gone.
        try queue.append(left)
        await device.board.core.makeQueuedEdits()

        #expect(try device.titles(.doing) == ["x"] && files(device).isEmpty)
        await widget.close()
        await device.board.close()
    }

    @Test func `what the app deleted meanwhile stays deleted, and what is no edit is left alone`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "x"))
        let widget = try await widget(of: device)
        try await widget.complete(task.id)
        try await device.board.delete(task.id)
        let folder = device.board.core.replica.folder.appending(path: "queued")
        try Data("{".utf8).write(to: folder.appending(path: "half.json"))

        await device.board.core.makeQueuedEdits()

        #expect(try device.titles().isEmpty && files(device) == ["half.json"])
        await #expect(throws: KanbanError.notFound) { try await widget.toggle(task.id) }
        await #expect(throws: KanbanError.notFound) { try await device.board.toggle(task.id) }
        await widget.close()
        await device.board.close()
    }

    @Test func `an app toggles and completes on its own board`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "x", status: .doing))

        #expect(try await device.board.complete(task.id) == nil)
        #expect(try await device.board.complete(task.id) == nil)
        #expect(try await device.board.task(task.id)?.status == .done)
        #expect(try await device.board.toggle(task.id).status == .todo)

        _ = try await device.board.undo()
        #expect(try device.titles(.done) == ["x"])
        await device.board.close()
    }

    @Test func `completing a task that comes back returns the next one, and undo takes both back`() async throws {
        let device = try await TestDevice()
        let rent = try await device.board.create(
            .init(title: "Rent", due: .day("2099-01-31"), recurrence: .monthly(on: 31)))

        let next = try #require(try await device.board.complete(rent.id))
        #expect(next.due == .day("2099-02-28") && next.status == .todo && next.recurrence == rent.recurrence)
        #expect(try device.titles(.todo) == ["Rent"] && device.titles(.done) == ["Rent"])

        _ = try await device.board.undo()
        #expect(try device.board.tasks().current().map(\.id) == [rent.id])
        #expect(try await device.board.task(rent.id)?.status == .todo)
        await device.board.close()
    }

    @Test func `the last tick counts, though the clock was set back before it`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "x"))
        let widget = try await widget(of: device)
        try await widget.toggle(task.id)
        device.clock.advance(seconds: -300)

        #expect(try await widget.toggle(task.id).status == .todo)

        #expect(try await widget.task(task.id)?.status == .todo)
        await device.board.core.makeQueuedEdits()
        #expect(try device.titles(.todo) == ["x"])
        await widget.close()
        await device.board.close()
    }

    /// What an app may ask a board for.
    private struct Lists: Equatable {
        let tasks: [[KanbanTask]]
        let upcoming: [[KanbanClient.Upcoming]]
        let today: KanbanClient.Today
        let counts: BoardCounts
        let categories: [KanbanCategory]

        init(_ board: KanbanBoard) throws {
            tasks =
                try [
                    board.tasks(), board.tasks(limit: 3, offset: 2), board.tasks(in: .done, limit: 1),
                    board.tasks(in: .done, sort: .title, descending: true), board.tasks(sort: .updatedAt),
                    board.tasks(in: .todo, category: .uncategorized), board.tasks(in: .done, matching: "1"),
                    board.tasks(in: .todo, due: .overdue, limit: 2), board.tasks(due: .upcoming),
                ].map { try $0.current() } + Self.pages(of: board)
            upcoming = try [board.upcoming().current(), board.upcoming(limit: 3).current()]
            today = try board.today().current()
            counts = try board.counts().current()
            categories = try board.categories().current()
        }

        static func pages(of board: KanbanBoard) throws -> [[KanbanTask]] {
            try [0, 2, 4].map { try board.tasks(in: .todo, limit: 2, offset: $0).current() }
        }
    }

    @Test func `every list of a widget is what the app shows once it has made the edits`() async throws {
        let device = try await TestDevice()
        let home = try await device.board.createCategory(.init(name: "Home"))
        let soon = Date(device.clock.now).addingTimeInterval(1_000)
        var ids: [KanbanID] = []
        for number in 0..<6 {
            let task = try await device.board.create(
                .init(
                    title: "t\(number)", due: .instant(soon.addingTimeInterval(Double(number) * 100)),
                    category: number < 2 ? .id(home.id) : nil, reminders: [.before(seconds: 10)]))
            ids.append(task.id)
        }
        let late = try await device.board.create(.init(title: "late", due: .day("2020-01-01")))
        let done = try await device.board.create(.init(title: "done", status: .done, due: .instant(soon)))
        let widget = try await widget(of: device)

        for id in [ids[1], ids[0], late.id, done.id] {
            device.clock.advance(seconds: 1)
            try await widget.toggle(id)
        }
        // Two ticks take a task to the end of its column.
        for _ in 0..<2 {
            device.clock.advance(seconds: 1)
            try await widget.toggle(ids[2])
        }

        let shown = try Lists(widget)
        #expect(try Lists.pages(of: widget).map { $0.map(\.title) } == [["t3", "t4"], ["t5", "done"], ["t2"]])
        #expect(try widget.upcoming(limit: 3).current().map(\.task.title) == ["done", "t2", "t3"])
        #expect(
            try widget.tasks(in: .done, sort: .title, descending: true).current().map(\.title) == ["t1", "t0", "late"])
        await device.board.core.makeQueuedEdits()
        #expect(try Lists(device.board) == shown)
        await widget.close()
        await device.board.close()
    }

    @Test func `a task that a widget ticked keeps its members, and an edit that was made is not shown twice`()
        async throws
    {
        let device = try await TestDevice()
        let task = try await device.board.create(
            .init(title: "x", due: .day("2099-01-31"), recurrence: .monthly(on: 31), reminders: [.before(days: 1)]))
        let widget = try await widget(of: device)

        let shown = try await widget.complete(task.id)

        #expect(shown == nil)
        let ticked = try #require(try await widget.task(task.id))
        #expect(ticked.status == .done && ticked.reminders == [.before(days: 1)] && ticked.seriesID == task.seriesID)
        #expect(ticked.occurrence == task.occurrence && ticked.recurrence == task.recurrence)
        let queue = EditQueue(of: widget.core.replica)
        let left = try #require(queue.edits().first)
        await device.board.core.makeQueuedEdits()
        try await device.board.move(task.id, to: .doing)
        // As if the process had been killed before the file was gone.
        try queue.append(left)
        #expect(try await widget.task(task.id)?.status == .doing)
        await widget.close()
        await device.board.close()
    }
}
