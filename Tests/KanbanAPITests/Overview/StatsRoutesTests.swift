import HTTP
import JSON
import TestSupport
import Testing

@testable import KanbanAPI

struct StatsRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard(zone: "Asia/Seoul")
    }

    @Test func `an empty board has its zeros`() async throws {
        let stats = await board.send(.get, "/stats").json

        #expect(stats["total"] == 0 && stats["percentDone"] == 0 && stats["overdue"] == 0 && stats["dueToday"] == 0)
        #expect(stats["byStatus"] == ["todo": 0, "doing": 0, "done": 0])
        #expect(
            stats["byCategory"]
                == [["categoryId": .null, "name": "Uncategorized", "total": 0, "done": 0]])
        let days = try #require(stats["completedByDay"]?.arrayValue)
        #expect(days.count == 30 && days.first?["date"] == "2026-10-22" && days.last?["date"] == "2026-11-20")
    }

    @Test func `tasks are counted by column, category and due day`() async throws {
        for (status, due) in [
            ("todo", "2026-11-19"), ("doing", "2026-11-20"), ("todo", "2026-11-20T14:59:59.999Z"),
            ("todo", "2026-11-20T15:00:00Z"), ("todo", "2026-11-19T14:59:59.999Z"), ("done", "2026-11-19"),
            ("done", "2026-11-20"),
        ] {
            try await board.task("{\"status\": \"\(status)\", \"dueDate\": \"\(due)\", \"categoryName\": \"일\"}")
        }
        try await board.task(#"{"status": "done"}"#)
        let deleted = try await board.task(#"{"dueDate": "2026-11-01"}"#)
        await board.send(.delete, "/tasks/\(deleted.id)")

        let stats = await board.send(.get, "/stats", headers: [("Accept-Language", "ja")]).json

        #expect(stats["total"] == 8 && stats["byStatus"] == ["todo": 4, "doing": 1, "done": 3])
        #expect(stats["percentDone"] == 37 && stats["overdue"] == 2 && stats["dueToday"] == 2)
        let categories = try #require(stats["byCategory"]?.arrayValue)
        #expect(categories.map { $0["name"] } == ["일", "未分類"])
        #expect(categories.map { $0["total"] } == [7, 1] && categories.map { $0["done"] } == [2, 1])
    }

    @Test func `what was completed is counted by the user's days`() async throws {
        for _ in 0..<2 { try await board.task(#"{"status": "done"}"#) }
        // 01:19 on the 21st in Seoul, 17:19 on the 20th in Berlin.
        board.clock.advance(seconds: 8 * 3_600)
        try await board.task(#"{"status": "done"}"#)

        let seoul = await board.send(.get, "/stats").json["completedByDay"]?.arrayValue?.suffix(2)
        let berlin = await board.send(.get, "/stats?timeZone=Europe/Berlin").json["completedByDay"]?.arrayValue?.suffix(
            2)

        #expect(seoul.map(Array.init) == [["date": "2026-11-20", "count": 2], ["date": "2026-11-21", "count": 1]])
        #expect(berlin.map(Array.init) == [["date": "2026-11-19", "count": 0], ["date": "2026-11-20", "count": 3]])
    }

    @Test func `its tag holds until something is written or the day ends`() async throws {
        let first = try #require(await board.send(.get, "/stats").header("ETag"))
        board.clock.advance(seconds: 6 * 3_600)
        #expect(await board.send(.get, "/stats", headers: [("If-None-Match", first)]).status == 304)

        try await board.task()
        let second = await board.send(.get, "/stats", headers: [("If-None-Match", first)])
        #expect(second.status == 200 && second.json["total"] == 1)
        board.clock.advance(seconds: 3_600)
        let third = await board.send(.get, "/stats", headers: [("If-None-Match", second.header("ETag") ?? "")])

        #expect(third.status == 200 && third.json["completedByDay"]?.arrayValue?.last?["date"] == "2026-11-21")
    }
}
