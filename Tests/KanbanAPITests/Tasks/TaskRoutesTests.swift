import HTTP
import JSON
import TestSupport
import Testing

@testable import KanbanAPI

struct TaskRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test func `a task made of nothing has its defaults`() async {
        let answer = await board.send(.post, "/tasks", "{}")

        #expect(answer.status == 201 && answer.header("Location") == "/tasks/\(answer.json.id)")
        #expect(answer.tag == "\"\(answer.json.revision)\"")
        for (member, value) in [
            ("title", "New task"), ("body", ""), ("status", "todo"), ("categoryId", .null), ("dueDate", .null),
            ("completedAt", .null), ("reminders", .null),
        ] as [(String, JSON)] { #expect(answer[member] == value, "\(member)") }
        #expect(
            Set(answer.json.objectMembers?.map(\.name) ?? []) == [
                "id", "title", "body", "status", "categoryId", "dueDate", "position", "createdAt", "updatedAt",
                "completedAt", "recurrence", "seriesId", "occurrence", "revision", "reminders",
            ])
    }

    @Test func `a refused creation makes no category`() async {
        #expect(await board.send(.post, "/tasks", #"{"title": " ", "categoryName": "never"}"#).status == 422)
        #expect(await board.send(.get, "/categories").items.isEmpty)
    }

    @Test(arguments: [HTTP.Method.put, .patch, .delete, .post])
    func `a stale If-Match changes nothing and shows what is there`(method: HTTP.Method) async throws {
        let task = try await board.task(#"{"title": "mine"}"#)
        await board.send(.patch, "/tasks/\(task.id)", #"{"title": "theirs"}"#)
        let body = method == .delete ? nil : method == .post ? #"{"status": "done"}"# : #"{"title": "again"}"#

        let answer = await board.send(
            method, "/tasks/\(task.id)" + (method == .post ? "/move" : ""), body,
            headers: [("If-Match", "\"\(task.revision)\"")])

        #expect(answer.status == 412)
        #expect(answer["current"]?["title"] == "theirs")
        #expect(await board.send(.get, "/tasks/\(task.id)")["title"] == "theirs")
    }

    @Test func `PUT makes a task where none is when asked so, and none where one must be`() async {
        let (id, other) = (String.newID, String.newID)
        func put(_ id: String, _ condition: (String, String)) async -> Answer {
            await board.send(.put, "/tasks/\(id)", #"{"title": "one"}"#, headers: [condition])
        }

        let made = await put(id, ("If-None-Match", "*"))
        #expect(made.status == 201 && made.header("Location") == "/tasks/\(id)")
        #expect(await put(id, ("If-None-Match", "*")).status == 412)
        #expect(await put(other, ("If-Match", "*")).status == 412)
        #expect(await board.send(.get, "/tasks/\(other)").status == 404)
    }

    @Test func `a deleted task is gone for all but its history, until it comes back`() async throws {
        let target = "/tasks/\(try await board.task(#"{"title": "come back"}"#).id)"
        func trash() async -> [String] { await board.titles("/tasks?deleted=true") }

        #expect(await board.send(.delete, target).status == 204)
        #expect(await board.send(.get, target).status == 404)
        #expect(await board.send(.delete, target).status == 404)
        #expect(await board.send(.patch, target, #"{"title": "x"}"#).status == 404)
        #expect(await board.send(.put, target, #"{"title": "x"}"#).code == "deleted")
        #expect(await trash() == ["come back"])
        #expect(await board.send(.post, "\(target)/restore").json.revision == 3)
        #expect(await board.send(.post, "\(target)/restore").status == 404)
        #expect(await trash() == [])
        let history = await board.send(.get, "\(target)/history").items
        #expect(history.map { $0["action"] } == ["restored", "deleted", "created"])
    }

    @Test func `the history of a task tells what changed, from and to`() async throws {
        let target = "/tasks/\(try await board.task(#"{"title": "a"}"#).id)"
        await board.send(.patch, target, #"{"title": "b", "body": "text"}"#)
        await board.send(.patch, target, #"{"status": "done"}"#)

        let changes = await board.send(.get, "\(target)/history").items.map { $0["changes"]?.arrayValue ?? [] }

        #expect(changes[0].contains(["member": "status", "from": "todo", "to": "done"]))
        #expect(changes[1].contains(["member": "title", "from": "a", "to": "b"]))
        #expect(changes[1].contains(["member": "body", "from": "", "to": "text"]))
    }

    @Test(arguments: [
        ("{\"title\": \"  \"}", "#/title blank"), ("{\"title\": \"\"}", "#/title blank"),
        ("{\"title\": 7}", "#/title invalid_type"),
        ("{\"title\": \"\(String(repeating: "가", count: 201))\"}", "#/title too_long"),
        ("{\"title\": \"a\\u0000\"}", "#/title control_character"),
        ("{\"body\": \"\(String(repeating: "가", count: 1001))\"}", "#/body too_long"),
        ("{\"status\": \"DONE\"}", "#/status invalid_value"),
        ("{\"dueDate\": \"2026-02-30\"}", "#/dueDate invalid_format"),
        ("{\"dueDate\": \"2026-01-01T00:00:00\"}", "#/dueDate invalid_format"),
        ("{\"titel\": \"x\"}", "#/titel unknown_member"), ("{\"id\": \"x\"}", "#/id invalid_format"),
        ("{\"categoryId\": \"\(String.unknownID)\"}", "#/categoryId unknown_category"),
        ("[]", "# invalid_type"),
    ])
    func `a fault is reported with its pointer`(body: String, fault: String) async throws {
        let answer = await board.send(.post, "/tasks", body)

        #expect(answer.status == 422 && answer.faults == [fault])
        #expect(answer.code == fault.split(separator: " ").last.map(String.init))
        #expect(await board.titles("/tasks").isEmpty)
    }

    @Test func `every fault is reported, not only the first`() async throws {
        let answer = await board.send(
            .post, "/tasks", "{\"title\": \" \", \"status\": 1, \"x\": 1, \"dueDate\": \"soon\"}")

        #expect(
            answer.faults == [
                "#/title blank", "#/status invalid_type", "#/dueDate invalid_format", "#/x unknown_member",
            ])
        #expect(answer.header("Content-Type") == "application/problem+json")
        #expect(answer.json["requestId"]?.stringValue == answer.header("X-Request-Id"))
    }

    @Test func `at most 100 unknown members are reported`() async throws {
        let members = (0..<1_000).map { "\"x\($0)\": 1" }.joined(separator: ",")

        let answer = await board.send(.post, "/tasks", "{\(members), \"title\": \" \"}")

        #expect(answer.faults.count == 101 && answer.faults.first == "#/title blank")
    }

    @Test func `faults that only the board finds are reported with the rest`() async throws {
        let task = try await board.task()

        for (method, path, body) in [
            (HTTP.Method.post, "/tasks", "{\"title\": \"\", \"categoryId\": \"\(String.unknownID)\"}"),
            (.put, "/tasks/\(task.id)", "{\"title\": \"\", \"categoryId\": \"\(String.unknownID)\"}"),
            (.patch, "/tasks/\(task.id)", "{\"title\": \"\", \"categoryId\": \"\(String.unknownID)\"}"),
        ] {
            #expect(
                await board.send(method, path, body).faults == ["#/title blank", "#/categoryId unknown_category"])
        }
        let move = await board.send(
            .post, "/tasks/\(task.id)/move", "{\"before\": \"\(String.unknownID)\", \"x\": 1}")
        #expect(move.faults == ["#/x unknown_member", "#/before unknown_neighbour"])
        let itself = await board.send(.post, "/tasks/\(task.id)/move", "{\"after\": \"\(task.id)\", \"status\": 1}")
        #expect(itself.faults == ["#/status invalid_type", "#/after unknown_neighbour"])
    }

    @Test(arguments: ["\"+1\"", "\"01\"", "\" 1\"", "1", "W/1", "w/\"1\"", "\"\""])
    func `a tag that is spelled otherwise is another one`(tag: String) async throws {
        let task = try await board.task()

        let answer = await board.send(.patch, "/tasks/\(task.id)", "{\"title\": \"x\"}", headers: [("If-Match", tag)])

        #expect(task.revision == 1 && answer.status == 412)
    }

    @Test func `invalid JSON is reported with its byte offset`() async throws {
        let answer = await board.send(.post, "/tasks", "{\"title\": \"a\",}")

        #expect(answer.status == 400 && answer.code == "malformed_json")
        #expect(answer.json["detail"]?.stringValue?.contains("byte 14") == true)
    }

    @Test func `GET, edit, PUT works`() async throws {
        let task = try await board.task("{\"title\": \"a\", \"dueDate\": \"2026-12-01T18:00:00+09:00\"}")
        #expect(task["dueDate"] == "2026-12-01T09:00:00.000Z")

        let text = String(decoding: task.serialized(), as: UTF8.self)
        let body = text.replacing("\"title\":\"a\"", with: "\"title\":\"b\"")
        let put = await board.send(.put, "/tasks/\(task.id)", body)

        #expect(put.status == 200 && put.json["title"] == "b" && put.json["dueDate"] == task["dueDate"])
        #expect(put.json.revision == 2)
        #expect(
            await board.send(.put, "/tasks/\(task.id)", "{\"id\": \"\(String.unknownID)\"}").faults == [
                "#/id id_mismatch"
            ])
    }

    @Test func `a merge patch changes what it names`() async throws {
        let task = try await board.task("{\"title\": \"a\", \"body\": \"b\", \"dueDate\": \"2026-12-01\"}")

        let patched = await board.send(
            .patch, "/tasks/\(task.id)", "{\"title\": null, \"dueDate\": null, \"revision\": 9}",
            headers: [("Content-Type", "application/merge-patch+json")])
        let unchanged = await board.send(.patch, "/tasks/\(task.id)", "{\"body\": \"b\"}")

        #expect(patched.json["title"] == "New task" && patched.json["body"] == "b" && patched.json["dueDate"] == .null)
        #expect(patched.json.revision == 2 && unchanged.json.revision == 2 && unchanged.status == 200)
        await board.send(.patch, "/tasks/\(task.id)", "{\"status\": \"done\"}")
        let reset = await board.send(.patch, "/tasks/\(task.id)", "{\"body\": null, \"status\": null}")
        #expect(reset["body"] == "" && reset["status"] == "todo" && reset["completedAt"] == .null)
    }

    @Test func `another spelling of the same letter is a change, and text comes back byte for byte`() async throws {
        let composed = "caf\u{e9}"
        let decomposed = "cafe\u{301}"
        let task = try await board.task("{\"title\": \"\(composed)\"}")

        let patched = await board.send(.patch, "/tasks/\(task.id)", "{\"title\": \"\(decomposed)\"}")

        #expect(patched.json.revision == 2 && patched.json["title"] == .string(decomposed))
        #expect(patched.json["title"] != .string(composed))
    }

    @Test(arguments: [
        ("", "text/plain", 200), ("{}", "application/json", 200), ("hello", "text/plain", 415),
        ("{\"status\": \"done\"}", "application/json", 422), ("null", "application/json", 422),
        ("{", "application/json", 400),
    ])
    func `what is said beside a restore is not left unheard`(body: String, type: String, status: Int) async throws {
        let task = try await board.task()
        await board.send(.delete, "/tasks/\(task.id)")

        let answer = await board.send(.post, "/tasks/\(task.id)/restore", body, headers: [("Content-Type", type)])

        #expect(answer.status == status)
        #expect(await board.send(.get, "/tasks/\(task.id)").status == (status == 200 ? 200 : 404))
    }

    @Test(arguments: [
        (nil, "abcd>abdc"), ("{}", "abcd>abdc"), ("{\"place\": null}", "abcd>abdc"),
        ("{\"place\": \"last\"}", "abcd>abdc"), ("{\"place\": \"first\"}", "abcd>cabd"),
        ("{\"before\": \"b\"}", "abcd>acbd"), ("{\"after\": \"b\", \"before\": null}", "abcd>abcd"),
        ("{\"after\": \"gone\"}", "abcd>abdc"), ("{\"before\": \"elsewhere\"}", "abcd>abdc"),
    ])
    func `a task comes back where it is wanted`(body: String?, orders: String) async throws {
        var ids: [String: String] = [:]
        for title in ["a", "b", "c", "d", "gone"] { ids[title] = try await board.task("{\"title\": \"\(title)\"}").id }
        ids["elsewhere"] = try await board.task("{\"title\": \"elsewhere\", \"status\": \"done\"}").id
        await board.send(.delete, "/tasks/\(ids["gone"] ?? "")")
        let before = await board.titles("/tasks?sort=position&status=todo").joined()
        await board.send(.delete, "/tasks/\(ids["c"] ?? "")")

        let named = body.map { ids.reduce($0) { $0.replacing(": \"\($1.key)\"", with: ": \"\($1.value)\"") } }
        let answer = await board.send(.post, "/tasks/\(ids["c"] ?? "")/restore", named)

        #expect(answer.status == 200)
        #expect(await board.titles("/tasks?sort=position&status=todo").joined() == orders.dropFirst(before.count + 1))
        let history = await board.send(.get, "/tasks/\(ids["c"] ?? "")/history?limit=1").json["items"]?.arrayValue
        #expect(history?.first?["action"] == "restored")
    }

    @Test func `an invalid place leaves the task in the trash`() async throws {
        let task = try await board.task()
        let other = try await board.task()
        await board.send(.delete, "/tasks/\(task.id)")

        for (body, fault) in [
            ("{\"before\": \"\(String.unknownID)\"}", "#/before unknown_neighbour"),
            ("{\"after\": \"\(task.id)\"}", "#/after unknown_neighbour"),
            ("{\"before\": \"\(other.id)\", \"place\": \"first\"}", "#/place mutually_exclusive"),
            ("{\"place\": \"top\"}", "#/place invalid_value"), ("{\"after\": 1}", "#/after invalid_type"),
        ] {
            #expect(await board.send(.post, "/tasks/\(task.id)/restore", body).faults == [fault])
        }
        #expect(await board.send(.get, "/tasks/\(task.id)").status == 404)
    }

    @Test(arguments: [
        ("{\"categoryId\": null, \"categoryName\": \"Work\"}", "Work"),
        ("{\"categoryId\": \"home\", \"categoryName\": null}", "Home"),
        ("{\"categoryId\": null, \"categoryName\": null}", nil),
    ])
    func `null says nothing beside a value in the other member that names the category`(
        body: String, name: String?
    ) async throws {
        let home = await board.send(.post, "/categories", "{\"name\": \"Home\"}").json
        let play = await board.send(.post, "/categories", "{\"name\": \"Play\"}").json
        let body = body.replacing("\"home\"", with: "\"\(home.id)\"")
        let patched = try await board.task("{\"categoryId\": \"\(play.id)\"}")

        let answers = [
            await board.send(.post, "/tasks", body), await board.send(.put, "/tasks/\(String.newID)", body),
            await board.send(.patch, "/tasks/\(patched.id)", body),
        ]

        #expect(answers.map(\.status) == [201, 201, 200])
        let categories = await board.send(.get, "/categories").json["items"]?.arrayValue ?? []
        let id = name.flatMap { name in categories.first { $0["name"]?.stringValue == name }?.id }
        #expect(answers.map { $0.json["categoryId"]?.stringValue } == [id, id, id])
        #expect((id == nil) == (name == nil))
        let both = "{\"categoryId\": \"\(home.id)\", \"categoryName\": \"Work\"}"
        #expect(await board.send(.post, "/tasks", both).faults == ["#/categoryName mutually_exclusive"])
    }

    @Test func `an expanded deadline is part of the tag`() async throws {
        let task = try await board.task("{\"dueDate\": \"2026-11-23\"}")

        let plain = await board.send(.get, "/tasks/\(task.id)")
        let expanded = await board.send(.get, "/tasks/\(task.id)?expand=deadline", headers: [("Accept-Language", "ko")])
        board.clock.advance(seconds: 86_400)
        #expect(expanded.header("Vary") == "Accept-Language")
        let later = await board.send(.get, "/tasks/\(task.id)?expand=deadline&timeZone=Asia/Seoul")

        #expect(plain.header("ETag") == "\"1\"" && expanded.header("ETag")?.hasPrefix("\"1-") == true)
        #expect(expanded.header("ETag") != later.header("ETag"))
        #expect(expanded.json["deadline"]?["dDay"] == "D-3" && expanded.json["deadline"]?["remaining"] == "3일")
        #expect(await board.send(.get, "/tasks/\(task.id)?timeZone=Asia/Nowhere").code == "unknown_time_zone")
    }

    @Test(arguments: ["not-a-uuid", "0199a3c4", String.unknownID])
    func `an id that names nothing is 404`(id: String) async throws {
        for (method, path, body) in [
            (.get, "", nil), (.patch, "", "{}"), (.delete, "", nil), (.post, "/move", "{}"), (.post, "/restore", nil),
            (.get, "/history", nil),
        ] as [(HTTP.Method, String, String?)] {
            #expect(await board.send(method, "/tasks/\(id)\(path)", body).status == 404)
        }
    }
}
