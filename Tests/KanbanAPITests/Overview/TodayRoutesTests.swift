import Foundation
import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

struct TodayRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard(zone: "Asia/Seoul")
    }

    @Test func `today shows what is late and what is due, by due date, and not what is done`() async throws {
        for (title, due) in [
            ("late", "2026-11-19"), ("older", "2026-10-01T00:00:00Z"), ("all day", "2026-11-20"),
            ("earlier today", "2026-11-19T15:00:00Z"), ("tonight", "2026-11-20T14:59:59Z"),
            ("tomorrow", "2026-11-20T15:00:00Z"),
        ] {
            try await board.task("{\"title\": \"\(title)\", \"dueDate\": \"\(due)\"}")
        }
        try await board.task(#"{"title": "done", "dueDate": "2026-11-19", "status": "done"}"#)
        try await board.task(#"{"title": "undated"}"#)

        let today = await board.send(.get, "/today", headers: [("Accept-Language", "ko")]).json

        #expect(today["date"] == "2026-11-20" && today["weather"] == .null)
        #expect(today.titles("overdue") == ["older", "late"])
        #expect(today.titles("today") == ["earlier today", "all day", "tonight"])
        #expect(today["overdue"]?.arrayValue?.last?["deadline"]?["dDay"] == "D+1")
        #expect(today["today"]?.arrayValue?.last?["deadline"]?["remaining"] == "6시간 40분 58초")
        #expect(today["progress"] == ["total": 8, "done": 1, "percent": 12])
        #expect(today["nextChangeAt"] == "2026-11-20T15:00:00.000Z")
    }

    @Test func `of many tasks the first are shown, and how many there are`() async throws {
        for number in 1...3 {
            try await board.task("{\"title\": \"late \(number)\", \"dueDate\": \"2026-11-1\(number)\"}")
            try await board.task("{\"title\": \"due \(number)\", \"dueDate\": \"2026-11-20T0\(number):00:00Z\"}")
        }

        let two = await board.send(.get, "/today?limit=2")
        let all = await board.send(.get, "/today")

        #expect(two.json.titles("overdue") == ["late 1", "late 2"] && two.json["overdueCount"] == 3)
        #expect(two.json.titles("today") == ["due 1", "due 2"] && two.json["todayCount"] == 3)
        #expect(all.json["overdue"]?.arrayValue?.count == 3 && all.json["overdueCount"] == 3)
        #expect(all.json["todayCount"] == 3 && all.header("ETag") != two.header("ETag"))
        #expect(await board.send(.get, "/today?limit=201").code == "invalid_parameter")
    }

    @Test func `D-days come soonest first, then the past ones, latest first`() async throws {
        for date in ["2026-11-10", "2026-12-01", "2026-11-20", "2026-11-19", "2026-11-21"] {
            await board.send(.post, "/ddays", "{\"title\": \"\(date)\", \"date\": \"\(date)\"}")
        }
        await board.send(.post, "/ddays", #"{"title": "yearly", "date": "2020-11-22", "repeats": "yearly"}"#)

        let today = await board.send(.get, "/today").json

        #expect(
            today.titles("ddays") == ["2026-11-20", "2026-11-21", "yearly", "2026-12-01", "2026-11-19", "2026-11-10"])
        #expect(today["ddays"]?.arrayValue?[2]["countdown"]?["nextDate"] == "2026-11-22")
    }

    @Test func `its tag holds while nothing changes, and falls with a write, a second and a day`() async throws {
        try await board.task(#"{"title": "late", "dueDate": "2026-11-19"}"#)
        let first = try #require(await board.send(.get, "/today").header("ETag"))

        #expect(await board.send(.get, "/today", headers: [("If-None-Match", first)]).status == 304)
        board.clock.advance(seconds: 60)
        #expect(await board.send(.get, "/today", headers: [("If-None-Match", first)]).status == 304)
        // Deadlines of today run by the second.
        try await board.task(#"{"title": "soon", "dueDate": "2026-11-20"}"#)
        let second = try #require(await board.send(.get, "/today").header("ETag"))
        #expect(second != first)
        board.clock.advance(seconds: 1)
        let third = try #require(await board.send(.get, "/today").header("ETag"))
        #expect(third != second)
        #expect(await board.send(.get, "/today", headers: [("Accept-Language", "ja")]).header("ETag") != third)
        // At midnight in Seoul what was due today is late.
        board.clock.advance(seconds: 7 * 3_600)
        let tomorrow = await board.send(.get, "/today").json
        #expect(tomorrow.titles("overdue") == ["late", "soon"] && tomorrow.titles("today") == [])
    }

    @Test func `an answer from memory equals the one before`() async throws {
        try await board.task(#"{"title": "late", "dueDate": "2026-11-19"}"#)

        let first = await board.send(.get, "/today")
        let second = await board.send(.get, "/today")
        try await board.task(#"{"title": "later", "dueDate": "2026-11-18"}"#)

        #expect(first.body == second.body)
        #expect(await board.send(.get, "/today").json.titles("overdue") == ["later", "late"])
        #expect(await board.send(.get, "/today?timeZone=America/New_York").json["date"] == "2026-11-20")
        #expect(await board.send(.get, "/today?timeZone=Mars/Base").code == "unknown_time_zone")
    }

    @Test func `the weather comes with a place, and null when it cannot be had`() async throws {
        let service = try StubServer(.answer(.good))
        let url = try #require(URL(string: service.url))
        let board = try TestBoard(
            weather: WeatherService(service: url, timeout: .seconds(60), clock: { Timestamp(milliseconds: 0) }))

        let seoul = await board.send(.get, "/today?latitude=37.5665&longitude=126.978").json
        #expect(seoul["weather"]?["condition"] == "rain")
        #expect(await board.send(.get, "/today").json["weather"] == .null)
        #expect(await board.send(.get, "/today?latitude=37.5665").code == "invalid_parameter")
        service.behave(.answer("nonsense"))
        let busan = await board.send(.get, "/today?latitude=35.18&longitude=129.08")
        #expect(busan.status == 200 && busan.json["weather"] == .null)
        service.stop()
    }
}

extension JSON {
    func titles(_ member: String) -> [String] {
        self[member]?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? []
    }
}
