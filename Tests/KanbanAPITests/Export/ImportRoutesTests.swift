import HTTP
import JSON
import Kanban
import KanbanWire
import TestSupport
import Testing

@testable import KanbanAPI

struct ImportRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test(arguments: ["merge", "replace"])
    func `what was exported and imported elsewhere is exported the same`(mode: String) async throws {
        for number in 0..<30 {
            let status = ["todo", "doing", "done"][number % 3]
            let task = try await board.task(
                """
                {"title": "일 \(number)", "body": "e\u{301} \\u00e9", "status": "\(status)", "dueDate": "2026-12-01", \
                "categoryName": "c\(number % 4)"}
                """)
            if number % 5 == 0 { await board.send(.post, "/tasks/\(task.id)/move", #"{"place": "first"}"#) }
            if number % 7 == 0 { await board.send(.delete, "/tasks/\(task.id)") }
            board.clock.advance(seconds: 1)
        }
        await board.send(
            .post, "/ddays", ##"{"title": "생일", "date": "2000-02-29", "repeats": "yearly", "color": "#aabbcc"}"##)
        await board.send(
            .patch, "/settings", #"{"timeZone": "Asia/Tokyo", "locale": "ja", "custom": {"a": {"b": null, "c": 1}}}"#)
        let export = await board.send(.get, "/export")

        let other = try TestBoard(at: "2027-01-01T00:00:00Z")
        let report = await other.send(.post, "/import?mode=\(mode)", String(decoding: export.body, as: UTF8.self))
        let again = await other.send(.get, "/export")

        #expect(report.status == 200 && report.json["tasks"] == ["created": 30, "updated": 0, "unchanged": 0])
        #expect(again.text.replacing("2027-01-01T00:00:00.000Z", with: "2026-11-20T08:19:30.123Z") == export.text)
        #expect(await other.send(.get, "/stats").json["total"] == 25)
        let repeated = await other.send(.post, "/import", String(decoding: export.body, as: UTF8.self))
        #expect(repeated.json["tasks"] == ["created": 0, "updated": 0, "unchanged": 30])
    }

    @Test func `merging keeps what was changed last, and what was deleted for good stays deleted`() async throws {
        let old = try await board.task(#"{"title": "mine is newer"}"#)
        let new = try await board.task(#"{"title": "theirs is newer"}"#)
        let trash = try await board.task(#"{"title": "deleted here"}"#)
        await board.send(.delete, "/tasks/\(trash.id)")
        let dday = await board.send(.post, "/ddays", #"{"title": "gone", "date": "2026-12-01"}"#).json
        await board.send(.delete, "/ddays/\(dday.id)")

        let report = await board.send(
            .post, "/import",
            """
            {"tasks": [
              {"id": "\(old.id)", "title": "x", "updatedAt": "2026-11-19T00:00:00Z"},
              {"id": "\(new.id)", "title": "y", "status": "doing", "updatedAt": "2026-11-21T00:00:00Z"},
              {"id": "\(trash.id)", "title": "z", "updatedAt": "2026-11-19T00:00:00Z"}],
             "ddays": [{"id": "\(dday.id)", "title": "gone", "date": "2026-12-01", "updatedAt": "2027-01-01T00:00:00Z"}]}
            """)

        #expect(report.json["tasks"] == ["created": 0, "updated": 1, "unchanged": 2])
        #expect(report.json["ddays"] == ["created": 0, "updated": 0, "unchanged": 1])
        #expect(await board.titles("/tasks?sort=title") == ["mine is newer", "y"])
        let history = await board.send(.get, "/tasks/\(new.id)/history").json["items"]?.arrayValue?.first
        #expect(history?["action"] == "moved" && history?["changes"]?.arrayValue?.count == 3)
    }

    @Test func `categories meet by id, then by name`() async throws {
        let work = await board.send(.post, "/categories", #"{"name": "Work"}"#).json
        let home = await board.send(.post, "/categories", #"{"name": "Home"}"#).json
        let other = "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"

        let report = await board.send(
            .post, "/import",
            """
            {"categories": [
              {"id": "\(other)", "name": "WORK", "updatedAt": "2027-01-01T00:00:00Z"},
              {"id": "\(home.id)", "name": "House", "emoji": "🏠", "updatedAt": "2027-01-01T00:00:00Z"}],
             "tasks": [{"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12", "title": "x", "categoryId": "\(other)"},
                       {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e13", "title": "y", "categoryId": "\(home.id)"}]}
            """)

        #expect(report.json["categories"] == ["created": 0, "updated": 1, "unchanged": 1])
        let tasks = await board.send(.get, "/tasks?sort=title").json["items"]?.arrayValue
        #expect(tasks?.map { $0["categoryId"] } == [.string(work.id), .string(home.id)])
        #expect(await board.send(.get, "/categories/\(home.id)").json["name"] == "House")
    }

    @Test func `names that differ by normalization alone are one`() async throws {
        for name in ["Caf\u{e9}", "Cafe\u{301}"] { try await board.task("{\"categoryName\": \"\(name)\"}") }
        let export = await board.send(.get, "/export").text

        let other = try TestBoard(at: "2026-11-20T08:19:00.123Z")
        let report = await other.send(.post, "/import", export)

        #expect(report.json["categories"] == ["created": 1, "updated": 0, "unchanged": 0])
        #expect(await other.send(.get, "/export").text == export)
    }

    @Test func `an emoji that is only spelled differently is taken over`() async throws {
        let board = try TestBoard(at: "2026-11-20T08:19:00.123Z")
        await board.send(.post, "/categories", #"{"name": "Home", "emoji": "\u00e9"}"#)
        await board.send(.post, "/ddays", #"{"title": "Exam", "date": "2026-12-01", "emoji": "\u00e9"}"#)
        let export = await board.send(.get, "/export").text
        let later = export.replacing("\u{e9}", with: "e\u{301}").replacing("T08:19:00.123Z", with: "T08:20:00.123Z")

        let report = await board.send(.post, "/import", later).json

        #expect(report["categories"]?["updated"] == 1 && report["ddays"]?["updated"] == 1)
        #expect(await board.send(.get, "/export").text.utf8.count == export.utf8.count + 2)
    }

    @Test func `an import is refused when the board changed since`() async throws {
        try await board.task(#"{"title": "before"}"#)

        let stale = await board.send(.post, "/import?mode=replace", "{}", headers: [("If-Match", "\"0\"")])
        #expect(stale.status == 412 && stale.code == "precondition_failed")
        #expect(await board.titles("/tasks") == ["before"])
        let fresh = await board.send(.post, "/import?mode=replace", "{}", headers: [("If-Match", "\"1\"")])
        #expect(fresh.status == 200)
        #expect(await board.titles("/tasks").isEmpty)
    }

    @Test func `settings as deep as a body may be come back`() async throws {
        let deep = String(repeating: #"{"a":"#, count: 63) + "1" + String(repeating: "}", count: 63)
        let patched = await board.send(.patch, "/settings", "{\"custom\": \(deep)}")
        let export = await board.send(.get, "/export").text

        let other = try TestBoard()
        let report = await other.send(.post, "/import", export)

        #expect(patched.status == 200 && report.status == 200)
        #expect(await other.send(.get, "/settings").json["custom"] == patched.json["custom"])
    }

    @Test func `names may change places`() async throws {
        let one = await board.send(.post, "/categories", #"{"name": "one"}"#).json
        let two = await board.send(.post, "/categories", #"{"name": "two"}"#).json
        let moved = await board.send(.patch, "/categories/\(one.id)", #"{"name": "three"}"#)
        #expect(moved.status == 200)

        await board.send(
            .post, "/import",
            """
            {"categories": [{"id": "\(one.id)", "name": "two", "updatedAt": "2027-01-01T00:00:00Z"},
                            {"id": "\(two.id)", "name": "three", "updatedAt": "2027-01-01T00:00:00Z"}]}
            """)

        let names = await board.send(.get, "/categories").json["items"]?.arrayValue?.map { [$0["id"], $0["name"]] }
        #expect(names == [[two["id"], "three"], [one["id"], "two"]])
    }

    @Test(arguments: [false, true])
    func `a name that is given up here goes where the document gives it, in any order`(
        isReversed: Bool
    ) async throws {
        let old = await board.send(.post, "/categories", #"{"name": "work"}"#).json
        let new = "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"
        let entries = [
            #"{"id": "\#(new)", "name": "work", "updatedAt": "2027-01-01T00:00:00Z"}"#,
            #"{"id": "\#(old.id)", "name": "zwork", "updatedAt": "2027-01-01T00:00:00Z"}"#,
        ]
        let document = """
            {"categories": [\((isReversed ? entries.reversed() : entries).joined(separator: ","))],
             "tasks": [{"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12", "title": "x", "categoryId": "\(new)"}]}
            """

        let first = await board.send(.post, "/import", document)
        let second = await board.send(.post, "/import", document)

        #expect(first.json["categories"] == ["created": 1, "updated": 1, "unchanged": 0])
        #expect(second.json["categories"] == ["created": 0, "updated": 0, "unchanged": 2])
        let names = await board.send(.get, "/categories").json["items"]?.arrayValue?.map { [$0["id"], $0["name"]] }
        #expect(names == [[.string(new), "work"], [old["id"], "zwork"]])
        let task = await board.send(.get, "/tasks").json["items"]?.arrayValue?.first
        #expect(task?["categoryId"] == .string(new))
    }

    @Test func `a name that another one keeps is not taken over, nor lost by who has it`() async throws {
        let one = await board.send(.post, "/categories", #"{"name": "one"}"#).json
        let two = await board.send(.post, "/categories", #"{"name": "two"}"#).json

        await board.send(
            .post, "/import",
            """
            {"categories": [{"id": "\(one.id)", "name": "Two", "emoji": "🏠", "updatedAt": "2027-01-01T00:00:00Z"},
                            {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11", "name": "ONE"}]}
            """)

        let items = await board.send(.get, "/categories").json["items"]?.arrayValue
        #expect(items?.map { [$0["id"], $0["name"]] } == [[one["id"], "one"], [two["id"], "two"]])
        #expect(items?.first?["emoji"] == "🏠")
    }

    @Test func `replacing leaves nothing of before, and makes cursors expire`() async throws {
        try await board.task(#"{"title": "before", "categoryName": "c"}"#)
        let old = await board.send(.patch, "/settings", #"{"locale": "ko"}"#).json

        let report = await board.send(.post, "/import?mode=replace", BoardDocument.sample(tasks: 3))

        #expect(
            report.json["mode"] == "replace" && report.json["tasks"] == ["created": 3, "updated": 0, "unchanged": 0])
        #expect(await board.titles("/tasks?sort=title") == ["Task 0", "Task 1", "Task 2"])
        #expect(await board.send(.get, "/categories").json["items"] == [])
        let settings = await board.send(.get, "/settings").json
        #expect(settings["locale"] == .null && settings.revision > old.revision)
    }

    @Test(arguments: ["merge", "replace"])
    func `a dry run tells the same and changes nothing`(mode: String) async throws {
        try await board.task(#"{"title": "before"}"#)
        let before = await board.send(.get, "/export").body

        let tried = await board.send(.post, "/import?dryRun=true&mode=\(mode)", BoardDocument.sample(tasks: 3))
        #expect(tried.json["dryRun"] == true && tried.json["tasks"]?["created"] == 3)
        #expect(await board.send(.get, "/export").body == before)
        let made = await board.send(.post, "/import?mode=\(mode)", BoardDocument.sample(tasks: 3))

        #expect(made.json["tasks"] == tried.json["tasks"] && made.json["dryRun"] == false)
    }

    @Test func `all faults are reported with line and pointer, and nothing is imported`() async throws {
        let answer = await board.send(
            .post, "/import",
            """
            {"tasks": [
              {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12", "title": "right"},
              {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e13", "title": " ", "dueDate": "2026-02-30"},
              {"title": "no id", "status": "later"}],
             "categories": {}, "ddays": [{"id": "x", "title": "a", "date": "2026-13-01"}],
             "settings": {"timeZone": "Mars/Base"}, "한 글": []}
            """)

        #expect(answer.status == 422)
        #expect(
            answer.faults == [
                "#/tasks/1/title blank", "#/tasks/1/dueDate invalid_format",
                "#/tasks/2/status invalid_value", "#/categories invalid_type", "#/ddays/0/id invalid_format",
                "#/ddays/0/date invalid_format", "#/settings/timeZone invalid_value", "#/한 글 unknown_member",
            ])
        let lines = answer.json["errors"]?.arrayValue?.compactMap { $0["line"]?.intValue }
        #expect(lines == [3, 3, 4, 5, 5, 5, 6, 6])
        #expect(await board.titles("/tasks").isEmpty)
    }

    @Test(arguments: [
        ("{\"tasks\": [\n{\"id\": \"0199a3c4", "Line 2, byte"), ("{}x", "Line 1, byte 2"), ("", "Line 1, byte 0"),
        ("{\"tasks\": [],\n\"tasks\": []}", "Line 2"),
    ])
    func `the place where a document is cut off or broken is reported`(text: String, place: String) async throws {
        try await board.task(#"{"title": "before"}"#)

        let answer = await board.send(.post, "/import?mode=replace", text)

        #expect(answer.status == 400 && answer.code == "malformed_json")
        #expect(answer.json["detail"]?.stringValue?.hasPrefix(place) == true)
        #expect(await board.titles("/tasks") == ["before"])
    }

    @Test func `what shows only beside the account undoes everything`() async throws {
        let known = "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12"
        let answer = await board.send(
            .post, "/import?mode=replace",
            "{\"tasks\": [{\"id\": \"\(known)\", \"title\": \"a\"},\n"
                + "{\"id\": \"\(String.unknownID)\", \"title\": \"b\", \"categoryId\": \"\(String.unknownID)\"}]}")

        #expect(answer.status == 422 && answer.faults == ["#/tasks/1/categoryId unknown_category"])
        #expect(await board.titles("/tasks").isEmpty)
        let twice = await board.send(
            .post, "/import",
            "{\"tasks\": [{\"id\": \"\(known)\", \"title\": \"a\"}, {\"title\": \"b\"}, "
                + "{\"id\": \"\(known.uppercased())\", \"title\": \"c\"}]}")
        #expect(twice.faults == ["#/tasks/2/id invalid_value"])
    }

    @Test func `to import again what names no times and no places changes nothing`() async throws {
        try await board.task(#"{"title": "first"}"#)
        let document = """
            {"tasks": [{"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12", "title": "one", "position": "a0"},
              {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e13", "title": "two"}]}
            """
        await board.send(.post, "/import", document)
        let before = await board.send(.get, "/tasks?sort=position").body
        board.clock.advance(seconds: 60)

        let again = await board.send(.post, "/import", document)

        #expect(again.json["tasks"]?["unchanged"] == 2)
        #expect(await board.send(.get, "/tasks?sort=position").body == before)
    }

    @Test func `a task that is done or in the trash, without times or a place, changes once`() async throws {
        let document = """
            {"tasks": [{"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12", "title": "one", "status": "done"},
              {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e13", "title": "two", "deletedAt": "2026-11-19T08:00:00Z"}]}
            """
        let first = await board.send(.post, "/import", document)
        let before = await board.send(.get, "/changes").body
        board.clock.advance(seconds: 60)

        let again = await board.send(.post, "/import", document)

        #expect(first.json["tasks"]?["created"] == 2)
        #expect(again.json["tasks"]?["unchanged"] == 2)
        #expect(await board.send(.get, "/changes").body == before)
    }

    @Test func `a task stays done since when it was, unless the document tells another time`() async throws {
        let task = try await board.task(#"{"title": "one", "status": "done"}"#)
        board.clock.advance(seconds: 86_400)

        await board.send(
            .post, "/import", "{\"tasks\": [{\"id\": \"\(task.id)\", \"title\": \"uno\", \"status\": \"done\"}]}")
        let renamed = await board.send(.get, "/tasks/\(task.id)").json
        let times = "\"completedAt\": \"2026-11-01T00:00:00Z\", \"updatedAt\": \"2026-11-22T00:00:00Z\""
        await board.send(
            .post, "/import",
            "{\"tasks\": [{\"id\": \"\(task.id)\", \"title\": \"uno\", \"status\": \"done\", \(times)}]}")

        #expect(renamed["title"] == "uno" && renamed["completedAt"] == task["completedAt"])
        #expect(
            await board.send(.get, "/tasks/\(task.id)").json["completedAt"]?.stringValue == "2026-11-01T00:00:00.000Z")
    }

    @Test func `positions that are taken or missing are made at the end`() async throws {
        try await board.task(#"{"title": "first"}"#)

        await board.send(
            .post, "/import",
            """
            {"tasks": [{"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12", "title": "same place", "position": "a0"},
              {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e13", "title": "no place", "position": "!"},
              {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e14", "title": "free place", "position": "Zz"},
              {"id": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e15", "title": "none"}]}
            """)
        let titles = await board.titles("/tasks?sort=position")

        #expect(titles == ["free place", "first", "same place", "no place", "none"])
        let moved = await board.send(
            .post, "/tasks/0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e15/move",
            #"{"after": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12"}"#)
        #expect(moved.status == 200)
        #expect(
            await board.titles("/tasks?sort=position") == ["free place", "first", "same place", "none", "no place"])
    }

    @Test func `an idempotency key makes it safe to send again`() async throws {
        let headers = [(name: "Idempotency-Key", value: "k1")]

        let first = await board.send(.post, "/import?mode=replace", BoardDocument.sample(tasks: 2), headers: headers)
        try await board.task(#"{"title": "since"}"#)
        let second = await board.send(.post, "/import?mode=replace", BoardDocument.sample(tasks: 2), headers: headers)

        #expect(first.body == second.body && second.header("Idempotency-Replayed") == "true")
        #expect(await board.titles("/tasks?sort=title").contains("since"))
    }
}

extension Answer {
    var text: String { String(decoding: body, as: UTF8.self) }
}
