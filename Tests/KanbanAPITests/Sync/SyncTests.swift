import HTTP
import JSON
import Kanban
import TestSupport
import Testing

/// `POST /sync` without conflicts.
struct SyncTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    private func post(_ body: String, headers: [(name: String, value: String)] = []) async -> Answer {
        await board.send(.post, "/sync", body, headers: headers)
    }

    @Test func `mutations of every kind are applied in order`() async throws {
        let (task, category, dday) = (String.newID, String.newID, String.newID)

        let results = try await board.sync([
            .mutation(of: "category", "create", category, ["name": "Home"]),
            .mutation("create", task, ["title": "one", "categoryId": .string(category)]),
            .mutation("patch", task, ["body": "text"]),
            .mutation("move", task, ["status": "doing"]),
            .mutation("put", task, ["title": "two", "status": "doing"]),
            .mutation("delete", task),
            .mutation("restore", task),
            .mutation(of: "category", "patch", category, ["emoji": "🏠"]),
            .mutation(of: "category", "put", category, ["name": "House"]),
            .mutation(of: "dday", "create", dday, ["title": "Exam", "date": "2026-12-24"]),
            .mutation(of: "dday", "patch", dday, ["repeats": "yearly"]),
            .mutation(of: "dday", "put", dday, ["title": "Exam", "date": "2026-12-25"]),
            .mutation(of: "dday", "delete", dday),
            .mutation(of: "settings", "patch", "settings", ["locale": "ja"]),
        ])

        #expect(results.map(\.status) == Array(repeating: "applied", count: 14))
        #expect(results.map(\.revision) == Array(1...14))
        #expect(results[6]["value"] == (await board.send(.get, "/tasks/\(task)")).json)
        #expect(results[6]["value"]?["title"] == "two")
        #expect(results[12]["value"]?.isNull == true)
        #expect(await board.send(.get, "/settings").json["locale"] == "ja")
        #expect(await board.send(.get, "/ddays").json["items"] == [])
        #expect(await board.send(.get, "/categories/\(category)").json["name"] == "House")
    }

    @Test func `a repeat gives the first result, over a restart and whatever changed since`() async throws {
        let create: JSON = .mutation("create", .newID, ["title": "one"])
        let patch: JSON = .mutation("patch", try #require(create["id"]?.stringValue), ["title": "two"])
        let first = try await board.sync([create, patch])
        await board.send(.patch, "/tasks/\(create.id)", #"{"title": "three"}"#)

        let again = try TestBoard(in: board.stop())
        let second = try await again.sync([create, patch])

        #expect(second == first)
        #expect(await again.send(.get, "/tasks/\(create.id)").json["title"] == "three")
        #expect(await again.send(.get, "/tasks/\(create.id)").json.revision == 3)
    }

    @Test func `a push is refused when the board is not at the revision that it is for`() async throws {
        let body = JSON.object([.init("mutations", .array([.mutation("create", .newID, ["title": "one"])]))])
        let text = String(decoding: body.serialized(), as: UTF8.self)

        #expect(await post(text, headers: [("If-Match", "\"1\"")]).status == 412)
        #expect(await post(text, headers: [("If-Match", "\"0\"")]).status == 200)
        #expect(await board.titles("/tasks") == ["one"])
    }

    @Test func `the order of members says nothing, their content does`() async throws {
        let id = String.newID
        let mutation: JSON = .mutation("create", .newID, ["title": "one", "body": "text"], mutationID: id)
        let first = try await board.sync([mutation])

        let turned = JSON.object(
            (mutation.objectMembers ?? []).reversed().map { member in
                member.name == "value" ? .init("value", ["body": "text", "title": "one"]) : member
            })
        var other = mutation
        other["value"] = ["title": "two", "body": "text"]

        var later = mutation
        later["baseRevision"] = 7

        #expect(try await board.sync([turned]) == first)
        #expect(try await board.sync([later]) == first)
        let result = try await board.sync([other])[0]
        #expect(result.status == "rejected")
        #expect(result["problem"]?["code"] == "idempotency_key_reused")
    }

    @Test func `a mutation is forgotten after thirty days`() async throws {
        let patch: JSON = .mutation("create", .newID, ["title": "one"])
        #expect(try await board.sync([patch])[0].status == "applied")

        board.clock.advance(seconds: 31 * 86_400)

        #expect(try await board.sync([patch])[0]["problem"]?["code"] == "already_exists")
    }

    @Test func `a mutation that stands twice in a request is applied once`() async throws {
        let id = String.newID
        let first = JSON.mutation("create", .newID, ["title": "once"], mutationID: id)
        let other = JSON.mutation("create", .newID, ["title": "other"], mutationID: id)

        let results = try await board.sync([first, first, other])

        #expect(results[0].status == "applied")
        #expect(results[1] == results[0])
        #expect(results[2]["problem"]?["code"] == "idempotency_key_reused")
        #expect(await board.titles("/tasks") == ["once"])
    }

    @Test func `what is wrong in itself is rejected alone, with pointers into its value`() async throws {
        let good = String.newID

        let results = try await board.sync([
            .mutation("create", .newID, ["title": " ", "colour": "red", "categoryId": .string(.unknownID)]),
            .mutation("create", good, ["title": "good"]),
            .mutation("patch", .unknownID, ["title": "x"]),
            .mutation("create", .newID, ["categoryId": .string(.unknownID)]),
            .mutation("create", good, ["title": "twin"]),
            .mutation("move", good, ["before": .string(good)]),
            .mutation("create", .newID),
            .mutation(of: "category", "create", .newID, ["name": "A"]),
            .mutation(of: "category", "put", .newID, ["name": "a"]),
            .mutation(of: "dday", "create", .newID, ["title": "x"]),
            .mutation(of: "settings", "patch", nil, ["timeZone": "Mars/Olympus"]),
        ])

        #expect(
            results.map { $0["problem"]?["code"]?.stringValue } == [
                "blank", nil, "not_found", "unknown_category", "already_exists", "unknown_neighbour", "invalid_type",
                nil, "name_taken", "required", "invalid_value",
            ])
        let faults = results[0]["problem"]?["errors"]?.arrayValue?.map { $0["pointer"]?.stringValue }
        #expect(faults == ["#/title", "#/colour", "#/categoryId"])
        #expect(results[0].status == "rejected")
        #expect(results[0]["problem"]?["status"] == 422)
        #expect(results[8]["problem"]?["status"] == 409)
        #expect(await board.titles("/tasks") == ["good"])
    }

    @Test(
        arguments: [
            ("create", nil, #"{"title": " ", "status": "x", "categoryId": "\#(String.unknownID)", "a": 1}"#),
            ("put", "", #"{"dueDate": "soon", "categoryId": "\#(String.unknownID)"}"#),
            ("patch", "", #"{"body": 7, "title": "", "categoryId": "\#(String.unknownID)"}"#),
            ("patch", "", #"{"categoryId": "\#(String.unknownID)"}"#),
            ("patch", "", "[]"),
            ("move", "/move", #"{"status": "x", "before": "\#(String.unknownID)"}"#),
        ])
    func `a task mutation lists the faults that the call of the same name lists`(
        op: String, path: String?, value: String
    ) async throws {
        let task = try await board.task()
        let methods: [String: HTTP.Method] = ["put": .put, "patch": .patch]
        let called = await board.send(methods[op] ?? .post, "/tasks" + (path.map { "/\(task.id)\($0)" } ?? ""), value)

        let mutation = JSON.mutation(op, path.map { _ in task.id }, try JSON(parsing: Array(value.utf8)))
        let problem = try await board.sync([mutation])[0]["problem"]

        #expect(called.status == 422)
        #expect(!called.faults.isEmpty)
        #expect(problem?["errors"] == called.json["errors"])
        #expect(problem?["code"] == called.json["code"])
    }

    @Test func `a restore takes a place and nothing else, as its call does`() async throws {
        let task = try await board.task(#"{"title": "back"}"#)
        try await board.task(#"{"title": "other"}"#)
        await board.send(.delete, "/tasks/\(task.id)")

        let results = try await board.sync([
            .mutation("restore", task.id, ["status": "doing"]),
            .mutation("restore", task.id, ["before": .string(.unknownID)]),
            .mutation("restore", task.id, ["place": "first"]),
            .mutation("restore", task.id, ["place": "last"]),
            .mutation("delete", task.id),
            .mutation("restore", task.id, [:]),
        ])

        #expect(results.map(\.status) == ["rejected", "rejected", "applied", "unchanged", "applied", "applied"])
        #expect(
            results[..<2].map { $0["problem"]?["errors"]?.arrayValue?.first?["pointer"] } == ["#/status", "#/before"])
        #expect(await board.titles("/tasks?sort=position") == ["other", "back"])
        #expect(try #require(results[2]["value"]?["position"]?.stringValue) < "a1")
    }

    @Test(arguments: [
        ("category", "/categories", "{\"name\": \"Work\"}"),
        ("dday", "/ddays", "{\"title\": \"Exam\", \"date\": \"2026-12-01\"}"),
    ])
    func `what has no column is restored without a value`(type: String, path: String, body: String) async throws {
        let made = await board.send(.post, path, body).json

        let results = try await board.sync([
            .mutation(of: type, "restore", made.id),
            .mutation(of: type, "delete", made.id),
            .mutation(of: type, "delete", made.id),
            .mutation(of: type, "patch", made.id, ["emoji": "📌"]),
            .mutation(of: type, "restore", made.id, ["place": "first"]),
            .mutation(of: type, "restore", made.id, [:]),
            .mutation(of: type, "restore", .unknownID),
        ])

        #expect(
            results.map(\.status) == [
                "unchanged", "applied", "unchanged", "conflict", "rejected", "applied", "rejected",
            ])
        #expect(results[1].revision == results[2].revision && results[1].revision == results[3].revision)
        #expect(results[5]["value"]?.id == made.id && results[5]["value"]?["deletedAt"] == nil)
        #expect(await board.send(.get, "\(path)/\(made.id)").status == 200)
    }

    @Test func `faults of a mutation are listed beside those of its value`() async throws {
        let task = try await board.task()
        let value: JSON = ["title": " ", "categoryId": .string(.unknownID)]

        var wrong = JSON.mutation("patch", task.id, value, onConflict: "win")
        wrong["values"] = 1
        let early = JSON.mutation("patch", task.id, base: 99, ["categoryId": .string(.unknownID)])
        let results = try await board.sync([wrong, early])

        let faults = results.map { $0["problem"]?["errors"]?.arrayValue?.map { $0["pointer"]?.stringValue ?? "" } }
        #expect(
            faults == [
                ["#/mutations/0/onConflict", "#/mutations/0/values", "#/title", "#/categoryId"],
                ["#/mutations/1/baseRevision", "#/categoryId"],
            ])
    }

    @Test(
        arguments: [
            (#"{"type": "tusk", "op": "create"}"#, "type invalid_value"),
            (#"{"type": "task", "op": "chop", "id": "\#(String.unknownID)"}"#, "op invalid_value"),
            (#"{"type": "category", "op": "move", "id": "\#(String.unknownID)"}"#, "op invalid_value"),
            (#"{"type": "settings", "op": "delete"}"#, "op invalid_value"),
            (#"{"type": "task", "op": "patch", "value": {}}"#, "id required"),
            (#"{"type": "task", "op": "patch", "id": "7", "value": {}}"#, "id invalid_format"),
            (#"{"type": "settings", "op": "patch", "id": "mine", "value": {}}"#, "id id_mismatch"),
            (#"{"type": "task", "op": "create", "baseRevision": "1", "value": {}}"#, "baseRevision invalid_type"),
            (#"{"type": "task", "op": "create", "baseRevision": 1, "value": {}}"#, "baseRevision invalid_value"),
            (#"{"type": "task", "op": "create", "onConflict": "win", "value": {}}"#, "onConflict invalid_value"),
            (#"{"type": "task", "op": "create", "values": {}}"#, "values unknown_member"),
            (#"{"op": "create"}"#, "type required"),
            (#"{"type": "task"}"#, "op required"),
        ])
    func `a mutation with a wrong member is rejected`(text: String, fault: String) async throws {
        var mutation = try JSON(parsing: Array(text.utf8))
        mutation["mutationId"] = .string(.newID)

        let result = try await board.sync([mutation])[0]

        #expect(result.status == "rejected")
        let error = try #require(result["problem"]?["errors"]?.arrayValue?.first)
        #expect(
            "\(error["pointer"]?.stringValue ?? "") \(error["code"]?.stringValue ?? "")" == "#/mutations/0/\(fault)")
        #expect(try await board.pull().changes.isEmpty)
    }

    @Test(
        arguments: [
            ("[]", "# invalid_type"), (#"{"mutations": {}}"#, "#/mutations invalid_type"),
            (#"{"mutations": null}"#, "#/mutations invalid_type"), (#"{"mutation": []}"#, "#/mutation unknown_member"),
            (#"{"mutations": [], "atomic": 1}"#, "#/atomic invalid_type"),
            (#"{"mutations": [], "since": 4}"#, "#/since invalid_type"),
            (#"{"mutations": [], "known": 4}"#, "#/known invalid_type"),
            (#"{"mutations": [], "known": ["\#(String.unknownID)", 4]}"#, "#/known/1 invalid_type"),
            (#"{"mutations": [], "known": ["mine"]}"#, "#/known/0 invalid_format"),
            (#"{"mutations": [7]}"#, "#/mutations/0 invalid_type"),
            (#"{"mutations": [{}]}"#, "#/mutations/0/mutationId required"),
            (#"{"mutations": [{"mutationId": "abc"}]}"#, "#/mutations/0/mutationId invalid_format"),
            (#"{"mutations": [{"mutationId": null}]}"#, "#/mutations/0/mutationId required"),
        ])
    func `a request of the wrong shape is 422 as a whole`(body: String, fault: String) async {
        let answer = await post(body)

        #expect(answer.status == 422)
        #expect(answer.faults == [fault])
    }

    @Test func `one unusable mutation keeps the others from being applied`() async throws {
        let good: JSON = .mutation("create", .newID, ["title": "good"])
        let body: JSON = ["mutations": .array([good, .object([]), .null])]

        let answer = await post(String(decoding: body.serialized(), as: UTF8.self))

        #expect(answer.faults == ["#/mutations/1/mutationId required", "#/mutations/2 invalid_type"])
        #expect(try await board.pull().changes.isEmpty)
    }

    @Test func `five hundred mutations are taken, one more is not`() async throws {
        let mutations = (0...500).map { JSON.mutation("create", .newID, ["title": "\($0)"]) }
        let ids = JSON.array((0...500).map { _ in .string(.newID) })
        let known = await post(String(decoding: (["mutations": [], "known": ids] as JSON).serialized(), as: UTF8.self))

        let answer = await post(
            String(decoding: (["mutations": .array(mutations)] as JSON).serialized(), as: UTF8.self))
        let results = try await board.sync(Array(mutations.dropLast()))

        #expect(answer.status == 422)
        #expect(answer.faults == ["#/mutations too_many"])
        #expect(known.faults == ["#/known too_many"])
        #expect(results.allSatisfy { $0.status == "applied" })
        #expect(try await board.pull().changes.count == 500)
    }

    // MARK: - The answer's changes

    @Test func `changes are those since the cursor, with one's own`() async throws {
        let other = try await board.task()
        let cursor = try await board.pull().cursor
        let mine = JSON.mutation("create", .newID, ["title": "mine"])
        await board.send(.patch, "/tasks/\(other.id)", #"{"title": "theirs"}"#)

        let body: JSON = ["since": .string(cursor), "mutations": [mine]]
        let answer = await post(String(decoding: body.serialized(), as: UTF8.self)).json

        #expect(answer["changes"]?.arrayValue?.map(\.id) == [other.id, mine.id])
        #expect(answer["hasMore"] == false)
        let next = try #require(answer["cursor"]?.stringValue)
        #expect(try await board.pull(since: next).changes.isEmpty)
    }

    @Test func `since null gives the whole state, no since none`() async throws {
        let task = try await board.task()
        let gone = try await board.task()
        await board.send(.delete, "/tasks/\(gone.id)")

        let whole = await post(#"{"since": null, "mutations": []}"#).json
        let none = await post(#"{"mutations": []}"#).json

        #expect(whole["changes"]?.arrayValue?.map(\.id) == [task.id])
        #expect(none["changes"] == [])
        #expect(none["cursor"]?.isNull == true)
    }

    @Test func `a bad cursor is answered before anything is applied`() async throws {
        for (cursor, status) in [("nonsense", 400), ("abc-1", 410)] {
            let body: JSON = ["since": .string(cursor), "mutations": [.mutation("create", .newID, ["title": "x"])]]

            #expect(await post(String(decoding: body.serialized(), as: UTF8.self)).status == status)
        }
        #expect(try await board.pull().changes.isEmpty)
    }

    // MARK: - Atomic

    @Test func `an atomic request that fails leaves nothing, and its ids stay free`() async throws {
        let good = JSON.mutation("create", .newID, ["title": "good"])
        let bad = JSON.mutation("create", .newID, ["title": ""])
        let last = JSON.mutation("create", .newID, ["title": "last"])

        let results = try await board.sync([good, bad, last], atomic: true)

        #expect(results.map(\.status) == ["rejected", "rejected", "rejected"])
        #expect(
            results.map { $0["problem"]?["code"]?.stringValue } == ["rolled_back", "blank", "rolled_back"])
        #expect(try await board.pull().changes.isEmpty)
        #expect(try await board.sync([good, last], atomic: true).map(\.status) == ["applied", "applied"])
    }

    @Test func `what an earlier request applied is not undone by an atomic one that repeats it`() async throws {
        let known = JSON.mutation("create", .newID, ["title": "known"])
        let first = try await board.sync([known])
        let new = JSON.mutation("create", .newID, ["title": "new"])

        let results = try await board.sync([known, new, .mutation("patch", .newID, ["title": "x"])], atomic: true)

        #expect(results[0] == first[0])
        #expect(results.map { $0["problem"]?["code"]?.stringValue } == [nil, "rolled_back", "not_found"])
        #expect(await board.titles("/tasks") == ["known"])
    }

    @Test func `a conflict undoes an atomic request too`() async throws {
        let task = try await board.task(#"{"title": "one"}"#)
        await board.send(.patch, "/tasks/\(task.id)", #"{"title": "two"}"#)

        let results = try await board.sync(
            [
                .mutation("create", .newID, ["title": "new"]),
                .mutation("patch", task.id, base: task.revision, ["title": "mine"], onConflict: "reject"),
            ], atomic: true)

        #expect(results.map(\.status) == ["rejected", "conflict"])
        #expect(await board.titles("/tasks") == ["two"])
    }

    @Test func `a repeat of an atomic request gives its results again`() async throws {
        let mutations = [JSON.mutation("create", .newID, ["title": "a"]), .mutation("create", .newID, ["title": "b"])]
        let first = try await board.sync(mutations, atomic: true)

        #expect(try await board.sync(mutations, atomic: true) == first)
        #expect(try await board.pull().changes.count == 2)
    }
}
