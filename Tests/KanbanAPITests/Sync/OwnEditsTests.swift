import HTTP
import JSON
import Kanban
import TestSupport
import Testing

/// `POST /sync` with edits that build on earlier ones of the same client.
struct OwnEditsTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test(arguments: ["merge", "keep", "reject"])
    func `what a known mutation of one's own changed is no conflict`(policy: String) async throws {
        let task = try await board.task(#"{"title": "one"}"#)
        let first = JSON.mutation("patch", task.id, base: task.revision, ["title": "two"])
        try await board.sync([first])
        let second = JSON.mutation("patch", task.id, base: task.revision, ["title": "three"], onConflict: policy)

        let result = try await board.sync([second], known: [first])[0]

        #expect(result.status == "applied")
        #expect(result.conflicts == [])
        #expect(result["value"]?["title"] == "three")
    }

    @Test func `without it, or under another's name, it is one`() async throws {
        let task = try await board.task(#"{"title": "one"}"#)
        let first = JSON.mutation("patch", task.id, base: task.revision, ["title": "two"])
        try await board.sync([first])
        let unknown = JSON.mutation("patch", task.id, ["title": "nobody sent this"])
        func second() -> JSON {
            .mutation("patch", task.id, base: task.revision, ["title": "three"], onConflict: "reject")
        }

        #expect(try await board.sync([second()])[0].status == "conflict")
        #expect(try await board.sync([second()], known: [unknown])[0].status == "conflict")
    }

    @Test func `what somebody else changed after the known mutation is a conflict still`() async throws {
        let task = try await board.task(#"{"title": "one", "body": "b"}"#)
        let first = JSON.mutation("patch", task.id, base: task.revision, ["title": "two", "body": "mine"])
        try await board.sync([first])
        await board.send(.patch, "/tasks/\(task.id)", #"{"title": "theirs"}"#)

        let result = try await board.sync(
            [.mutation("patch", task.id, base: task.revision, ["title": "three", "body": "more"], onConflict: "keep")],
            known: [first])[0]

        #expect(result.status == "merged")
        #expect(result.conflicts == ["title one>theirs/three"])
        #expect(result["value"]?["body"] == "more")
    }

    @Test(arguments: [
        ("category", "name", JSON.string("A"), JSON.string("B"), JSON.string("C")),
        ("dday", "title", "A", "B", "C"),
    ])
    func `a thing that a known mutation made and changed is one's own`(
        type: String, member: String, first: JSON, second: JSON, third: JSON
    ) async throws {
        let id = String.newID
        var whole: JSON = [member: first]
        if type == "dday" { whole["date"] = "2026-12-24" }
        let sent = [
            JSON.mutation(of: type, "create", id, whole), .mutation(of: type, "patch", id, base: 0, [member: second]),
        ]
        let made = try await board.sync(sent)

        let later = try await board.sync(
            [.mutation(of: type, "patch", id, base: 0, [member: third], onConflict: "keep")], known: sent)[0]

        #expect(made.map(\.status) == ["applied", "applied"])
        #expect(later.status == "applied")
        #expect(later["value"]?[member] == third)
    }

    @Test func `a known move or deletion is one's own too`() async throws {
        let task = try await board.task()
        let move = JSON.mutation("move", task.id, base: task.revision, ["status": "doing"])
        try await board.sync([move])

        let results = try await board.sync(
            [
                .mutation("move", task.id, base: task.revision, ["status": "done"], onConflict: "reject"),
                .mutation("delete", task.id, base: task.revision, onConflict: "reject"),
            ], known: [move])

        #expect(results.map(\.status) == ["applied", "applied"])
    }

    // MARK: - A category under a name that is there

    @Test(arguments: [("merge", "merged"), ("keep", "unchanged")])
    func `a category made under a name that is there becomes that one, in the rest of the request too`(
        policy: String, status: String
    ) async throws {
        let there = await board.send(.post, "/categories", ##"{"name": "Home", "color": "#aabbcc"}"##).json
        let (sent, task) = (String.newID, String.newID)

        let results = try await board.sync([
            .mutation(of: "category", "create", sent, ["name": " HOME "], onConflict: policy),
            .mutation("create", task, ["title": "one", "categoryId": .string(sent)]),
            .mutation("put", task, ["title": "two", "categoryId": .string(sent)]),
            .mutation("patch", task, ["categoryId": .string(sent.uppercased())]),
            .mutation(of: "category", "patch", sent, ["emoji": "🏠"]),
            .mutation("create", nil, ["title": " ", "categoryId": .string(sent)]),
        ])

        #expect(results.map(\.status) == [status, "applied", "applied", "unchanged", "applied", "rejected"])
        #expect(results[0]["value"]?.id == there.id)
        #expect(results[0]["value"]?["color"] == "#aabbcc")
        #expect(results[0].revision == there.revision)
        #expect(results[0].conflicts == [])
        #expect(results[1]["value"]?["categoryId"]?.stringValue == there.id)
        #expect(results[2]["value"]?["categoryId"]?.stringValue == there.id)
        #expect(results[4]["value"]?.id == there.id)
        #expect(results[5]["problem"]?["errors"]?.arrayValue?.map { $0["pointer"] } == ["#/title"])
        #expect(await board.send(.get, "/categories").json["items"]?.arrayValue?.count == 1)
        #expect(await board.send(.get, "/categories/\(sent)").status == 404)
    }

    @Test func `with reject it is a conflict, which undoes an atomic request`() async throws {
        await board.send(.post, "/categories", #"{"name": "Home"}"#)
        let sent = String.newID
        let mutations = [
            JSON.mutation(of: "category", "create", sent, ["name": "home"], onConflict: "reject"),
            .mutation("create", nil, ["categoryId": .string(sent)]),
        ]

        let atomic = try await board.sync(mutations, atomic: true)
        let results = try await board.sync(mutations)

        #expect(atomic.map(\.status) == ["conflict", "rejected"])
        #expect(results.map(\.status) == ["conflict", "rejected"])
        #expect(results[0].conflicts == ["name null>Home/home"])
        #expect(results[0]["value"]?["name"] == "Home")
        #expect(results[1]["problem"]?["code"] == "unknown_category")
    }

    @Test func `a repeat knows which category stands for the one that was sent`() async throws {
        let there = await board.send(.post, "/categories", #"{"name": "Home"}"#).json
        let sent = String.newID
        let create = JSON.mutation(of: "category", "create", sent, ["name": "Home"])
        let first = try await board.sync([create])

        let again = try TestBoard(in: board.stop())
        let results = try await again.sync([create, .mutation("create", nil, ["categoryId": .string(sent)])])

        #expect(results[0] == first[0])
        #expect(results[1]["value"]?["categoryId"]?.stringValue == there.id)
    }

    @Test func `two phones that made the same categories and tasks hold one of each category`() async throws {
        func outbox(_ title: String) -> [JSON] {
            let category = String.newID
            return [
                .mutation(of: "category", "create", category, ["name": "Exam", "emoji": "📚"]),
                .mutation("create", nil, ["title": .string(title), "categoryId": .string(category)]),
            ]
        }

        let first = try await board.sync(outbox("one"), atomic: true)
        let second = try await board.sync(outbox("two"), atomic: true)

        #expect(first.map(\.status) == ["applied", "applied"])
        #expect(second.map(\.status) == ["merged", "applied"])
        #expect(first[1]["value"]?["categoryId"] == second[1]["value"]?["categoryId"])
    }

    @Test func `an id that was used is not used for a name that is there`() async throws {
        let there = await board.send(.post, "/categories", #"{"name": "Home"}"#).json

        let result = try await board.sync([.mutation(of: "category", "create", there.id, ["name": "Home"])])[0]

        #expect(result["problem"]?["code"] == "already_exists")
    }
}
