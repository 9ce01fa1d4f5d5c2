import HTTP
import JSON
import TestSupport
import Testing

@testable import KanbanAPI

struct CategoryRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test func `a category is made, changed and shown with its counts`() async throws {
        let made = await board.send(
            .post, "/categories", "{\"name\": \" 일 \", \"color\": \"#1E90ff\", \"emoji\": \"👩‍💻\"}")
        let id = made.json.id
        _ = try await board.task("{\"categoryId\": \"\(id)\"}")
        _ = try await board.task("{\"categoryId\": \"\(id)\", \"status\": \"done\"}")
        let patched = await board.send(.patch, "/categories/\(id)", "{\"emoji\": null, \"name\": \"Work\"}")

        #expect(made.status == 201 && made.header("Location") == "/categories/\(id)")
        #expect(made.json["name"] == "일" && made.json["color"] == "#1E90ff" && made.json["taskCount"] == 0)
        #expect(patched.json["emoji"] == .null && patched.json["taskCount"] == 2 && patched.json["doneCount"] == 1)
        #expect(await board.send(.get, "/categories/\(id)").body == patched.body)
    }

    @Test func `the tag changes with the counts, and the revision does not`() async throws {
        let id = await board.send(.post, "/categories", "{\"name\": \"a\"}").json.id
        let before = await board.send(.get, "/categories/\(id)")
        _ = try await board.task("{\"categoryId\": \"\(id)\"}")
        let after = await board.send(.get, "/categories/\(id)")

        #expect(before.header("ETag") != after.header("ETag") && before.json.revision == after.json.revision)
        let tag = before.header("ETag") ?? ""
        #expect(
            await board.send(.patch, "/categories/\(id)", "{\"name\": \"b\"}", headers: [("If-Match", tag)]).status
                == 200)
        #expect(
            await board.send(.patch, "/categories/\(id)", "{\"name\": \"c\"}", headers: [("If-Match", tag)]).status
                == 412)
    }

    @Test func `a deleted category lies in the trash and comes back under its id`() async throws {
        let id = await board.send(.post, "/categories", "{\"name\": \"Work\"}").json.id
        let task = try await board.task("{\"categoryId\": \"\(id)\"}").id
        #expect(await board.send(.delete, "/categories/\(id)").status == 204)

        let trash = await board.send(.get, "/categories?deleted=true").json["items"]?.arrayValue ?? []
        #expect(trash.map(\.id) == [id] && trash.allSatisfy { $0["deletedAt"]?.stringValue != nil })
        #expect(await board.send(.get, "/categories").json["items"] == [])
        #expect(await board.send(.get, "/categories/\(id)").status == 404)
        #expect(await board.send(.delete, "/categories/\(id)").status == 404)
        #expect(await board.send(.post, "/categories/\(id)/restore", "{\"name\": \"x\"}").status == 422)

        let restored = await board.send(.post, "/categories/\(id)/restore")

        #expect(restored.status == 200 && restored.json["taskCount"] == 1 && restored.json["deletedAt"] == nil)
        #expect(await board.send(.get, "/categories/\(id)").body == restored.body)
        #expect(await board.send(.get, "/tasks/\(task)").json["categoryId"] == .string(id))
        #expect(await board.send(.post, "/categories/\(id)/restore").status == 404)
        #expect(await board.send(.get, "/categories?deleted=maybe").status == 400)
    }

    @Test func `a name in another composition is taken, and found`() async throws {
        let (composed, decomposed) = ("\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}")
        let id = await board.send(.post, "/categories", "{\"name\": \"\(decomposed)\"}").json.id

        let refused = await board.send(.post, "/categories", "{\"name\": \"\(composed)\"}")
        let task = try await board.task("{\"categoryName\": \"\(composed)\"}")

        #expect(refused.status == 409 && refused.json["code"] == "name_taken")
        #expect(task["categoryId"]?.stringValue == id)
    }

    @Test func `a restore is refused while another category has the name`() async throws {
        let id = await board.send(.post, "/categories", "{\"name\": \"Work\"}").json.id
        _ = await board.send(.delete, "/categories/\(id)")
        _ = await board.send(.post, "/categories", "{\"name\": \"work\"}")

        let refused = await board.send(.post, "/categories/\(id)/restore")

        #expect(refused.status == 409 && refused.json["code"] == "name_taken")
    }

    @Test func `a stale edit is refused with the category as it is read`() async throws {
        let made = await board.send(.post, "/categories", "{\"name\": \"Work\"}")
        try await board.task("{\"categoryId\": \"\(made.json.id)\"}")
        let path = "/categories/\(made.json.id)"

        for (method, body) in [(HTTP.Method.patch, "{}"), (.put, "{\"name\": \"Play\"}"), (.delete, nil)] {
            let refused = await board.send(method, path, body, headers: [("If-Match", "\"99\"")])

            #expect(refused.status == 412)
            #expect(await refused.json["current"] == board.send(.get, path).json)
        }
    }

    @Test(arguments: [
        ("{}", "#/name required"), ("{\"name\": null}", "#/name invalid_type"), ("{\"name\": \"  \"}", "#/name blank"),
        ("{\"name\": \"\(String(repeating: "x", count: 51))\"}", "#/name too_long"),
        ("{\"name\": \"a\", \"color\": \"red\"}", "#/color invalid_format"),
        ("{\"name\": \"a\", \"color\": \"#12345g\"}", "#/color invalid_format"),
        ("{\"name\": \"a\", \"emoji\": \"ab\"}", "#/emoji invalid_format"),
        ("{\"name\": \"a\", \"emoji\": \"📚📚\"}", "#/emoji invalid_format"), ("{\"name\": 1}", "#/name invalid_type"),
        ("{\"name\": \"a\", \"emoji\": \"\"}", "#/emoji invalid_format"),
        ("{\"name\": \"a\", \"colour\": null}", "#/colour unknown_member"),
    ])
    func `a fault is reported with its pointer`(body: String, fault: String) async throws {
        let answer = await board.send(.post, "/categories", body)

        #expect(answer.status == 422 && answer.faults == [fault])
    }

    @Test func `deleting a category frees its tasks, in the trash too`() async throws {
        let id = await board.send(.post, "/categories", "{\"name\": \"a\"}").json.id
        let kept = try await board.task("{\"categoryId\": \"\(id)\"}")
        let trashed = try await board.task("{\"categoryId\": \"\(id)\"}")
        _ = await board.send(.delete, "/tasks/\(trashed.id)")

        #expect(await board.send(.delete, "/categories/\(id)").status == 204)
        #expect(await board.send(.delete, "/categories/\(id)").status == 404)
        let freed = await board.send(.get, "/tasks/\(kept.id)")
        #expect(freed.json["categoryId"] == .null && freed.json.revision > kept.revision)
        let entry = await board.send(.get, "/tasks/\(kept.id)/history").json["items"]?.arrayValue?.first
        #expect(entry?["changes"] == [["member": "categoryId", "from": .string(id), "to": .null]])
        #expect(await board.send(.post, "/tasks/\(trashed.id)/restore").json["categoryId"] == .null)
        let entries = await board.send(.get, "/tasks/\(trashed.id)/history").json["items"]?.arrayValue ?? []
        #expect(entries.map { $0["action"] } == ["restored", "updated", "deleted", "created"])
        #expect(entries.dropFirst().first?["changes"] == entry?["changes"])
        #expect(await board.send(.post, "/categories", "{\"name\": \"b\", \"id\": \"\(id)\"}").code == "already_exists")
        #expect(await board.send(.put, "/categories/\(id)", "{\"name\": \"b\"}").code == "deleted")
    }

    @Test func `an account has at most five hundred categories`() async throws {
        for index in 0..<500 { _ = await board.send(.post, "/categories", "{\"name\": \"\(index)\"}") }

        let answer = await board.send(.post, "/categories", "{\"name\": \"one more\"}")
        let named = await board.send(.post, "/tasks", "{\"categoryName\": \"one more\"}")

        #expect(answer.status == 422 && answer.code == "too_many")
        #expect(named.status == 422 && named.faults == ["#/categoryName too_many"])
        #expect(await board.send(.get, "/categories").json["items"]?.arrayValue?.count == 500)
    }

    @Test func `the list is by name and tells what is uncategorized`() async throws {
        for name in ["b", "A", "가"] { _ = await board.send(.post, "/categories", "{\"name\": \"\(name)\"}") }
        _ = try await board.task()

        let list = await board.send(.get, "/categories", headers: [("Accept-Language", "ja")])

        #expect(list.json["items"]?.arrayValue?.compactMap { $0["name"]?.stringValue } == ["A", "b", "가"])
        #expect(list.json["uncategorized"] == ["name": "未分類", "taskCount": 1, "doneCount": 0])
    }

    @Test(arguments: ["put", "patch"])
    func `a category that was deleted meanwhile stays away, and the rest is made`(operation: String) async throws {
        let home = await board.send(.post, "/categories", #"{"name": "Home"}"#).json["id"]?.stringValue ?? ""
        let task = try await board.task("{\"title\": \"one\", \"categoryId\": \"\(home)\"}")
        await board.send(.delete, "/categories/\(home)")
        let value: JSON = ["title": "mine", "categoryId": .string(home)]

        let result = try await board.sync([.mutation(operation, task.id, base: task.revision, value)])[0]

        #expect(
            result.status == "merged" && result["value"]?["title"] == "mine" && result["value"]?["categoryId"] == .null)
        #expect(result.conflicts == ["categoryId \(home)>null/\(home)"])
        // What was never a category is a fault of the client.
        let unknown: JSON = ["title": "yours", "categoryId": "0190a5b0-0000-7000-8000-000000000001"]
        #expect(
            try await board.sync([.mutation(operation, task.id, base: task.revision, unknown)])[0].status == "rejected")
    }
}
