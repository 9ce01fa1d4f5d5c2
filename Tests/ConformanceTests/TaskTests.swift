import Foundation
import JSON
import Testing

/// Section 2 of the contract: the life of a task.
struct TaskTests {
    let client: Client

    init() throws {
        client = try Kanbase.shared()
    }

    @Test func `a task made of nothing has its defaults`() throws {
        let answer = try client.post("/tasks", [:])

        #expect(answer.status == 201)
        #expect(answer.header("Location") == "/tasks/\(answer.json.id)")
        #expect(answer.tag == "\"\(answer.json.revision)\"")
        #expect(answer["title"] == "New task")
        #expect(answer["body"] == "")
        #expect(answer["status"] == "todo")
        #expect(answer["categoryId"] == .null)
        #expect(answer["dueDate"] == .null)
        #expect(answer["completedAt"] == .null)
        #expect(answer.string("position")?.isEmpty == false)
        let members = answer.json.objectMembers?.map(\.name) ?? []
        #expect(
            Set(members) == [
                "id", "title", "body", "status", "categoryId", "dueDate", "position", "createdAt", "updatedAt",
                "completedAt", "recurrence", "seriesId", "occurrence", "revision", "reminders",
            ])
    }

    /// Over a cluster, each request goes to another server.
    @Test func `a recurring task that is completed many times at once has one successor`() async throws {
        for _ in 0..<5 {
            let task = try client.post(
                "/tasks",
                ["title": "Rent", "dueDate": "2099-01-31", "recurrence": ["rule": "FREQ=MONTHLY;BYMONTHDAY=-1"]]
            ).json
            let target = "/tasks/\(task.id)"
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    // `try?`: one of them is enough, and what came of it is looked at below.
                    group.addTask { _ = try? Kanbase.shared().post("\(target)/move", ["status": "done"]) }
                }
            }
            let done = try client.get(target)
            #expect(done["status"] == "done" && done["recurrence"] == .null)
            let all = try client.get("/tasks?limit=200").json["items"]?.arrayValue ?? []
            let series = all.filter { $0["seriesId"] == .string(task.id) }
            #expect(series.count == 2)
            #expect(series.filter { $0["status"] == "todo" }.map { $0["dueDate"] } == ["2099-02-28"])
            for one in series { try client.delete("/tasks/\(one.id)") }
        }
    }

    @Test func `what is made is what is shown`() throws {
        let made = try client.post(
            "/tasks", ["title": "API 문서 쓰기", "body": "둘째 줄\n", "status": "doing", "dueDate": "2026-12-01"])

        let shown = try client.get("/tasks/\(made.json.id)")

        #expect(shown.status == 200)
        #expect(shown.json == made.json)
        #expect(shown["title"] == "API 문서 쓰기")
        #expect(shown["status"] == "doing")
    }

    @Test(arguments: [" ", "", "\n\t", "\u{3000}", "\u{a0}"])
    func `a title of white space is blank`(title: String) throws {
        expectProblem(try client.post("/tasks", ["title": .string(title)]), 422, "blank")
    }

    @Test func `a title of null is the default, and null resets a member in a patch`() throws {
        let task = try client.post(
            "/tasks", ["title": .null, "body": "x", "dueDate": "2030-01-01", "status": "done"],
            ["accept-language": "ko"]
        ).json
        #expect(task.title == "새로운 할 일")

        let answer = try client.patch("/tasks/\(task.id)", ["body": .null, "dueDate": .null, "status": .null])

        #expect(answer.status == 200)
        #expect(answer["body"] == "")
        #expect(answer["dueDate"] == .null)
        #expect(answer["status"] == "todo")
        #expect(answer["completedAt"] == .null)
    }

    @Test func `a body has at most a thousand code points`() throws {
        let full = String(repeating: "가", count: 1000)

        #expect(try client.post("/tasks", ["body": .string(full)]).status == 201)
        expectProblem(try client.post("/tasks", ["body": .string(full + "!")]), 422)
    }

    @Test func `done is stamped on entering and cleared on leaving`() throws {
        let task = try client.makeTask()

        let done = try client.patch("/tasks/\(task.id)", ["status": "done"])
        let retitled = try client.patch("/tasks/\(task.id)", ["title": "still done"])
        let back = try client.patch("/tasks/\(task.id)", ["status": "doing"])

        #expect(isTimestamp(done.string("completedAt")))
        #expect(retitled["completedAt"] == done["completedAt"])
        #expect(back["completedAt"] == .null)
    }

    @Test func `PUT replaces everything, and absent members take their defaults`() throws {
        let task = try client.makeTask(["title": "long", "body": "text", "dueDate": "2030-01-01", "status": "doing"])

        let answer = try client.put("/tasks/\(task.id)", ["title": "short"])

        #expect(answer.status == 200)
        #expect(answer["title"] == "short")
        #expect(answer["body"] == "")
        #expect(answer["dueDate"] == .null)
        #expect(answer["status"] == "todo")
        #expect(answer["createdAt"] == task["createdAt"])
    }

    @Test func `an unknown category is a fault, a name makes one`() throws {
        expectProblem(
            try client.post("/tasks", ["categoryId": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"]), 422, "unknown_category")

        let name = "새 분류 \(UUID().uuidString.prefix(8))"
        let first = try client.post("/tasks", ["categoryName": .string(" \(name) ")])
        let second = try client.post("/tasks", ["categoryName": .string(name.uppercased())])

        #expect(first.status == 201)
        #expect(isID(first.string("categoryId")))
        #expect(second["categoryId"] == first["categoryId"])
        let both: JSON = ["categoryId": first["categoryId"] ?? .null, "categoryName": .string(name)]
        expectProblem(try client.post("/tasks", both), 422)
    }

    @Test func `a refused creation makes no category either`() throws {
        let name = "never \(UUID().uuidString.prefix(8))"

        expectProblem(try client.post("/tasks", ["title": " ", "categoryName": .string(name)]), 422)

        #expect(!(try client.get("/categories").text.contains(name)))
    }

    // MARK: The trash

    @Test func `deleting, restoring and deleting for good`() throws {
        let task = try client.makeTask(["title": "come back"])
        let target = "/tasks/\(task.id)"

        #expect(try client.delete(target).status == 204)
        expectProblem(try client.get(target), 404)
        expectProblem(try client.delete(target), 404)
        expectProblem(try client.patch(target, ["title": "x"]), 404)
        expectProblem(try client.put(target, ["title": "x"]), 409, "deleted")
        #expect(try client.get("/tasks?deleted=true&limit=200").items.contains { $0.id == task.id })
        #expect(try client.get("\(target)/history").status == 200)

        let restored = try client.post("\(target)/restore")

        #expect(restored.status == 200)
        #expect(restored["title"] == "come back")
        #expect(restored.json.revision > task.revision)
        expectProblem(try client.post("\(target)/restore"), 404)
        #expect(!(try client.get("/tasks?deleted=true&limit=200").items.contains { $0.id == task.id }))
    }

    @Test func `a restored task is the last of its column`() throws {
        let server = try Kanbase()
        let client = try server.client()
        let ids = try (0..<3).map { try client.makeTask(["title": .string("\($0)")]).id }
        try client.delete("/tasks/\(ids[0])")

        try client.post("/tasks/\(ids[0])/restore")

        #expect(try client.get("/tasks?sort=position").items.map(\.id) == [ids[1], ids[2], ids[0]])
    }

    // MARK: History

    @Test func `the history tells what happened, newest first`() throws {
        let task = try client.makeTask(["title": "a"])
        let target = "/tasks/\(task.id)"
        try client.patch(target, ["title": "b", "body": "text"])
        try client.patch(target, ["status": "done"])
        try client.delete(target)
        try client.post("\(target)/restore")

        let history = try client.get("\(target)/history").items

        #expect(history.map { $0["action"]?.stringValue } == ["restored", "deleted", "moved", "updated", "created"])
        let revisions = history.map(\.revision)
        #expect(revisions == revisions.sorted(by: >) && Set(revisions).count == 5)
        let updated = history[3]["changes"]?.arrayValue ?? []
        #expect(updated.contains(["member": "title", "from": "a", "to": "b"]))
        #expect(updated.contains(["member": "body", "from": "", "to": "text"]))
        let moved = history[2]["changes"]?.arrayValue ?? []
        #expect(moved.contains(["member": "status", "from": "todo", "to": "done"]))
        #expect(history.allSatisfy { isTimestamp($0["at"]?.stringValue) && $0["sessionId"] == .null })
    }

    @Test func `the history is paged`() throws {
        let task = try client.makeTask(["title": "0"])
        for number in 1...6 { try client.patch("/tasks/\(task.id)", ["title": .string("\(number)")]) }

        let pages = try client.walk("/tasks/\(task.id)/history?limit=3")

        #expect(pages.map(\.count) == [3, 3, 1])
        #expect(Set(pages.joined().map(\.revision)).count == 7)
    }

    @Test func `the history of the board tells of every task`() throws {
        let server = try Kanbase()
        let client = try server.client()
        let first = try client.makeTask(["title": "one"])
        let second = try client.makeTask(["title": "two"])
        try client.post("/tasks/\(first.id)/move", ["status": "done"])
        try client.delete("/tasks/\(second.id)")

        let page = try client.get("/history?limit=3")
        let rest = try client.get("/history?limit=3&cursor=\(page.string("nextCursor") ?? "")")
        let moves = try client.get("/history?action=moved,deleted&since=2020-01-01T00:00:00Z")

        #expect(page.items.map { $0["action"] } == ["deleted", "moved", "created"])
        #expect(page.items.map { $0["title"] } == ["two", "one", "two"])
        #expect(rest.items.map { $0["taskId"]?.stringValue } == [first.id])
        #expect(rest["nextCursor"] == .null)
        #expect(moves.items == Array(page.items.prefix(2)))
        expectProblem(try client.get("/history?action=made"), 400, "invalid_parameter")
    }
}
