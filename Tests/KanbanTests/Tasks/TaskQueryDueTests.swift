import TestSupport
import Testing

@testable import Kanban

struct TaskQueryDueTests {
    private let board = ValueBoard()

    /// 10:00 of 2 December in Seoul, 01:00 UTC.
    private func moment() throws -> Moment {
        Moment(
            now: try #require(Timestamp(rfc3339: "2026-12-02T01:00:00Z")),
            zone: try #require(Zone(name: "Asia/Seoul")))
    }

    private func found(_ query: TaskQuery) -> [String] { board.tasks(query).map(\.title) }

    @Test func `days and instants are compared in the user's zone`() throws {
        try board.task("day before", due: "2026-12-01")
        // 23:59 of 1 December, and 00:00 of the 2nd in Seoul.
        try board.task("last minute", due: "2026-12-01T14:59:00Z")
        try board.task("midnight", due: "2026-12-01T15:00:00Z")
        try board.task("earlier today", due: "2026-12-02T00:59:00Z")
        try board.task("today", due: "2026-12-02")
        try board.task("tonight", due: "2026-12-02T14:59:59Z")
        try board.task("tomorrow", due: "2026-12-02T15:00:00Z")
        try board.task("none")
        try board.task("done", status: .done, due: "2026-12-01")

        #expect(found(.overdue(at: try moment())) == ["day before", "last minute"])
        #expect(found(.dueToday(at: try moment())) == ["midnight", "today", "earlier today", "tonight"])
        #expect(found(.coming(at: try moment())) == ["today", "tonight", "tomorrow"])
    }
}
