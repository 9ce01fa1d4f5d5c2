import HTTP
import Kanban
import KanbanSQLite
import Testing

@testable import KanbanAPI

struct IdempotencyTests {
    @Test func `a repeat gets the first answer, over a restart too`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        let first = await board.send(.post, "/tasks", "{\"title\": \"a\"}", headers: key)
        let repeated = await board.send(.post, "/tasks", "{\"title\": \"a\"}", headers: key)

        let after = try TestBoard(in: board.stop())
        let later = await after.send(.post, "/tasks", "{\"title\": \"a\"}", headers: key)

        #expect(first["Idempotency-Replayed"] == nil && first.status == 201)
        for answer in [repeated, later] {
            #expect(answer.status == 201 && answer.body == first.body && answer["Idempotency-Replayed"] == "true")
            #expect(answer["Location"] == first["Location"] && answer["ETag"] == first["ETag"])
        }
        #expect(await after.titles("/tasks") == ["a"])
    }

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

    @Test func `a key that comes with another request is refused`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        let task = try await board.task()
        _ = await board.send(.post, "/tasks", "{}", headers: key)

        #expect(await board.send(.post, "/tasks", "{ }", headers: key).code == "idempotency_key_reused")
        #expect(await board.send(.patch, "/tasks/\(task.id)", "{}", headers: key).code == "idempotency_key_reused")
        #expect(await board.send(.post, "/categories", "{}", headers: key).code == "idempotency_key_reused")
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

    @Test func `many at once make one thing`() async throws {
        let board = try TestBoard()
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    await board.send(.post, "/tasks", "{}", headers: [("Idempotency-Key", "k")]).status
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(Set(statuses).isSubset(of: [201, 409]) && statuses.contains(201))
        #expect(await board.titles("/tasks").count == 1)
    }

    @Test(arguments: ["", "a b", "가", String(repeating: "k", count: 256)])
    func `a key that is none is told`(key: String) async throws {
        let board = try TestBoard()

        #expect(
            await board.send(.post, "/tasks", "{}", headers: [("Idempotency-Key", key)]).code
                == "invalid_idempotency_key")
    }
}
