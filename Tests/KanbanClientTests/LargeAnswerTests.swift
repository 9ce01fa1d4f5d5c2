import JSON
import TestSupport
import Testing

@testable import KanbanClient

/// Answers that are deep or long: the values in them are the user's.
struct LargeAnswerTests {
    let server: LocalServer
    let device: TestDevice

    init() async throws {
        server = try LocalServer()
        device = try await TestDevice.on(server)
    }

    private func nested(_ depth: Int) -> JSON {
        (0..<depth).reduce(JSON.array([])) { value, _ in .array([value]) }
    }

    @Test func `settings as deep as the server takes them come in a page and in the answer to a push`() async throws {
        // In an object in an object.
        let stored = try await server.json("PATCH", "/settings", ["custom": ["deep": nested(61)]])
        try #require(stored["custom"]?["deep"] == nested(61))

        try await device.board.syncNow()
        try await device.board.editSettings { $0.custom["own"] = "1" }
        try await device.board.syncNow()

        #expect(try await device.board.pending().isEmpty)
        #expect(try await server.json("GET", "/settings")["custom"]?["own"] == "1")
    }

    @Test func `edits whose results are more than a device takes at once are sent in parts`() async throws {
        let many = JSON.array(Array(repeating: 0, count: 8_000))
        try #require(try await server.json("PATCH", "/settings", ["custom": ["many": many]])["custom"] != nil)
        try await device.board.syncNow()
        for number in 1...14 { try await device.board.editSettings { $0.custom["own"] = "\(number)" } }

        var failures = 0
        while try await !device.board.pending().isEmpty, failures < 20 {
            do {
                try await device.board.syncNow()
            } catch {
                failures += 1
            }
        }

        #expect(failures > 0)
        #expect(try await server.json("GET", "/settings")["custom"]?["own"] == "14")
    }
}
