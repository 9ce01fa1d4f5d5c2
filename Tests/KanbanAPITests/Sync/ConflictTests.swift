import HTTP
import JSON
import Kanban
import TestSupport
import Testing

/// `POST /sync` when others changed the same things meanwhile.
struct ConflictTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    private func patch(_ id: String, _ body: String) async {
        await board.send(.patch, "/tasks/\(id)", body)
    }

    @Test func `members that nobody else changed are applied`() async throws {
        let task = try await board.task(#"{"title": "one", "body": "b"}"#)
        await patch(task.id, #"{"body": "theirs"}"#)

        let result = try await board.sync([.mutation("patch", task.id, base: task.revision, ["title": "mine"])])[0]

        #expect(result.status == "applied")
        #expect(result["conflicts"] == [])
        #expect(result["value"]?["title"] == "mine")
        #expect(result["value"]?["body"] == "theirs")
    }

    @Test(
        arguments: [
            ("merge", "merged", "mine", "B"), ("keep", "merged", "theirs", "B"), ("reject", "conflict", "theirs", "b"),
        ])
    func `a member that somebody else changed is a conflict`(
        policy: String, status: String, title: String, body: String
    ) async throws {
        let task = try await board.task(#"{"title": "one", "body": "b"}"#)
        await patch(task.id, #"{"title": "between"}"#)
        await patch(task.id, #"{"title": "theirs"}"#)

        let result = try await board.sync([
            .mutation(
                "patch", task.id, base: task.revision, ["title": "mine", "body": "B"], onConflict: policy)
        ])[0]

        #expect(result.status == status)
        #expect(result.conflicts == ["title one>theirs/mine"])
        #expect(result["value"]?["title"]?.stringValue == title)
        #expect(result["value"]?["body"]?.stringValue == body)
        #expect(result["value"] == (await board.send(.get, "/tasks/\(task.id)")).json)
    }

    @Test func `keeping theirs leaves nothing of yours when all is contested`() async throws {
        let task = try await board.task(#"{"title": "one"}"#)
        await patch(task.id, #"{"title": "theirs"}"#)

        let result = try await board.sync([
            .mutation("patch", task.id, base: task.revision, ["title": "mine"], onConflict: "keep")
        ])[0]

        #expect(result.status == "unchanged")
        #expect(result.conflicts == ["title one>theirs/mine"])
        #expect(result.revision == 2)
    }

    @Test func `two who want the same do not disagree`() async throws {
        let task = try await board.task(#"{"title": "one"}"#)
        await patch(task.id, #"{"title": "same"}"#)

        let result = try await board.sync([
            .mutation("patch", task.id, base: task.revision, ["title": "same"], onConflict: "reject")
        ])[0]

        #expect(result.status == "unchanged")
        #expect(result.conflicts == [])
    }

    @Test func `without a base the last to arrive wins`() async throws {
        let task = try await board.task(#"{"title": "one"}"#)
        await patch(task.id, #"{"title": "theirs"}"#)

        let result = try await board.sync([.mutation("patch", task.id, ["title": "mine"], onConflict: "reject")])[0]

        #expect(result.status == "applied")
        #expect(result["value"]?["title"] == "mine")
    }

    @Test func `a put names every member`() async throws {
        let task = try await board.task(#"{"title": "one"}"#)
        await patch(task.id, #"{"body": "theirs", "dueDate": "2026-12-01"}"#)

        let result = try await board.sync([
            .mutation("put", task.id, base: task.revision, ["title": "mine", "body": "x"], onConflict: "keep")
        ])[0]

        #expect(result.status == "merged")
        #expect(result.conflicts == ["body >theirs/x", "dueDate null>2026-12-01/null"])
        #expect(result["value"]?["title"] == "mine")
        #expect(result["value"]?["dueDate"] == "2026-12-01")
    }

    @Test func `one's own earlier mutations of the request are no conflict`() async throws {
        let task = try await board.task(#"{"title": "one"}"#)

        let results = try await board.sync([
            .mutation("patch", task.id, base: task.revision, ["title": "two"], onConflict: "reject"),
            .mutation("patch", task.id, base: task.revision, ["title": "three"], onConflict: "reject"),
            .mutation("move", task.id, base: task.revision, ["status": "done"], onConflict: "reject"),
            .mutation("delete", task.id, base: task.revision, onConflict: "reject"),
        ])

        #expect(results.map(\.status) == ["applied", "applied", "applied", "applied"])
    }

    @Test func `nor are they when the outbox is sent again with more at its end`() async throws {
        let task = try await board.task(#"{"title": "one"}"#)
        let first = JSON.mutation("patch", task.id, base: task.revision, ["title": "two"], onConflict: "reject")
        let second = JSON.mutation("patch", task.id, base: task.revision, ["title": "three"], onConflict: "reject")
        _ = try await board.sync([first])

        let results = try await board.sync([first, second])
        await patch(task.id, #"{"title": "theirs"}"#)
        let third = JSON.mutation("patch", task.id, base: task.revision, ["title": "four"], onConflict: "reject")
        let last = try await board.sync([first, second, third])

        #expect(results.map(\.status) == ["applied", "applied"])
        #expect(last.map(\.status) == ["applied", "applied", "conflict"])
    }

    // MARK: - Moves

    @Test(
        arguments: [
            ("merge", "merged", "doing"), ("keep", "unchanged", "done"), ("reject", "conflict", "done"),
        ])
    func `two moves to different columns are a conflict`(policy: String, status: String, column: String) async throws {
        let task = try await board.task()
        await board.send(.post, "/tasks/\(task.id)/move", #"{"status": "done"}"#)

        let result = try await board.sync([
            .mutation("move", task.id, base: task.revision, ["status": "doing"], onConflict: policy)
        ])[0]

        #expect(result.status == status)
        #expect(result.conflicts.first == "status todo>done/doing")
        #expect(result["value"]?["status"]?.stringValue == column)
    }

    @Test func `a place is contested by another place, the column is not`() async throws {
        let task = try await board.task(#"{"title": "a"}"#)
        let other = try await board.task(#"{"title": "b"}"#)
        await board.send(.post, "/tasks/\(task.id)/move", #"{"after": "\#(other.id)"}"#)

        let place = try await board.sync([
            .mutation("move", task.id, base: task.revision, ["place": "first"], onConflict: "keep")
        ])[0]
        let column = try await board.sync([
            .mutation("move", task.id, base: task.revision, ["status": "doing"], onConflict: "keep")
        ])[0]

        #expect(place.status == "unchanged")
        #expect(place["conflicts"]?.arrayValue?.map { $0["member"] } == ["position"])
        #expect(column.status == "merged")
        #expect(column["value"]?["status"] == "doing")
    }

    // MARK: - Deletions

    @Test func `on a deleted task put, patch and move are a conflict, and deleting it again changes nothing`()
        async throws
    {
        let task = try await board.task()
        await board.send(.delete, "/tasks/\(task.id)")

        let results = try await board.sync([
            .mutation("put", task.id, ["title": "x"]), .mutation("patch", task.id, ["title": "x"]),
            .mutation("move", task.id, ["status": "done"]), .mutation("delete", task.id),
            .mutation("restore", task.id), .mutation("restore", task.id),
        ])

        #expect(results.map(\.status) == ["conflict", "conflict", "conflict", "unchanged", "applied", "unchanged"])
        #expect(results[..<4].allSatisfy { $0["value"]?.isNull == true && $0.revision == 2 })
    }

    @Test(arguments: [("merge", "applied"), ("keep", "applied"), ("reject", "conflict")])
    func `a deletion with an old base is applied unless it is to be rejected`(
        policy: String, status: String
    ) async throws {
        let task = try await board.task()
        await patch(task.id, #"{"title": "theirs"}"#)

        let result = try await board.sync([.mutation("delete", task.id, base: task.revision, onConflict: policy)])[0]

        #expect(result.status == status)
        #expect(await board.send(.get, "/tasks/\(task.id)").status == (status == "applied" ? 404 : 200))
    }

    // MARK: - Categories, D-days, settings

    @Test(arguments: ["merge", "keep", "reject"])
    func `members of a category that nobody else changed are applied`(policy: String) async throws {
        let category = await board.send(.post, "/categories", #"{"name": "Home"}"#).json
        await board.send(.patch, "/categories/\(category.id)", ##"{"color": "#ff0000"}"##)

        let result = try await board.sync([
            .mutation(
                of: "category", "patch", category.id, base: category.revision, ["name": "House"], onConflict: policy)
        ])[0]

        #expect(result.status == "applied" && result.conflicts.isEmpty)
        #expect(result["value"]?["color"] == "#ff0000" && result["value"]?["name"] == "House")
    }

    @Test(arguments: [
        ("merge", "merged", "Mine", "🎂"), ("keep", "merged", "Theirs", "🎂"), ("reject", "conflict", "Theirs", nil),
    ])
    func `a member of a D-day that somebody else changed is a conflict`(
        policy: String, status: String, title: String, emoji: String?
    ) async throws {
        let dday = await board.send(.post, "/ddays", #"{"title": "Base", "date": "2026-12-24"}"#).json
        await board.send(.patch, "/ddays/\(dday.id)", #"{"title": "Others"}"#)
        await board.send(.patch, "/ddays/\(dday.id)", #"{"title": "Theirs"}"#)

        let result = try await board.sync([
            .mutation(
                of: "dday", "patch", dday.id, base: dday.revision, ["title": "Mine", "emoji": "🎂"], onConflict: policy)
        ])[0]

        #expect(result.status == status && result.conflicts == ["title Base>Theirs/Mine"])
        let shown = await board.send(.get, "/ddays/\(dday.id)").json
        #expect(shown["title"] == .string(title) && shown["emoji"] == emoji.map { .string($0) } ?? .null)
    }

    @Test(arguments: [("merge", "merged"), ("keep", "unchanged"), ("reject", "conflict")])
    func `a change of one's own does not hide what somebody else made of another member`(
        policy: String, status: String
    ) async throws {
        let dday = await board.send(.post, "/ddays", #"{"title": "Base", "date": "2026-12-24"}"#).json
        await board.send(.patch, "/ddays/\(dday.id)", #"{"title": "Theirs"}"#)

        let results = try await board.sync([
            .mutation(of: "dday", "patch", dday.id, base: dday.revision, ["repeats": "yearly"]),
            .mutation(of: "dday", "patch", dday.id, base: dday.revision, ["title": "Mine"], onConflict: policy),
        ])

        #expect(results.map(\.status) == ["applied", status])
        #expect(results[1].conflicts == ["title Base>Theirs/Mine"])
    }

    @Test func `a category that somebody else changed before oneself is not deleted unseen`() async throws {
        let category = await board.send(.post, "/categories", #"{"name": "Home"}"#).json
        let other = await board.send(.post, "/categories", #"{"name": "Work"}"#).json
        await board.send(.patch, "/categories/\(category.id)", ##"{"color": "#ff0000"}"##)

        let results = try await board.sync(
            [category, other].flatMap { one in
                [
                    JSON.mutation(of: "category", "patch", one.id, base: one.revision, ["emoji": "🏠"]),
                    JSON.mutation(of: "category", "delete", one.id, base: one.revision, onConflict: "reject"),
                ]
            })

        #expect(results.map(\.status) == ["applied", "conflict", "applied", "applied"])
    }

    @Test(arguments: ["merge": "merged", "keep": "unchanged", "reject": "conflict"])
    func `a member that an import changed before another edit is a conflict`(
        policy: String, status: String
    ) async throws {
        let dday = await board.send(.post, "/ddays", #"{"title": "Base", "date": "2026-12-24"}"#).json
        let imported = "{\"id\": \"\(dday.id)\", \"title\": \"Theirs\", \"date\": \"2026-12-24\"}"
        board.clock.advance(seconds: 1)
        await board.send(.post, "/import", "{\"ddays\": [\(imported)]}")
        let seen = await board.send(.patch, "/ddays/\(dday.id)", #"{"repeats": "yearly"}"#).json

        let results = try await board.sync([
            .mutation(of: "dday", "patch", dday.id, base: dday.revision, ["title": "Mine"], onConflict: policy),
            .mutation(of: "dday", "patch", dday.id, base: seen.revision, ["emoji": "🎂"], onConflict: "reject"),
        ])

        // No line has the value that the import replaced.
        #expect(results.map(\.status) == [status, "applied"])
        #expect(results[0].conflicts == ["title null>Theirs/Mine"])
    }

    @Test func `a category that somebody else changed and whose history was purged is not deleted or renamed unseen`()
        async throws
    {
        let category = await board.send(.post, "/categories", #"{"name": "Home"}"#).json
        await board.send(.patch, "/categories/\(category.id)", #"{"name": "Theirs"}"#)
        board.clock.advance(seconds: 366 * 86_400)
        try await board.maintain()
        await board.send(.patch, "/categories/\(category.id)", ##"{"color": "#ff0000"}"##)

        let results = try await board.sync([
            .mutation(
                of: "category", "patch", category.id, base: category.revision, ["name": "Mine"], onConflict: "reject"),
            .mutation(of: "category", "patch", category.id, base: category.revision, ["emoji": "🏠"]),
            .mutation(of: "category", "delete", category.id, base: category.revision, onConflict: "reject"),
        ])

        // Nobody changed the emoji, which is known however old the history.
        #expect(results.map(\.status) == ["conflict", "applied", "conflict"])
    }

    @Test func `what is written down of a category is in no task's history`() async throws {
        let id = String.newID
        await board.send(.post, "/tasks", "{\"id\": \"\(id)\"}")
        await board.send(.put, "/categories/\(id)", #"{"name": "Home"}"#)
        await board.send(.put, "/categories/\(id)", #"{"name": "House"}"#)

        let history = await board.send(.get, "/tasks/\(id)/history").json

        #expect(history["items"]?.arrayValue?.count == 1)
    }

    @Test func `a category that is gone is a conflict with null`() async throws {
        let category = await board.send(.post, "/categories", #"{"name": "Home"}"#).json
        await board.send(.delete, "/categories/\(category.id)")

        let results = try await board.sync([
            .mutation(of: "category", "patch", category.id, ["name": "x"]),
            .mutation(of: "category", "put", category.id, ["name": "x"]),
            .mutation(of: "category", "delete", category.id),
            .mutation(of: "category", "delete", .unknownID),
        ])

        #expect(results.map(\.status) == ["conflict", "conflict", "unchanged", "rejected"])
        #expect(results[0]["value"]?.isNull == true)
    }

    @Test(arguments: [false, true])
    func `a move contests the place that another column gave, spelled alike or not`(isAlone: Bool) async throws {
        let task = try await board.task()
        if !isAlone { try await board.task(#"{"status": "doing"}"#) }
        await patch(task.id, #"{"status": "doing"}"#)
        try await board.task(#"{"status": "doing"}"#)

        let result = try await board.sync([
            .mutation("move", task.id, base: task.revision, ["place": "last"], onConflict: "reject")
        ])[0]

        #expect(result.status == "conflict")
        #expect(result.conflicts == ["position a0>\(isAlone ? "a0" : "a1")/\(isAlone ? "a2" : "a3")"])
    }

    @Test func `one's own change of the column is no conflict of the move that follows it`() async throws {
        let other = try await board.task()
        let task = try await board.task()
        await patch(task.id, #"{"status": "doing"}"#)
        await board.send(.delete, "/tasks/\(other.id)")

        let results = try await board.sync([
            .mutation("patch", task.id, base: task.revision, ["status": "todo"]),
            .mutation("create", .newID, ["title": "Y"]),
            .mutation("move", task.id, base: task.revision, ["place": "last"], onConflict: "reject"),
        ])

        #expect(results.map(\.status) == ["merged", "applied", "applied"])
    }

    @Test func `a conflict about a category that the push makes tells its id`() async throws {
        let task = try await board.task(#"{"categoryName": "A"}"#)
        await patch(task.id, #"{"categoryName": "B"}"#)

        let result = try await board.sync([
            .mutation("patch", task.id, base: task.revision, ["categoryName": "New"])
        ])[0]

        #expect(result.status == "merged" && result["value"]?["categoryId"]?.isNull == false)
        #expect(result["conflicts"]?.arrayValue?.first?["yours"] == result["value"]?["categoryId"])
    }

    @Test func `settings of two devices merge member by member of custom`() async throws {
        await board.send(.patch, "/settings", #"{"custom": {"theme": "dark"}}"#)
        let base = await board.send(.get, "/settings").json.revision
        await board.send(.patch, "/settings", #"{"custom": {"icon": "cat"}}"#)

        let result = try await board.sync([
            .mutation(of: "settings", "patch", "settings", base: base, ["custom": ["theme": "light"]])
        ])[0]

        #expect(result.status == "merged")
        #expect(result["value"]?["custom"]?["theme"] == "light")
        #expect(result["value"]?["custom"]?["icon"] == "cat")
    }
}
