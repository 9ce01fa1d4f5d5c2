import Foundation
import JSON
import Testing

/// Section 1: revisions, tags and conditions.
struct ConcurrencyTests {
    let client: Client

    init() throws {
        client = try Kanbase.shared()
    }

    @Test func `the tag of a resource is its revision`() throws {
        let task = try client.makeTask()

        let shown = try client.get("/tasks/\(task.id)")

        #expect(shown.tag == "\"\(task.revision)\"")
        #expect(task.revision > 0)
    }

    @Test func `a change takes a later revision, no change keeps it`() throws {
        let task = try client.makeTask(["title": "a"])

        let changed = try client.patch("/tasks/\(task.id)", ["title": "b"])
        let same = try client.patch("/tasks/\(task.id)", ["title": "b"])

        #expect(changed.json.revision > task.revision)
        #expect(same.status == 200)
        #expect(same.json == changed.json)
        #expect(same.tag == changed.tag)
    }

    @Test(arguments: ["PUT", "PATCH", "DELETE", "POST"])
    func `a stale If-Match changes nothing and shows what is there`(method: String) throws {
        let task = try client.makeTask(["title": "mine"])
        let stale = "\"\(task.revision)\""
        try client.patch("/tasks/\(task.id)", ["title": "theirs"])
        let target = method == "POST" ? "/tasks/\(task.id)/move" : "/tasks/\(task.id)"
        let body: JSON? = method == "DELETE" ? nil : method == "POST" ? ["status": "done"] : ["title": "again"]

        let answer = try client.send(method, target, json: body, ["if-match": stale])

        expectProblem(answer, 412)
        #expect(answer.json["current"]?["title"] == "theirs")
        #expect(try client.get("/tasks/\(task.id)").string("title") == "theirs")
    }

    @Test(arguments: ["*", "TAG", "\"0\", TAG", "\"7-abc\",TAG"])
    func `a fresh If-Match passes`(condition: String) throws {
        let task = try client.makeTask()

        let answer = try client.patch(
            "/tasks/\(task.id)", ["title": "new"],
            ["if-match": condition.replacing("TAG", with: "\"\(task.revision)\"")])

        #expect(answer.status == 200)
    }

    @Test func `the tag of an expanded answer passes as the plain one does`() throws {
        let task = try client.makeTask(["dueDate": "2030-05-05"])
        let expanded = try client.get("/tasks/\(task.id)?expand=deadline").tag

        let answer = try client.patch("/tasks/\(task.id)", ["title": "new"], ["if-match": expanded])

        #expect(expanded.hasPrefix("\"\(task.revision)-"))
        #expect(answer.status == 200)
    }

    @Test func `a tag that a proxy weakened matches for a write, once`() throws {
        let task = try client.makeTask()
        let weakened = ["if-match": "W/\"\(task.revision)\""]

        #expect(try client.get("/tasks/\(task.id)", weakened).status == 200)
        #expect(try client.patch("/tasks/\(task.id)", ["title": "x"], weakened).status == 200)
        expectProblem(try client.patch("/tasks/\(task.id)", ["title": "y"], weakened), 412)
        expectProblem(try client.get("/tasks/\(task.id)", weakened), 412)
    }

    @Test(arguments: [
        "/tasks/ID", "/tasks/ID?expand=deadline", "/tasks", "/board", "/categories", "/settings", "/tasks/ID/history",
    ])
    func `what has not changed is not sent again`(pattern: String) throws {
        let server = try Kanbase()
        let client = try server.client()
        let task = try client.makeTask(["dueDate": "2099-01-01"])
        let target = pattern.replacing("ID", with: task.id)
        var tag = try client.get(target).tag
        var same = try client.get(target, ["if-none-match": "\"x\", W/\(tag)"])
        // A deadline counts days: at midnight it changes once.
        if same.status == 200, pattern.contains("deadline") {
            tag = same.tag
            same = try client.get(target, ["if-none-match": "\"x\", W/\(tag)"])
        }
        try client.patch("/tasks/\(task.id)", ["title": "changed"])
        try client.patch("/settings", ["timeZone": "Asia/Seoul"])
        try client.post("/categories", ["name": "new"])
        let changed = try client.get(target, ["if-none-match": tag])

        #expect(same.status == 304)
        #expect(same.body.isEmpty)
        #expect(same.tag == tag)
        #expect(changed.status == 200)
        #expect(changed.tag != tag)
    }

    @Test func `PUT makes a task only where none is, when asked so`() throws {
        let id = UUID().uuidString.lowercased()

        let made = try client.put("/tasks/\(id)", ["title": "one"], ["if-none-match": "*"])
        let again = try client.put("/tasks/\(id)", ["title": "two"], ["if-none-match": "*"])

        #expect(made.status == 201)
        #expect(made.header("Location") == "/tasks/\(id)")
        expectProblem(again, 412)
        #expect(try client.get("/tasks/\(id)").string("title") == "one")
    }

    @Test func `PUT with If-Match does not make what is not there`() throws {
        let id = UUID().uuidString.lowercased()

        let answer = try client.put("/tasks/\(id)", ["title": "x"], ["if-match": "*"])

        #expect(answer.status == 412 || answer.status == 404)
        #expect(try client.get("/tasks/\(id)").status == 404)
    }

    @Test func `of many writers with the same tag exactly one wins`() async throws {
        let server = try Kanbase()
        let task = try server.client().makeTask()
        let port = server.port

        let statuses = try await onThreads(20) { number in
            try Client(port: port).patch(
                "/tasks/\(task.id)", ["title": .string("writer \(number)")], ["if-match": "\"\(task.revision)\""]
            ).status
        }

        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 412 }.count == 19)
    }
}

/// Section 1: `Idempotency-Key`.
struct RetryTests {
    @Test func `a repeated key gives the first answer, also after a restart`() throws {
        let folder = try DataFolder()
        let key = ["idempotency-key": "retry-1"]
        var server = try Kanbase(on: folder)

        let first = try server.client().post("/tasks", ["title": "once"], key)
        let second = try server.client().post("/tasks", ["title": "once"], key)
        server.stop(SIGKILL)
        server = try Kanbase(on: folder)
        let third = try server.client().post("/tasks", ["title": "once"], key)

        #expect(first.status == 201)
        #expect(first.header("Idempotency-Replayed") == nil)
        for repeated in [second, third] {
            #expect(repeated.status == 201)
            #expect(repeated.header("Idempotency-Replayed") == "true")
            #expect(repeated.body == first.body)
            #expect(repeated.tag == first.tag)
            #expect(repeated.header("Location") == first.header("Location"))
        }
        #expect(try server.client().get("/tasks").items.count == 1)
    }

    @Test func `the same key for something else is a fault`() throws {
        let client = try Kanbase.shared()
        let key = ["idempotency-key": UUID().uuidString]
        let task = try client.post("/tasks", ["title": "a"], key).json

        expectProblem(try client.post("/tasks", ["title": "b"], key), 422, "idempotency_key_reused")
        expectProblem(try client.patch("/tasks/\(task.id)", ["title": "a"], key), 422, "idempotency_key_reused")
        expectProblem(try client.post("/categories", ["name": "a"], key), 422, "idempotency_key_reused")
    }

    @Test func `a refusal is kept too`() throws {
        let client = try Kanbase.shared()
        let key = ["idempotency-key": UUID().uuidString]

        let first = try client.post("/tasks", ["title": " "], key)
        let second = try client.post("/tasks", ["title": " "], key)

        expectProblem(first, 422)
        #expect(second.status == 422)
        #expect(second.header("Idempotency-Replayed") == "true")
    }

    @Test(arguments: [String(repeating: "k", count: 256), "two words", "ключ"])
    func `a key that is none is refused`(key: String) throws {
        expectProblem(
            try Kanbase.shared().post("/tasks", [:], ["idempotency-key": key]), 400, "invalid_idempotency_key")
    }

    @Test func `many at once with one key make one task`() async throws {
        let server = try Kanbase()
        let port = server.port

        let statuses = try await onThreads(20) { _ in
            let answer = try Client(port: port).post("/tasks", ["title": "one"], ["idempotency-key": "k"])
            if answer.status == 409 { #expect(answer.header("Retry-After") != nil) }
            return answer.status
        }

        #expect(Set(statuses).isSubset(of: [201, 409]))
        #expect(statuses.contains(201))
        #expect(try server.client().get("/tasks").items.count == 1)
    }
}
