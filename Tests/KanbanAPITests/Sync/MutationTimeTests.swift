import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

/// The time that a device gives to its mutations.
struct MutationTimeTests {
    private let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test(arguments: [
        ("2026-11-19T10:00:00Z", "2026-11-19T10:00:00.000Z"), ("2999-01-01T00:00:00Z", nil),
        ("2001-01-01T00:00:00+09:00", "created"), (nil, nil),
    ])
    func `what was done offline is done since then`(at: String?, completedAt: String?) async throws {
        board.clock.advance(seconds: -2 * 86_400)
        let (moved, patched) = (try await board.task(), try await board.task())
        board.clock.advance(seconds: 2 * 86_400)
        var mutations: [JSON] = [
            .mutation("move", moved.id, ["status": "done"]), .mutation("patch", patched.id, ["status": "done"]),
        ]
        if let at { for index in mutations.indices { mutations[index]["at"] = .string(at) } }

        let results = try await board.sync(mutations)

        for (result, task) in zip(results, [moved, patched]) {
            let expected =
                completedAt == "created" ? task["createdAt"] : .string(completedAt ?? board.clock.now.description)
            #expect(result["value"]?["completedAt"] == expected)
        }
        // Sent again, it is the same mutation.
        #expect(try await board.sync(mutations) == results)
    }

    @Test func `an invalid time is a fault of the mutation`() async throws {
        let task = try await board.task()
        var wrong = JSON.mutation("move", task.id, ["status": "done"])
        wrong["at"] = "yesterday"

        let result = try await board.sync([wrong])[0]

        #expect(result["problem"]?["errors"]?.arrayValue?.first?["code"] == "invalid_format")
    }

    @Test(arguments: [
        ("2020-01-01T00:00:00Z", "2020-01-02T00:00:00+09:00", "2020-01-01T00:00:00.000Z", "2020-01-01T15:00:00.000Z"),
        ("2020-01-02T00:00:00Z", "2020-01-01T00:00:00Z", "2020-01-02T00:00:00.000Z", "2020-01-02T00:00:00.000Z"),
        ("2020-01-01T00:00:00Z", nil, "2020-01-01T00:00:00.000Z", "2020-01-01T00:00:00.000Z"),
        (nil, "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000Z", "2020-01-01T00:00:00.000Z"),
        ("2999-01-01T00:00:00Z", "2999-01-01T00:00:00Z", nil, nil), (nil, nil, nil, nil),
    ])
    func `a task that was made elsewhere keeps its times`(
        made: String?, done: String?, createdAt: String?, completedAt: String?
    ) async throws {
        let value: JSON = [
            "status": "done", "createdAt": made.map { .string($0) } ?? .null,
            "completedAt": done.map { .string($0) } ?? .null,
        ]

        let results = try await board.sync([.mutation("create", .newID, value)])

        let now = board.clock.now.description
        #expect(results[0]["value"]?["createdAt"] == .string(createdAt ?? now))
        #expect(results[0]["value"]?["completedAt"] == .string(completedAt ?? now))
    }

    @Test func `the times of a task are its own elsewhere: only what is brought along has others`() async throws {
        let times = #""createdAt": "2020-01-01T00:00:00Z", "completedAt": "2020-01-01T00:00:00Z""#
        let posted = try await board.task(#"{"status": "done", \#(times)}"#)
        let wrong = JSON.mutation("create", .newID, ["createdAt": "long ago", "completedAt": 7])

        let result = try await board.sync([wrong])[0]

        #expect(posted["createdAt"] == .string(board.clock.now.description))
        #expect(posted["completedAt"] == .string(board.clock.now.description))
        let errors = result["problem"]?["errors"]?.arrayValue ?? []
        #expect(errors.map { $0["pointer"] } == ["#/createdAt", "#/completedAt"])
    }
}
