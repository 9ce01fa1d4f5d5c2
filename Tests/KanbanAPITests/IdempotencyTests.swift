import HTTP
import Kanban
import KanbanSQLite
import Testing

@testable import KanbanAPI

struct IdempotencyTests {
    @Test func `a problem is an answer, and kept as one`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        let task = try await board.task()
        let stale = key + [(name: "If-Match", value: "\"9\"")]

        let first = await board.send(.patch, "/tasks/\(task.id)", "{\"title\": \"a\"}", headers: stale)
        let repeated = await board.send(.patch, "/tasks/\(task.id)", "{\"title\": \"a\"}", headers: key)

        #expect(first.status == 412 && repeated.status == 412 && repeated["Idempotency-Replayed"] == "true")
        #expect(repeated.body == first.body)
    }

    @Test func `a repeat of a problem has one request id, that of the repeat`() async throws {
        let board = try TestBoard()
        func post(_ id: String) async -> Response {
            let headers = [(name: "Idempotency-Key", value: "k1"), (name: "X-Request-Id", value: id)]
            return await board.respond(.post, "/tasks", "{\"title\": \" \"}", headers: headers)
        }

        _ = await post("first")
        let repeated = await post("second")

        #expect(repeated.fields.filter { $0.name == "X-Request-Id" }.map(\.value) == ["second"])
        #expect(repeated.fields.contains { $0.name == "Idempotency-Replayed" })
    }

    @Test func `a wrong body of a restore is an answer to keep, too`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        let task = try await board.task()
        await board.send(.delete, "/tasks/\(task.id)")

        let wrong = await board.send(.post, "/tasks/\(task.id)/restore", "{\"x\": 1}", headers: key)
        let right = await board.send(.post, "/tasks/\(task.id)/restore", "{}", headers: key)
        let repeated = await board.send(.post, "/tasks/\(task.id)/restore", "{\"x\": 1}", headers: key)

        #expect(wrong.status == 422 && right.code == "idempotency_key_reused")
        #expect(repeated["Idempotency-Replayed"] == "true" && repeated.body == wrong.body)
    }

    @Test func `a key is kept for a day`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        _ = await board.send(.post, "/tasks", "{}", headers: key)
        board.clock.advance(seconds: 86_401)

        let later = await board.send(.post, "/tasks", "{}", headers: key)

        #expect(later.status == 201 && later["Idempotency-Replayed"] == nil)
    }

    @Test func `an answer of more than 64 KiB is not kept, and made again`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        // A hundred faults, each with a name of 400 bytes, twice.
        let name = String(repeating: "\u{1F4A3}", count: 97)
        let body = "{\((0..<100).map { "\"\(name)\($0)\": null" }.joined(separator: ","))}"

        let first = await board.send(.post, "/tasks", body, headers: key)
        let second = await board.send(.post, "/tasks", body, headers: key)

        #expect(first.status == 422 && first.body.count > KeptAnswer.mostBytes)
        #expect(second.status == 422 && second["Idempotency-Replayed"] == nil)
        #expect(try board.store.readNow(.local) { try $0.keptAnswer(key: "k1") } == nil)
    }

    /// Here, because curl and URLSession do not send a field without a value.
    @Test func `an empty key is refused`() async throws {
        let board = try TestBoard()

        #expect(
            await board.send(.post, "/tasks", "{}", headers: [("Idempotency-Key", "")]).code
                == "invalid_idempotency_key")
    }
}
