import Foundation
import JSON
import Testing

/// Section 2: `POST /tasks/{id}/move`, on a board of its own.
struct MoveTests {
    let server: Kanbase
    let client: Client

    init() throws {
        server = try Kanbase()
        client = try server.client()
    }

    func make(_ titles: String..., in status: String = "todo") throws -> [String: String] {
        try titles.reduce(into: [:]) { ids, title in
            ids[title] = try client.makeTask(["title": .string(title), "status": .string(status)]).id
        }
    }

    func column(_ status: String = "todo") throws -> String {
        try client.get("/tasks?status=\(status)&sort=position&limit=200").items.map(\.title).joined()
    }

    @Test func `a deletion is undone in its place`() throws {
        let ids = try make("a", "b", "c")
        let b = ids["b"] ?? ""
        func undo(_ body: JSON?) throws -> String {
            try client.delete("/tasks/\(b)")
            #expect(try client.post("/tasks/\(b)/restore", body).status == 200)
            return try column()
        }

        #expect(try undo(["before": .string(ids["c"] ?? "")]) == "abc")
        #expect(try undo(nil) == "acb")
        #expect(try undo(["after": .string(ids["a"] ?? "")]) == "abc")
        #expect(try undo([:]) == "acb")
        #expect(try undo(["place": "first"]) == "bac")
        try client.delete("/tasks/\(b)")
        expectProblem(try client.post("/tasks/\(b)/restore", ["after": .string(b)]), 422, "unknown_neighbour")
    }

    @Test func `every way to say where`() throws {
        let ids = try make("a", "b", "c", "d")
        func move(_ title: String, _ where: JSON) throws -> Int {
            try client.post("/tasks/\(ids[title] ?? "")/move", `where`).status
        }
        let a = JSON.string(ids["a"] ?? "")
        let c = JSON.string(ids["c"] ?? "")

        #expect(try move("d", ["before": a]) == 200)
        #expect(try column() == "dabc")
        #expect(try move("d", ["after": c]) == 200)
        #expect(try column() == "abcd")
        #expect(try move("c", ["place": "first"]) == 200)
        #expect(try column() == "cabd")
        #expect(try move("c", ["place": "last"]) == 200)
        #expect(try column() == "abdc")
        #expect(try move("a", [:]) == 200)
        #expect(try column() == "bdca")
        #expect(try move("b", ["status": "doing"]) == 200)
        #expect(try column() == "dca")
        #expect(try column("doing") == "b")
        #expect(try move("a", ["status": "doing", "place": "first"]) == 200)
        #expect(try column("doing") == "ab")
    }

    @Test func `only the moved task changes`() throws {
        let ids = try make("a", "b", "c")
        let before = try client.get("/tasks?sort=position").items

        let moved = try client.post("/tasks/\(ids["c"] ?? "")/move", ["before": .string(ids["a"] ?? "")])

        let after = try client.get("/tasks?sort=position").items
        #expect(after.map(\.title) == ["c", "a", "b"])
        #expect(Array(after.dropFirst()) == Array(before.dropLast()))
        #expect(moved.json.revision == (before.map(\.revision).max() ?? 0) + 1)
        let positions = after.map { $0["position"]?.stringValue ?? "" }
        #expect(positions == positions.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test func `a move to where it is changes nothing`() throws {
        let ids = try make("a", "b")
        let b = try client.get("/tasks/\(ids["b"] ?? "")").json

        for place: JSON in [["after": .string(ids["a"] ?? "")], ["place": "last"], [:], ["status": "todo"]] {
            let answer = try client.post("/tasks/\(b.id)/move", place)

            #expect(answer.status == 200)
            #expect(answer.json == b, "\(place)")
        }
    }

    @Test func `a stale neighbour is no error`() throws {
        let ids = try make("a", "b", "c", "d")
        try client.delete("/tasks/\(ids["b"] ?? "")")
        try client.post("/tasks/\(ids["c"] ?? "")/move", ["status": "done"])

        let deleted = try client.post("/tasks/\(ids["a"] ?? "")/move", ["before": .string(ids["b"] ?? "")])
        #expect(deleted.status == 200)
        #expect(try column() == "da")

        let left = try client.post("/tasks/\(ids["d"] ?? "")/move", ["after": .string(ids["c"] ?? "")])
        #expect(left.status == 200)
        #expect(try column() == "ad")
    }

    @Test func `a neighbour that cannot be is one`() throws {
        let ids = try make("a", "b")
        let a = "/tasks/\(ids["a"] ?? "")/move"
        let b = JSON.string(ids["b"] ?? "")

        for wrong: JSON in [
            ["before": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"], ["after": .string(ids["a"] ?? "")],
            ["before": b, "after": b], ["before": b, "place": "first"], ["place": "middle"], ["status": "gone"],
            ["before": "x"], ["befor": b],
        ] {
            expectProblem(try client.post(a, wrong), 422)
        }
        expectProblem(try client.post("/tasks/0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11/move", [:]), 404)
        #expect(try column() == "ab")
    }

    @Test func `concurrent moves keep every task, once`() async throws {
        let ids = try (0..<12).map { try client.makeTask(["title": .string("\($0)")]).id }
        let port = server.port

        _ = try await onThreads(4) { worker in
            let client = try Client(port: port)
            for step in 0..<60 {
                let (task, neighbour) = ((worker * 7 + step * 5) % 12, (worker * 5 + step * 11 + 1) % 12)
                guard task != neighbour else { continue }
                let place: JSON = [step % 2 == 0 ? "before" : "after": .string(ids[neighbour])]
                #expect(try client.post("/tasks/\(ids[task])/move", place).status == 200)
            }
        }

        let items = try client.get("/tasks?sort=position&limit=200").items
        #expect(Set(items.map(\.id)) == Set(ids))
        #expect(items.count == 12)
        #expect(Set(items.map { $0["position"]?.stringValue }).count == 12)
    }
}
