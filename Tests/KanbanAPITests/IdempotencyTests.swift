import HTTP
import Kanban
import KanbanSQLite
import TestSupport
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

        #expect(first.status == 412 && repeated.status == 412 && repeated.header("Idempotency-Replayed") == "true")
        #expect(repeated.body == first.body)
    }

    @Test func `a repeat of a problem has one request id, that of the repeat`() async throws {
        let board = try TestBoard()
        func post(_ id: String) async -> Answer {
            let headers = [(name: "Idempotency-Key", value: "k1"), (name: "X-Request-Id", value: id)]
            return await board.send(.post, "/tasks", "{\"title\": \" \"}", headers: headers)
        }

        _ = await post("first")
        let repeated = await post("second")

        #expect(repeated.headers.filter { $0.name == "X-Request-Id" }.map(\.value) == ["second"])
        #expect(repeated.headers.contains { $0.name == "Idempotency-Replayed" })
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
        #expect(repeated.header("Idempotency-Replayed") == "true" && repeated.body == wrong.body)
    }

    @Test func `the same key for something else is a fault`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        let task = await board.send(.post, "/tasks", #"{"title": "a"}"#, headers: key).json

        for (method, target, body) in [
            (.post, "/tasks", #"{"title": "b"}"#), (.patch, "/tasks/\(task.id)", #"{"title": "a"}"#),
            (.post, "/categories", #"{"name": "a"}"#),
        ] as [(HTTP.Method, String, String)] {
            #expect(await board.send(method, target, body, headers: key).code == "idempotency_key_reused")
        }
    }

    @Test func `a key is kept for a day`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        _ = await board.send(.post, "/tasks", "{}", headers: key)
        board.clock.advance(seconds: 86_401)

        let later = await board.send(.post, "/tasks", "{}", headers: key)

        #expect(later.status == 201 && later.header("Idempotency-Replayed") == nil)
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
        #expect(second.status == 422 && second.header("Idempotency-Replayed") == nil)
        #expect(try await board.store.read(.local) { try $0.keptAnswer(key: "k1") } == nil)
    }

    @Test(arguments: ["", String(repeating: "k", count: 256), "two words", "ключ"])
    func `an invalid key is refused`(key: String) async throws {
        let board = try TestBoard()

        #expect(
            await board.send(.post, "/tasks", "{}", headers: [("Idempotency-Key", key)]).code
                == "invalid_idempotency_key")
    }
}
