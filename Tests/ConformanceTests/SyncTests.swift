import Foundation
import JSON
import TestSupport
import Testing

/// Section 4 of the contract, each on a board of its own.
struct SyncTests {
    let server: Kanbase
    let client: Client

    init() throws {
        server = try Kanbase()
        client = try server.client()
    }

    func pull(_ query: String = "") throws -> (changes: [JSON], cursor: String) {
        var changes: [JSON] = []
        var target = "/changes?limit=3" + query
        while true {
            let page = try client.get(target)
            #expect(page.status == 200, "\(page.text)")
            changes += page.json["changes"]?.arrayValue ?? []
            let cursor = page.string("cursor") ?? ""
            if page.json["hasMore"] != true { return (changes, cursor) }
            target = "/changes?limit=3&since=\(cursor)"
        }
    }

    func mutation(_ op: String, _ id: String, _ value: JSON? = nil, base: Int? = nil, onConflict: String? = nil) -> JSON
    {
        var members: [JSON.Member] = [
            .init("mutationId", .string(UUID().uuidString.lowercased())), .init("type", "task"),
            .init("op", .string(op)),
            .init("id", .string(id)),
        ]
        if let value { members.append(.init("value", value)) }
        if let base { members.append(.init("baseRevision", JSON(base))) }
        if let onConflict { members.append(.init("onConflict", .string(onConflict))) }
        return .object(members)
    }

    func push(_ mutations: [JSON], atomic: Bool = false) throws -> Answer {
        try client.post("/sync", ["atomic": .bool(atomic), "mutations": .array(mutations)])
    }

    func results(_ answer: Answer) -> [String] {
        (answer.json["results"]?.arrayValue ?? []).map { $0["status"]?.stringValue ?? "" }
    }

    @Test func `a first pull is the living state, a later one what changed`() throws {
        let ids = try (0..<7).map { try client.makeTask(["title": .string("\($0)")]).id }
        try client.delete("/tasks/\(ids[0])")

        let first = try pull()
        try client.patch("/tasks/\(ids[1])", ["title": "once"])
        try client.patch("/tasks/\(ids[1])", ["title": "twice"])
        try client.delete("/tasks/\(ids[2])")
        let second = try pull("&since=\(first.cursor)")
        let third = try pull("&since=\(second.cursor)")

        let living = first.changes.filter { $0["deleted"] == false }
        #expect(living.map(\.id) == Array(ids.dropFirst()))
        #expect(living.allSatisfy { $0["type"] == "task" })
        #expect(second.changes.map(\.id) == [ids[1], ids[2]])
        #expect(second.changes.first?["value"]?["title"] == "twice")
        #expect(second.changes.last?["deleted"] == true)
        #expect(second.changes.last?["value"] == .null)
        #expect(third.changes.isEmpty)
        #expect(third.cursor == second.cursor)
    }

    @Test func `a cursor that is none, or of another history`() throws {
        let cursor = try pull().cursor
        let parts = cursor.split(separator: "-")
        let epoch = try #require(parts.first)

        expectProblem(try client.get("/changes?since=nonsense"), 400)
        expectProblem(try client.get("/changes?since=\(epoch)-999999"), 410, "cursor_expired")
        expectProblem(try client.get("/changes?types=nonsense"), 400)
        expectProblem(try client.get("/changes?limit=1001"), 400)
    }

    @Test func `a change is sent to those who wait for it`() async throws {
        let cursor = try pull().cursor
        let port = server.port

        let answers = try await onThreads(2) { number -> [JSON] in
            let client = try Client(port: port)
            guard number == 0 else {
                // Before or after the other began to wait: both ways it must see it.
                return [try client.makeTask(["title": "news"])]
            }
            let answer = try client.get("/changes?since=\(cursor)", ["prefer": "wait=30"])
            return answer.json["changes"]?.arrayValue ?? []
        }

        #expect(answers[0].first?["value"]?["title"] == "news")
    }

    @Test func `what was sent twice is done once`() throws {
        let id = UUID().uuidString.lowercased()
        let outbox = [
            mutation("create", id, ["title": "a"]), mutation("patch", id, ["title": "b"]),
            mutation("move", id, ["status": "done"]),
        ]

        let first = try push(outbox)
        let second = try push(outbox)

        #expect(results(first) == ["applied", "applied", "applied"])
        #expect(second.json["results"] == first.json["results"])
        #expect(try client.get("/tasks/\(id)/history").items.count == 3)
    }

    @Test func `the case of an id makes no other mutation`() throws {
        let id = UUID().uuidString
        func create(_ id: String) -> JSON {
            let mutationID = "0199a3c4-6b1e-7c3a-9a55" + id.suffix(13)
            return [
                "mutationId": .string(mutationID), "type": "task", "op": "create", "id": .string(id),
                "value": ["title": "a"],
            ]
        }

        let first = try push([create(id.lowercased())])
        let second = try push([create(id.uppercased())])

        #expect(results(first) == ["applied"])
        #expect(second.json["results"]?.arrayValue?.first?["status"] == "applied")
    }

    @Test func `edits of different members are merged, of the same one told`() throws {
        let task = try client.makeTask(["title": "base", "body": "base"])
        try client.patch("/tasks/\(task.id)", ["title": "theirs"])

        let other = try push([mutation("patch", task.id, ["body": "mine"], base: task.revision)])
        let mine = try push([mutation("patch", task.id, ["title": "mine"], base: task.revision)])
        let keep = try push([mutation("patch", task.id, ["title": "late"], base: task.revision, onConflict: "keep")])
        let reject = try push([mutation("patch", task.id, ["title": "no"], base: task.revision, onConflict: "reject")])

        #expect(results(other) == ["applied"])
        #expect(results(mine) == ["merged"])
        let conflict = mine.json["results"]?.arrayValue?.first?["conflicts"]?.arrayValue?.first
        #expect(conflict == ["member": "title", "base": "base", "theirs": "theirs", "yours": "mine"])
        #expect(results(keep) == ["unchanged"])
        #expect(results(reject) == ["conflict"])
        let shown = try client.get("/tasks/\(task.id)")
        #expect(shown["title"] == "mine")
        #expect(shown["body"] == "mine")
    }

    @Test func `an edit that builds on one's own answered edit is no conflict`() throws {
        let task = try client.makeTask(["title": "base"])
        let first = mutation("patch", task.id, ["title": "first"], base: task.revision)
        #expect(results(try push([first])) == ["applied"])

        let second = mutation("patch", task.id, ["title": "second"], base: task.revision, onConflict: "keep")
        let answer = try client.post(
            "/sync",
            ["known": [first["mutationId"] ?? .null, .string(UUID().uuidString)], "mutations": [second]])

        #expect(results(answer) == ["applied"])
        #expect(try client.get("/tasks/\(task.id)")["title"] == "second")
        let tooMany = JSON.array((0...500).map { _ in .string(UUID().uuidString) })
        expectProblem(try client.post("/sync", ["known": tooMany, "mutations": []]), 422, "too_many")
    }

    @Test func `the same category made on two phones is one`() throws {
        func outbox() -> [JSON] {
            let id = UUID().uuidString.lowercased()
            var category = mutation("create", id, ["name": "Exam"])
            category["type"] = "category"
            return [category, mutation("create", UUID().uuidString.lowercased(), ["categoryId": .string(id)])]
        }

        let first = try push(outbox())
        let second = try push(outbox())

        #expect(results(first) == ["applied", "applied"])
        #expect(results(second) == ["merged", "applied"])
        #expect(try client.get("/categories").items.map { $0["taskCount"] } == [2])
    }

    @Test func `all or nothing is all or nothing`() throws {
        let id = UUID().uuidString.lowercased()
        let good = mutation("create", id, ["title": "good"])

        let undone = try push([good, mutation("patch", UUID().uuidString.lowercased(), ["title": "x"])], atomic: true)
        let gone = try client.get("/tasks/\(id)").status
        let done = try push([good], atomic: true)

        #expect(results(undone) == ["rejected", "rejected"])
        let code = undone.json["results"]?.arrayValue?.first?["problem"]?["code"]
        #expect(code == "rolled_back")
        #expect(gone == 404)
        #expect(results(done) == ["applied"])
    }

    @Test func `what is wrong in itself is rejected alone`() throws {
        let id = UUID().uuidString.lowercased()

        let answer = try push([mutation("create", id, ["title": " "]), mutation("create", id, ["title": "right"])])
        let broken = try client.post("/sync", ["mutations": [["type": "task"]]])

        #expect(results(answer) == ["rejected", "applied"])
        let pointer = answer.json["results"]?.arrayValue?.first?["problem"]?["errors"]?.arrayValue?.first?["pointer"]
        #expect(pointer == "#/title")
        expectProblem(broken, 422)
        #expect(broken.faults.contains { $0.hasPrefix("#/mutations/0/mutationId ") })
    }

    @Test func `a stream gives what was missed, then what comes`() throws {
        let task = try client.makeTask(["title": "before"])
        let connection = try RawConnection(port: server.port)

        try connection.send(
            "GET /changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".utf8)
        let head = String(decoding: try #require(try connection.read(through: "\r\n\r\n")), as: UTF8.self)
        let missed = String(decoding: try #require(try connection.read(through: "event: ready")), as: UTF8.self)
        try client.patch("/tasks/\(task.id)", ["title": "after"])
        let news = String(decoding: try #require(try connection.read(through: "\"after\"")), as: UTF8.self)
        let end = server.stop(SIGTERM)
        _ = try connection.readToEnd()

        #expect(head.hasPrefix("HTTP/1.1 200 "))
        #expect(head.lowercased().contains("content-type: text/event-stream"))
        #expect(missed.contains("\"before\"") && missed.contains("id: "))
        #expect(news.contains("event: change"))
        #expect(end == .exited(0))
    }
}
