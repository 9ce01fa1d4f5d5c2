import Foundation
import TestSupport
import Testing

@testable import KanbanClient

/// The screens of five kanban apps, each as an app would write it, without the drawing.
struct ScreenTests {
    private static let seoul = TimeZone(identifier: "Asia/Seoul") ?? .gmt
    /// 2026-11-18 in Seoul.
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    @Test func `a list by date with check boxes and a progress ring`() async throws {
        let board = try await TestDevice().board
        try await board.create(.init(title: "later", due: .day("2026-12-01")))
        let soon = try await board.create(.init(title: "soon", due: .day("2026-11-19"), category: .named("Work")))
        func rows() throws -> [String] {
            try board.tasks(sort: .dueDate).current().map { task in
                let box = task.status == .done ? "[x]" : "[ ]"
                let deadline = task.deadline(now: Self.now, zone: Self.seoul, language: .en)
                return "\(box) \(task.title) \(deadline?.dDay ?? "") \(deadline?.overdue == true ? "red" : "")"
            }
        }

        #expect(try rows() == ["[ ] soon D-1 ", "[ ] later D-13 "])
        try await board.move(soon.id, to: .done)

        #expect(try rows() == ["[x] soon D-1 ", "[ ] later D-13 "])
        #expect(try board.counts().current().percentDone == 50)
        // The sections that are folded are the app's own.
        try await board.editSettings { $0.custom["folded"] = "Work" }
        #expect(try board.settings().current().custom["folded"] == "Work")
    }

    @Test func `three columns with counts and moves`() async throws {
        let board = try await TestDevice().board
        for title in ["a", "b", "c"] { try await board.create(.init(title: title)) }
        func columns() throws -> [String] {
            let counts = try board.counts().current()
            return try Status.allCases.map { status in
                let titles = try board.tasks(in: status).current().map(\.title).joined()
                return "\(status.rawValue) \(counts.byStatus[status] ?? 0) \(titles)"
            }
        }
        let first = try #require(try board.tasks(in: .todo).current().first)

        try await board.move(first.id, to: .doing)

        #expect(try columns() == ["todo 2 bc", "doing 1 a", "done 0 "])
    }

    @Test func `swipe to delete with undo`() async throws {
        let board = try await TestDevice().board
        for title in ["a", "b", "c"] { try await board.create(.init(title: title)) }
        let middle = try board.tasks().current()[1]

        try await board.delete(middle.id)
        #expect(try board.tasks().current().map(\.title) == ["a", "c"])
        #expect(try board.undoState.current().undoName == "delete task")
        #expect(try await board.undo() == .done)

        #expect(try board.tasks().current().map(\.title) == ["a", "b", "c"])
    }

    @Test func `a cover with D-days and weather`() async throws {
        let device = try await TestDevice()
        let board = device.board
        try await board.createDDay(.init(title: "past", date: "2026-11-01"))
        try await board.createDDay(.init(title: "birthday", date: "2000-11-20", repeatsYearly: true))
        try await board.create(.init(title: "late", due: .day("2026-11-01")))
        device.network.answer { _, target, _ in
            target.hasPrefix("/weather")
                ? (
                    200,
                    """
                    {"temperature": 4.3, "high": 9.1, "low": -0.4, "condition": "rain", "code": 61,
                    "observedAt": "2026-11-18T13:00:00.000Z", "source": "test"}
                    """
                ) : nil
        }

        let cover = try board.today(in: Self.seoul).current()
        let ddays = cover.ddays.map { "\($0.title) \($0.countdown(now: Self.now, zone: Self.seoul))" }
        let weather = try await board.weather(latitude: 37.57, longitude: 126.98)

        #expect(ddays == ["birthday D-2", "past D+17"])
        #expect(cover.overdue.map(\.title) == ["late"])
        #expect(weather?.condition == "rain")
        #expect(weather?.low == -0.4)
    }

    @Test func `a widget's file`() async throws {
        struct Widget: Codable, Equatable {
            var titles: [String]
            var percentDone: Int
        }
        let device = try await TestDevice()
        let file = URL(filePath: device.directory.file("today.json"))
        try await device.board.create(.init(title: "today", due: .day("2026-11-18")))
        var covers = device.board.today(in: Self.seoul).makeAsyncIterator()
        func write() async throws {
            guard let cover = try await covers.next() else { throw KanbanError.notFound }
            let widget = Widget(titles: cover.today.map(\.title), percentDone: cover.percentDone)
            try JSONEncoder().encode(widget).write(to: file, options: .atomic)
        }

        try await write()
        try await device.board.create(.init(title: "more", status: .done, due: .day("2026-11-18")))
        try await write()

        let read = try JSONDecoder().decode(Widget.self, from: Data(contentsOf: file))
        #expect(read == Widget(titles: ["today"], percentDone: 50))
        let widget = try await KanbanBoard.openForReading(at: URL(filePath: device.directory.path))
        #expect(try widget.today(in: Self.seoul).current().percentDone == 50)
        await widget.close()
        await device.board.close()
    }
}
