import Foundation
import TestSupport
import Testing

@testable import KanbanClient

/// Edits of a task that comes back, made one after the other without a connection. The server makes of them what the device shows.
struct SeriesEditTests {
    typealias Edits = @Sendable (KanbanBoard, KanbanID) async throws -> Void

    /// Each completes or reopens the task, and edits it before or after.
    private static let ways: [(String, Edits)] = [
        (
            "complete",
            { board, id in
                try await board.complete(id)
                try await board.edit(id) { ($0.title, $0.body, $0.due) = ("Rent paid", "receipt", .day("2027-02-03")) }
            }
        ),
        (
            "edit before and after",
            { board, id in
                try await board.edit(id) { $0.body = "before" }
                try await board.toggle(id)
                try await board.edit(id) { $0.title = "Rent paid" }
                try await board.edit(id) { $0.category = .named("paid") }
            }
        ),
        (
            "status and rule",
            { board, id in
                try await board.edit(id) { $0.status = .done }
                try await board.edit(id) { $0.recurrence = .weekly() }
            }
        ),
        (
            "move",
            { board, id in
                try await board.move(id, to: .done, .first)
                try await board.edit(id) { $0.title = "Rent paid" }
                try await board.move(id, to: .doing, .first)
                try await board.edit(id) { $0.title = "Rent again" }
                try await board.move(id, to: .done, .first)
            }
        ),
        (
            "undo",
            { board, id in
                try await board.complete(id)
                try await board.edit(id) { $0.title = "Rent paid" }
                #expect(try await board.undo() == .done)
                let task = try await board.task(id)
                #expect(task?.status == .done && task?.title == "Rent")
                #expect(try await board.redo() == .done)
            }
        ),
        (
            "reopen",
            { board, id in
                try await board.complete(id)
                try await board.syncNow()
                try await board.toggle(id)
                try await board.edit(id) { ($0.title, $0.recurrence) = ("Rent late", .daily()) }
                try await board.complete(id)
            }
        ),
        (
            "rule away and back",
            { board, id in
                try await board.edit(id) { $0.recurrence = nil }
                try await board.edit(id) { $0.recurrence = .monthly() }
                try await board.edit(id) { $0.due = .day("2027-02-28") }
                let next = try #require(try await board.complete(id))
                try await board.edit(next.id) { $0.title = "Next rent" }
            }
        ),
        (
            "delete the completed one",
            { board, id in
                let next = try #require(try await board.complete(id))
                try await board.edit(next.id) { $0.title = "Next rent" }
                try await board.delete(id)
            }
        ),
    ]

    private func picture(_ board: KanbanBoard) throws -> [String] {
        try board.tasks().current().map {
            "\($0.id) \($0.status) '\($0.title)' '\($0.body)' \(String(describing: $0.due)) \($0.recurrence?.rule ?? "-") "
                + "\($0.categoryID != nil)"
        }
    }

    @Test(arguments: ways, [false, true])
    func `later words are those of the completed task alone`(way: (String, Edits), isKnown: Bool) async throws {
        let server = try LocalServer()
        let board = try await TestDevice.on(server).board
        let task = try await board.create(.init(title: "Rent", due: .day("2027-01-31"), recurrence: .monthly(on: 31)))
        if isKnown { try await board.syncNow() }

        try await way.1(board, task.id)
        let shown = try picture(board)
        try await board.syncNow()

        #expect(try picture(board) == shown, "\(way.0)")
        let other = try await TestDevice.on(server, seed: 2).board
        try await other.syncNow()
        #expect(try picture(other) == shown, "\(way.0)")
        #expect(try board.issues.current().isEmpty, "\(way.0)")
    }

    @Test func `a task that a widget ticked is renamed in the app`() async throws {
        let device = try await TestDevice.on(LocalServer())
        let board = device.board
        let task = try await board.create(.init(title: "Rent", due: .day("2027-01-31"), recurrence: .monthly(on: 31)))
        try await board.syncNow()
        let widget = try await KanbanBoard.openForReading(at: URL(filePath: device.directory.path))
        try await widget.toggle(task.id)
        await widget.close()
        await board.core.makeQueuedEdits()

        try await board.edit(task.id) { $0.title = "Rent paid" }
        try await board.syncNow()

        #expect(try device.titles(.todo) == ["Rent"] && device.titles(.done) == ["Rent paid"])
    }

    @Test(arguments: 1...40)
    func `what is shown stays through the next sync`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let board = try await TestDevice.on(LocalServer(), seed: seed).board
        var log: [String] = []
        for step in 1...12 {
            let tasks = try board.tasks().current()
            guard let task = tasks.randomElement(using: &random), random.below(5) > 0 else {
                try await board.create(.init(title: "\(step)", due: .day("2027-01-31"), recurrence: .monthly()))
                continue
            }
            let action = random.below(9)
            log.append("\(action) \(task.title) \(task.status)")
            switch action {
            case 0, 1: try await board.edit(task.id) { $0.title = "\(step)" }
            case 2, 3: try await board.toggle(task.id)
            case 4: try await board.move(task.id, to: Status.allCases.randomElement(using: &random), .first)
            case 5: try await board.edit(task.id) { $0.due = .day(random.below(2) == 0 ? "2027-02-28" : "2027-03-02") }
            case 6: try await board.edit(task.id) { $0.recurrence = .weekly(every: 1 + random.below(2)) }
            case 7: try await board.delete(task.id)
            default: _ = try await board.undo()
            }
            if random.below(8) == 0 { try await board.syncNow() }
        }
        let shown = try picture(board)

        try await board.syncNow()

        #expect(try picture(board) == shown, "\(log)")
        #expect(try board.issues.current().isEmpty, "\(log)")
    }

    @Test func `a task is done when it was ticked, not when it was moved before`() async throws {
        let server = try LocalServer()
        let device = try await TestDevice.on(server)
        let task = try await device.board.create(.init(title: "x"))
        try await device.board.move(task.id, to: .doing, .first)
        for clock in [device.clock, server.clock] { clock.advance(seconds: 120) }
        let shown = try await device.board.move(task.id, to: .done, .first)

        try await device.board.syncNow()

        #expect(try await device.board.task(task.id)?.completedAt == shown.completedAt)
    }
}
