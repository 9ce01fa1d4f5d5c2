import HTTP
import JSON
import Testing

@testable import KanbanAPI

struct SettingsRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test func `settings begin empty and are merged`() async throws {
        let empty = await board.send(.get, "/settings")
        let first = await board.send(
            .patch, "/settings",
            "{\"timeZone\": \"Asia/Seoul\", \"custom\": {\"theme\": {\"dark\": true, \"n\": 1.50}}}")
        let second = await board.send(
            .patch, "/settings", "{\"timeZone\": null, \"custom\": {\"theme\": {\"dark\": null}, \"x\": [1]}}")

        #expect(empty.json == ["timeZone": .null, "locale": .null, "custom": [:], "revision": 0])
        #expect(first.json["timeZone"] == "Asia/Seoul")
        #expect(second.json["timeZone"] == .null)
        #expect(second.json["custom"] == ["theme": ["n": .number("1.50")], "x": [1]])
        #expect(await board.send(.get, "/settings").body == second.body)
    }

    @Test(arguments: [
        ("{\"timeZone\": \"Mars/Base\"}", "#/timeZone invalid_value"),
        ("{\"locale\": \"de\"}", "#/locale invalid_value"),
        ("{\"custom\": []}", "#/custom invalid_type"), ("{\"theme\": 1}", "#/theme unknown_member"),
        ("{\"custom\": {\"a\": \"\(String(repeating: "x", count: 16_384))\"}}", "#/custom too_long"),
    ])
    func `a fault changes nothing`(body: String, fault: String) async throws {
        let answer = await board.send(.patch, "/settings", body)

        #expect(answer.status == 422 && answer.faults == [fault])
        #expect(await board.send(.get, "/settings").json.revision == 0)
    }

    @Test func `the settings decide the zone and the language where a request does not`() async throws {
        _ = await board.send(.patch, "/settings", "{\"timeZone\": \"Asia/Seoul\", \"locale\": \"ja\"}")
        _ = try await board.task("{\"dueDate\": \"2026-11-20T16:00:00Z\"}")

        #expect(await board.titles("/tasks?due=upcoming") == ["新しいタスク"])
        #expect(await board.titles("/tasks?due=today&timeZone=UTC") == ["新しいタスク"])
    }
}
