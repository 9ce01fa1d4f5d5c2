import HTTP
import JSON
import TestSupport
import Testing

@testable import KanbanAPI

struct RecurrenceRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard(zone: "America/New_York")
    }

    private func items(_ query: String) async throws -> [String] {
        let answer = await board.send(.get, "/recurrence?\(query)")
        #expect(answer.status == 200 && answer.json["nextCursor"] == .null)
        return try #require(answer.json["items"]?.arrayValue).compactMap(\.stringValue)
    }

    @Test func `the next dates follow the start`() async throws {
        #expect(
            try await items("rule=FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD&start=2027-01-31")
                == ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30"])
        #expect(try await items("rule=FREQ=DAILY&start=2027-01-31&count=1") == ["2027-02-01"])
        #expect(try await items("rule=FREQ=DAILY;COUNT=3&start=2027-01-31") == ["2027-02-01", "2027-02-02"])
        #expect(try await items("rule=FREQ=DAILY;UNTIL=20270201&start=2027-01-31") == ["2027-02-01"])
        #expect(try await items("rule=FREQ=DAILY;INTERVAL=7;BYDAY=TU&start=2027-01-04") == [])
    }

    @Test func `instants keep their local time in the zone of the call, else of the settings, else of the server`()
        async throws
    {
        let target = "rule=FREQ=WEEKLY&start=2027-03-08T09:00:00-05:00&count=1"

        #expect(try await items(target) == ["2027-03-15T13:00:00.000Z"])
        #expect(try await items(target + "&timeZone=Asia/Seoul") == ["2027-03-15T14:00:00.000Z"])
        #expect(await board.send(.patch, "/settings", #"{"timeZone": "Europe/Berlin"}"#).status == 200)
        #expect(
            try await items("rule=FREQ=WEEKLY&start=2027-03-22T09:00:00%2B01:00&count=1") == [
                "2027-03-29T07:00:00.000Z"
            ])
    }

    @Test(arguments: [
        ("start=2027-01-31", 400, "invalid_parameter"), ("rule=FREQ=DAILY", 400, "invalid_parameter"),
        ("rule=FREQ=DAILY&start=2027-02-29", 400, "invalid_parameter"),
        ("rule=FREQ=DAILY&start=2027-01-31&count=0", 400, "invalid_parameter"),
        ("rule=FREQ=DAILY&start=2027-01-31&count=101", 400, "invalid_parameter"),
        ("rule=FREQ=DAILY&start=2027-01-31&x=1", 400, "unknown_parameter"),
        ("rule=FREQ=DAILY&start=2027-01-31&timeZone=Mars", 400, "unknown_time_zone"),
        ("rule=FREQ=HOURLY&start=2027-01-31", 422, "invalid_recurrence"),
        ("rule=&start=2027-01-31", 422, "invalid_recurrence"),
    ])
    func `what is no rule is refused`(query: String, status: Int, code: String) async throws {
        let answer = await board.send(.get, "/recurrence?\(query)")

        #expect(answer.status == status && answer.json["code"]?.stringValue == code)
        if status == 422 { #expect(answer.json["errors"]?.arrayValue?.first?["pointer"] == "#/rule") }
    }
}
