import JSON
import TestSupport
import Testing

@testable import Kanban

/// What screens show of a board at 10:00 of 2 December in Seoul, which is 01:00 UTC.
struct OverviewTests {
    private let board = ValueBoard()

    private func moment() throws -> Moment {
        Moment(
            now: try #require(Timestamp(rfc3339: "2026-12-02T01:00:00Z")),
            zone: try #require(Zone(name: "Asia/Seoul")))
    }

    @discardableResult
    private func done(at time: String) throws -> TaskItem {
        board.now = try #require(Timestamp(rfc3339: time))
        return try board.task(status: .done)
    }

    // MARK: - Today

    @Test func `today has what is late and what is due, and how many there are beyond the limit`() throws {
        for title in ["a", "b", "c"] { try board.task(title, due: "2026-12-01") }
        try board.task("now", due: "2026-12-02")
        try board.task("later", due: "2026-12-03")
        try board.task("done", status: .done, due: "2026-12-02")

        let today = try Today(board, at: moment(), limit: 2)

        #expect(today.overdue.tasks.map(\.title) == ["a", "b"] && today.overdue.count == 3)
        #expect(today.due.tasks.map(\.title) == ["now"] && today.due.count == 1)
        #expect(today.progress == Progress(total: 6, done: 1))
    }

    @Test func `D-days come soonest first, then past ones, latest first`() throws {
        for date in ["2026-12-09", "2026-11-01", "2026-12-02", "2026-11-30", "2026-12-03"] {
            try board.dday(date, on: date)
        }
        // Its next anniversary is in a week.
        try board.dday("yearly", on: "2020-12-09", repeats: .yearly)

        let titles = try Today(board, at: moment(), limit: 1).ddays.map(\.title)

        #expect(titles == ["2026-12-02", "2026-12-03", "2026-12-09", "yearly", "2026-11-30", "2026-11-01"])
    }

    // MARK: - Statistics

    @Test func `statistics count by column and category, with those of none last`() throws {
        try board.task(category: .named("Work"), due: "2026-12-01")
        try board.task(status: .done, category: .named("Work"))
        try board.task(status: .doing, due: "2026-12-02")
        _ = try board.createCategory(id: nil, name: "Empty")
        try board.removeTask(try board.task(category: .named("Work")).id)

        let stats = try Stats(board, at: moment(), language: .en)

        #expect(stats.byStatus == [.todo: 1, .doing: 1, .done: 1])
        #expect(stats.overdue == 1 && stats.dueToday == 1)
        #expect(stats.byCategory.map(\.name) == ["Empty", "Work", "Uncategorized"])
        #expect(stats.byCategory.map(\.counts.tasks) == [0, 2, 1])
        #expect(stats.byCategory.map(\.counts.done) == [0, 1, 0])
    }

    @Test func `completions are counted by days of the user's zone, for thirty days`() throws {
        try done(at: "2026-12-02T00:00:00Z")
        try done(at: "2026-12-01T15:00:00Z")
        try done(at: "2026-12-01T14:59:59Z")
        // The first instant of the first day, and the one before.
        try done(at: "2026-11-02T15:00:00Z")
        try done(at: "2026-11-02T14:59:59Z")

        let days = try Stats(board, at: moment(), language: .en).completedByDay

        #expect(days.count == 30)
        #expect(days.first.map { "\($0.date) \($0.count)" } == "2026-11-03 1")
        #expect(days.suffix(2).map { "\($0.date) \($0.count)" } == ["2026-12-01 1", "2026-12-02 2"])
        #expect(days.reduce(0) { $0 + $1.count } == 4)
    }

    // MARK: - Upcoming

    private func upcoming(limit: Int = 10, allDayTime: Int64 = DueDate.morning) throws -> Upcoming {
        try Upcoming(board, at: moment(), limit: limit, allDayTime: allDayTime)
    }

    @Test func `reminders come in their order, an all-day one at its time of day`() throws {
        try board.task("noon", due: "2026-12-03T03:00:00Z")
        try board.task("all day", due: "2026-12-03")
        try board.task("tonight", due: "2026-12-02T12:00:00Z")
        try board.task("past", due: "2026-12-02T00:59:00Z")

        let upcoming = try upcoming()

        #expect(upcoming.items.map(\.task.title) == ["tonight", "all day", "noon"])
        #expect(upcoming.items[1].fireAt.description == "2026-12-03T00:00:00.000Z", "09:00 in Seoul")
        #expect(upcoming.nextChangeAt?.description == "2026-12-02T12:00:00.000Z")
    }

    @Test func `a reminder that has fired is not to come, but its deadline is`() throws {
        // Its reminder was at 09:00; it passes at midnight.
        try board.task("today", due: "2026-12-02")
        try board.task("tomorrow", due: "2026-12-03")

        let upcoming = try upcoming(limit: 1)

        #expect(upcoming.items.map(\.task.title) == ["tomorrow"])
        #expect(upcoming.nextChangeAt?.description == "2026-12-02T15:00:00.000Z")
    }

    @Test func `each reminder of its own is an item, also long before and after the due time`() throws {
        func remind(_ title: String, due: String?, _ reminders: JSON) throws {
            let task = try board.task(title, due: due)
            _ = try board.updateTask(task.id, TaskEdit(reminders: Reminders(parsing: reminders)))
        }
        for day in 3..<20 { try board.task("\(day)", due: "2026-12-\(day < 10 ? "0" : "")\(day)") }
        try remind("next year", due: "2027-01-05T00:00:00Z", ["-P30D", "2026-12-02T02:00:00Z"])
        try remind("undated", due: nil, ["2026-12-02T03:00:00Z", "-P1D"])
        try remind("past", due: "2026-12-01T00:00:00Z", ["2026-12-02T04:00:00Z", "PT0S"])
        try remind("silent", due: "2026-12-02T01:30:00Z", [])

        let upcoming = try upcoming(limit: 4)

        #expect(upcoming.items.map(\.task.title) == ["next year", "undated", "past", "3"])
        #expect(upcoming.items.map(\.alarm.trigger.text).last == "PT0S")
        #expect(upcoming.nextChangeAt?.description == "2026-12-02T01:30:00.000Z")
        #expect(try self.upcoming(limit: 100).items.count(where: { $0.task.title == "next year" }) == 2)
    }

    @Test func `what fired within a time is found, and only that`() throws {
        try board.task("due", due: "2026-12-02T00:59:59Z")
        try board.task("now", due: "2026-12-02T01:00:00Z")
        try board.task("to come", due: "2026-12-02T01:00:01Z")
        try board.task("before", due: "2026-12-01T23:00:00Z")
        try board.task("all day", due: "2026-12-02")
        try board.task("done", status: .done, due: "2026-12-02")
        let task = try board.task("own", due: "2026-12-09T00:30:00Z")
        _ = try board.updateTask(task.id, TaskEdit(reminders: Reminders(parsing: ["-P7D", "-P1D"])))

        let fired = try Upcoming.fired(
            board, after: #require(Timestamp(rfc3339: "2026-12-01T23:00:00Z")), at: moment(),
            allDayTime: DueDate.morning)

        #expect(fired.map(\.task.title) == ["all day", "own", "due", "now"])
    }

    @Test func `an all-day task that fires first is found behind many instants of the day before`() throws {
        // In Seoul its day begins at 15:00 UTC of the 2nd, though it sorts as 00:00 UTC of the 3rd.
        for minute in 0..<150 {
            let time = Timestamp(milliseconds: 1_796_225_400_000 + Int64(minute) * 60_000)
            try board.task("\(time)", due: time.description)
        }
        try board.task("all day", due: "2026-12-03")

        let first = try upcoming(limit: 5, allDayTime: 0).items.map(\.task.title)

        #expect(first.first == "all day")
    }

    @Test func `nothing to come has no next change`() throws {
        try board.task("none")
        try board.task("done", status: .done, due: "2026-12-03")

        let upcoming = try upcoming()
        #expect(upcoming.items.isEmpty && upcoming.nextChangeAt == nil)
    }
}
