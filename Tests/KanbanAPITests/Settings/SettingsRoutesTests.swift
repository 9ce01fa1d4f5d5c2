import HTTP
import JSON
import TestSupport
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

        #expect(
            empty.json == [
                "timeZone": .null, "locale": .null, "custom": [:], "allDayTime": .null, "digest": .null, "revision": 0,
            ])
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
        (
            "{\"locale\": 1, \"custom\": {\"a\": \"\(String(repeating: "x", count: 16_384))\"}}",
            "#/locale invalid_type, #/custom too_long"
        ),
        (#"{"custom": {"a": [{"b": "x\u0000"}]}}"#, "#/custom control_character"),
        (#"{"custom": {"a\u0000": 1}}"#, "#/custom control_character"),
        // A Kelvin sign.
        ("{\"timeZone\": \"Asia/\u{212a}olkata\"}", "#/timeZone invalid_value"),
    ])
    func `a fault changes nothing`(body: String, faults: String) async throws {
        await board.send(.get, "/today?timeZone=Asia/Kolkata")

        let answer = await board.send(.patch, "/settings", body)

        #expect(answer.status == 422 && answer.faults.joined(separator: ", ") == faults)
        #expect(await board.send(.get, "/settings").json.revision == 0)
    }

    @Test func `the settings decide the zone and the language where a request does not`() async throws {
        _ = await board.send(.patch, "/settings", "{\"timeZone\": \"Asia/Seoul\", \"locale\": \"ja\"}")
        _ = try await board.task("{\"dueDate\": \"2026-11-20T16:00:00Z\"}")

        #expect(await board.titles("/tasks?due=upcoming") == ["新しいタスク"])
        #expect(await board.titles("/tasks?due=today&timeZone=UTC") == ["新しいタスク"])
    }
}
