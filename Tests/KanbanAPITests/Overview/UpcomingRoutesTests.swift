import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

struct UpcomingRoutesTests {
    let board: TestBoard

    init() throws {
        // 17:19 in Seoul.
        board = try TestBoard(zone: "Asia/Seoul")
    }

    @Test func `what is to come is listed with the instant to notify at, soonest first`() async throws {
        for (title, due) in [
            ("in an hour", "2026-11-20T09:19:00Z"), ("past", "2026-11-20T08:18:59Z"), ("today", "2026-11-20"),
            ("yesterday", "2026-11-19"), ("tomorrow", "2026-11-21"), ("early tomorrow", "2026-11-20T23:59:00Z"),
        ] {
            try await board.task("{\"title\": \"\(title)\", \"dueDate\": \"\(due)\"}")
        }
        try await board.task(#"{"title": "done", "dueDate": "2026-11-21", "status": "done"}"#)

        let upcoming = await board.send(.get, "/upcoming").json

        #expect(upcoming.titles("items") == ["in an hour", "early tomorrow", "tomorrow"])
        #expect(
            upcoming["items"]?.arrayValue?.map { $0["fireAt"] } == [
                "2026-11-20T09:19:00.000Z", "2026-11-20T23:59:00.000Z", "2026-11-21T00:00:00.000Z",
            ])
        #expect(upcoming["nextChangeAt"] == "2026-11-20T09:19:00.000Z")
        let evening = await board.send(.get, "/upcoming?allDayTime=21:30&limit=1").json
        #expect(evening.titles("items") == ["in an hour"])
    }

    @Test func `at the instant that it names, and not before, it changes`() async throws {
        try await board.task(#"{"title": "timed", "dueDate": "2026-11-20T09:00:00.500Z"}"#)
        try await board.task(#"{"title": "today", "dueDate": "2026-11-20"}"#)
        var changes: [String] = []
        for _ in 0..<4 {
            let upcoming = await board.send(.get, "/upcoming").json
            guard let next = upcoming["nextChangeAt"]?.stringValue.flatMap({ Timestamp(rfc3339: $0) }) else { break }
            changes.append(next.description)
            board.clock.set(next.adding(milliseconds: -1))
            #expect(await board.send(.get, "/upcoming").json == upcoming)
            board.clock.set(next)
            #expect(await board.send(.get, "/upcoming").json != upcoming)
        }

        #expect(changes == ["2026-11-20T09:00:00.500Z", "2026-11-20T15:00:00.000Z"])
        #expect(await board.send(.get, "/upcoming").json == ["items": [], "nextChangeAt": .null])
    }

    @Test func `what is beyond the limit changes it too`() async throws {
        for _ in 0..<100 { try await board.task(#"{"title": "all day", "dueDate": "2026-11-21"}"#) }
        try await board.task(#"{"title": "silent", "dueDate": "2026-11-20T08:49:00Z", "reminders": []}"#)

        let upcoming = await board.send(.get, "/upcoming?limit=1").json

        #expect(upcoming.titles("items") == ["all day"])
        #expect(upcoming["nextChangeAt"] == "2026-11-20T08:49:00.000Z")
    }

    @Test func `each reminder is an item with an identifier that stays when the due date moves`() async throws {
        await board.send(.patch, "/settings", #"{"allDayTime": "18:00"}"#)
        let task = try await board.task(
            #"{"title": "x", "dueDate": "2026-11-22", "reminders": ["PT0S", "-P1D", "-PT24H", "-P2D"]}"#)
        func identifiers() async -> [String?] {
            let items = await board.send(.get, "/upcoming", isCached: false).json["items"]?.arrayValue ?? []
            return items.map { $0["notificationId"]?.stringValue }
        }

        let items = await board.send(.get, "/upcoming").json["items"]?.arrayValue ?? []

        #expect(
            items.compactMap { $0["fireAt"]?.stringValue } == [
                "2026-11-20T09:00:00.000Z", "2026-11-21T09:00:00.000Z", "2026-11-22T09:00:00.000Z",
            ])
        #expect(await identifiers() == ["\(task.id)/-P2D", "\(task.id)/-P1D", "\(task.id)/PT0S"])
        await board.send(.patch, "/tasks/\(task.id)", #"{"dueDate": "2026-11-25T10:00:00Z", "reminders": null}"#)
        #expect(await identifiers() == ["\(task.id)/PT0S"])
    }

    @Test func `an item may be sent back, and the last day of all times has no later one`() async throws {
        let task = try await board.task(#"{"title": "last", "dueDate": "9999-12-31"}"#)

        let upcoming = await board.send(.get, "/upcoming?allDayTime=23:59&timeZone=America/New_York").json

        let item = try #require(upcoming["items"]?.arrayValue?.first)
        #expect(item["fireAt"] == "9999-12-31T23:59:59.999Z")
        let text = String(decoding: item.serialized(), as: UTF8.self)
        #expect(await board.send(.put, "/tasks/\(task.id)", text).status == 200)
    }

    @Test(arguments: ["Pacific/Kiritimati", "Etc/GMT%2B12", "Asia/Seoul"])
    func `the soonest are found among many, whatever the zone`(zone: String) async throws {
        var random: UInt64 = 7
        func next(_ bound: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % bound
        }
        for _ in 0..<300 {
            let day = "2026-11-\(21 + next(6))"
            let due = next(2) == 0 ? day : "\(day)T\(10 + next(14)):00:00Z"
            try await board.task("{\"title\": \"x\", \"dueDate\": \"\(due)\"}")
        }

        let all = await board.send(.get, "/upcoming?limit=200&timeZone=\(zone)&allDayTime=23:59").json["items"]?
            .arrayValue
        let few = await board.send(.get, "/upcoming?limit=7&timeZone=\(zone)&allDayTime=23:59").json["items"]?
            .arrayValue

        let times = try #require(all).compactMap { $0["fireAt"]?.stringValue }
        #expect(times == times.sorted() && times.count == 200)
        #expect(few == all.map { Array($0.prefix(7)) })
    }

    @Test(arguments: ["9:00", "24:00", "09:60", "0900", "09:00:00", "+9:00", "", "０９:00"])
    func `a time of day has two digits each`(time: String) async throws {
        let encoded = time.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

        #expect(await board.send(.get, "/upcoming?allDayTime=\(encoded)").code == "invalid_parameter")
    }
}
