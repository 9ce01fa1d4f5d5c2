import HTTP
import JSON
import Kanban
import KanbanImport
import KanbanSQLite
import KanbanWire
import TestSupport
import Testing

@testable import KanbanAPI

/// Files of other systems through `POST /import`, and imports that are taken back.
struct ForeignImportTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    private func csv(_ text: String, _ query: String = "format=csv") async -> Answer {
        await board.send(.post, "/import?\(query)", text, headers: [("Content-Type", "text/csv")])
    }

    @Test func `an import twice is one, and taken back it leaves what was there before`() async throws {
        let mine = try await board.task(#"{"title": "mine", "categoryName": "Home"}"#)
        let file = "title,status,category,due\na,todo,Home,2026-12-24\nb,doing,New,\na,done,New,\n"

        let dry = await csv(file, "format=csv&dryRun=true")
        let first = await csv(file)
        let again = await csv(file, "")

        #expect(dry.status == 200 && dry.json["importId"] == .null && dry.json["created"] == 4)
        #expect(first.status == 200 && first.json["created"] == 4 && first.json["errors"] == [])
        #expect(first.json["counts"] == ["tasks": 3, "categories": 2, "ddays": 0, "images": 0])
        #expect(again.json["created"] == 0 && again.json["unchanged"] == 5 && again.json["importId"] == .null)
        let list = await board.send(.get, "/imports").json["items"]?.arrayValue ?? []
        #expect(list.count == 1 && list.first?["id"] == first.json["importId"] && list.first?["format"] == "csv")

        let tasks = await board.send(.get, "/tasks").json["items"]?.arrayValue ?? []
        let b = try #require(tasks.first { $0["title"] == "b" })
        await board.send(.patch, "/tasks/\(b.id)", #"{"body": "touched"}"#)
        let id = first.json["importId"]?.stringValue ?? ""
        // An import has no tag.
        #expect(await board.send(.delete, "/imports/\(id)", headers: [("If-Match", "\"1\"")]).status == 412)
        let back = await board.send(.delete, "/imports/\(id)", headers: [("If-Match", "*")])

        // "b" was changed since, and so its category stays.
        #expect(back.status == 200 && back.json == ["removed": 2, "kept": 2])
        let left = await board.send(.get, "/tasks?sort=title").json["items"]?.arrayValue ?? []
        #expect(left.map { $0["title"] } == ["b", "mine"])
        #expect(await board.send(.get, "/tasks?deleted=true").json["items"] == [])
        #expect(await board.send(.get, "/tasks/\(mine.id)").status == 200)
        #expect(await board.send(.delete, "/imports/\(id)").status == 404)
        #expect(await board.send(.delete, "/imports/nonsense").status == 404)
    }

    @Test(arguments: ["title,category\nMilk,Shop\n", "TYPE,CONTENT\nsection,Shop\ntask,Milk\n"], [false, true])
    func `a file that comes again keeps what was changed here, also when its category is gone`(
        file: String, isEdited: Bool
    ) async throws {
        let format = file.hasPrefix("TYPE") ? "format=todoist" : "format=csv"
        _ = await csv(file, format)
        var task = try #require(await board.send(.get, "/tasks").json["items"]?.arrayValue?.first)
        let category = try #require(task["categoryId"]?.stringValue)
        if isEdited {
            await board.send(.patch, "/tasks/\(task.id)", #"{"title": "Oat milk", "body": "two", "status": "done"}"#)
        }
        await board.send(.delete, "/categories/\(category)")
        task = await board.send(.get, "/tasks/\(task.id)").json

        let again = await csv(file, format)

        #expect(again.json["updated"] == 0 && again.json["created"] == 0)
        #expect(await board.send(.get, "/tasks/\(task.id)").json == task)
        await board.send(.post, "/categories/\(category)/restore")
        #expect(await board.send(.get, "/tasks/\(task.id)").json["categoryId"] == .string(category))
        // What the file changed comes all the same.
        let changed = await csv(file.replacing("Milk", with: "Bread"), format)
        #expect(changed.json["created"] == 1)
    }

    @Test func `what was archived long ago, or nobody knows when, is in the trash from the import on`() async throws {
        let file = """
            {"lists": [{"id": "l", "name": "To Do"}], "cards": [
            {"id": "5f0000000000000000000001", "name": "old", "idList": "l", "closed": true,
             "dateLastActivity": "2020-01-01T00:00:00.000Z"},
            {"id": "a", "name": "undated", "idList": "l", "closed": true},
            {"id": "5f0000000000000000000002", "name": "open", "idList": "l"}]}
            """
        #expect(await board.send(.post, "/import?format=trello", file).json["created"] == 3)
        let first = await board.send(.get, "/tasks?deleted=true").json["items"]
        try await board.maintain()
        let trash = await board.send(.get, "/tasks?deleted=true&sort=title").json["items"]?.arrayValue ?? []
        #expect(trash.map { $0["title"] } == ["old", "undated"])
        #expect(await board.titles("/tasks") == ["open"])
        board.clock.advance(seconds: 60)
        #expect(await board.send(.post, "/import?format=trello", file).json["unchanged"] == 3)
        #expect(await board.send(.get, "/tasks?deleted=true").json["items"] == first)
    }

    @Test(arguments: [
        ("title,content\nBuy,the long note\n", "csv"),
        (
            """
            {"documents": [{"name": "projects/p/databases/(default)/documents/tasks/a", "fields": {
            "content": {"stringValue": "the long note"}, "title": {"stringValue": "Buy"}}}]}
            """, "firestore"
        ),
    ])
    func `beside a title, the content is the notes`(file: String, format: String) async {
        _ = await board.send(
            .post, "/import?format=\(format)", file,
            headers: [("Content-Type", format == "csv" ? "text/csv" : "application/json")])
        let task = await board.send(.get, "/tasks").json["items"]?.arrayValue?.first
        #expect(task?["title"] == "Buy" && task?["body"] == "the long note")
    }

    @Test func `what was taken back can be imported again, and what somebody deleted for good cannot`() async throws {
        func importId(_ answer: Answer) -> String { answer.json["importId"]?.stringValue ?? "" }
        let file = "title,category\na,Home\nb,Work\n"
        let day = #"{"ddays": [{"id": "019a0000-0000-7000-8000-0000000000dd", "title": "Day", "date": "2026-12-24"}]}"#
        #expect(await csv(file).json["created"] == 4)
        let first = await board.send(.get, "/imports").json["items"]?.arrayValue?.first?["id"]?.stringValue ?? ""
        #expect(await board.send(.delete, "/imports/\(first)").json == ["removed": 4, "kept": 0])
        let other = await board.send(.post, "/import", day)
        #expect(await board.send(.delete, "/imports/\(importId(other))").json == ["removed": 1, "kept": 0])
        #expect(await board.send(.get, "/imports").json["items"] == [])

        #expect(await csv(file, "format=csv&dryRun=true").json["created"] == 4)
        let again = await csv(file)
        #expect(again.json["created"] == 4 && again.json["unchanged"] == 0)
        #expect(await board.send(.post, "/import", day).json["created"] == 1)
        #expect(await csv(file).json["unchanged"] == 4)
        let tasks = await board.send(.get, "/tasks?sort=title").json["items"]?.arrayValue ?? []
        #expect(tasks.map { $0["title"] } == ["a", "b"] && tasks.allSatisfy { $0["categoryId"] != .null })
        // A client that was away sees each once, alive.
        #expect(try await board.pull().changes.filter { $0["type"] == "task" }.map { $0["deleted"] } == [false, false])

        // Taken back once more, and again: not once alone.
        #expect(await board.send(.delete, "/imports/\(importId(again))").json["removed"] == 4)
        #expect(await csv(file).json["created"] == 4)
        // One that a person deletes for good stays deleted.
        await board.send(.delete, "/tasks/\(tasks[0].id)")
        let gone = try #require(ID(tasks[0].id))
        try await board.store.write(.local, session: nil) { try $0.purgeTask(gone, before: $0.now) }
        #expect(await board.send(.get, "/tasks/\(tasks[0].id)").status == 404)
        #expect(await csv(file).json["created"] == 0)
    }

    @Test func `a category that goes with its import leaves no task of the trash behind that names it`() async throws {
        let made = await csv("title,category\na,Home\n")
        let mine = try await board.task(#"{"title": "mine", "categoryName": "Home"}"#)
        await board.send(.delete, "/tasks/\(mine.id)")

        let back = await board.send(.delete, "/imports/\(made.json["importId"]?.stringValue ?? "")")

        #expect(back.json == ["removed": 2, "kept": 0])
        let trash = await board.send(.get, "/tasks?deleted=true").json["items"]?.arrayValue ?? []
        #expect(trash.map { $0["title"] } == ["mine"] && trash.first?["categoryId"] == .null)
        let export = await board.send(.get, "/export")
        let other = try TestBoard()
        #expect(await other.send(.post, "/import?mode=replace", export.text).status == 200)
    }

    @Test func `with one wrong row nothing is imported, and every wrong row is reported`() async throws {
        let long = String(repeating: "x", count: 201)
        let answer = await csv("title,due\n\(long),\n,2026-12-24\nc,soon\n")

        #expect(answer.status == 422 && answer.json["errors"]?.arrayValue?.map { $0["row"] } == [2, 3, 4])
        #expect(answer.json["errors"]?.arrayValue?.map { $0["code"] } == ["too_long", "blank", "invalid_format"])
        #expect(answer.json["notes"] == [])
        #expect(await board.send(.get, "/tasks").json["items"] == [])
        let cut = await csv("title\n\(long)\n", "format=csv&truncate=true")
        #expect(cut.status == 200 && cut.json["notes"]?.arrayValue?.first?["code"] == "truncated")
    }

    @Test(arguments: [
        (
            "trello",
            """
            {"lists": [{"id": "l", "name": "To Do"}], "cards": [
            {"id": "a", "name": "ok", "idList": "l", "pos": 9},
            {"id": "b",
            "name": "", "idList": "l", "pos": 1}]}
            """, ["3 2 #/cards/1/name"]
        ),
        (
            "trello",
            """
            {"lists": [{"id": "l", "name": "\(String(repeating: "x", count: 51))"}], "cards": [
            {"id": "a", "name": "ok", "idList": "l"}, {"id": "a", "name": "", "idList": "l"}]}
            """, ["2 1 #/cards/0/idList", "2 2 #/cards/1/id"]
        ),
        (
            "firestore",
            """
            {"documents": [
            {"name": "p/documents/t/a", "fields": {"headline/1": {"stringValue": "\(String(repeating: "x", count: 201))"}}},
            {"name": "p/documents/t/a", "fields": {"state": {"stringValue": "never"}}}]}
            """, ["2 1 #/documents/0/fields/headline~11", "3 2 #/documents/1/fields/state", "3 2 #/documents/1/name"]
        ),
        (
            "firestore",
            """
            [{"readTime": "2026-01-01T00:00:00Z"},
            {"document": {"name": "p/documents/t/a", "fields": {"due": {"stringValue": "soon"}}}}]
            """, ["2 1 #/1/document/fields/due"]
        ),
        (
            "firestore",
            """
            {"name": "p/documents/t/a", "fields": {"done": {"booleanValue": true}}}

            {"name": "p/documents/t/b", "fields": {"due": {"stringValue": "soon"}}}
            """, ["3 2 #/3/fields/due"]
        ),
        (
            "vikunja",
            """
            {"projects": [{"title": "P", "tasks": [
            {"id": 1, "title": ""},
            {"id": 2, "title": "a", "description": "\(String(repeating: "x", count: 100_001))"}]}]}
            """, ["2 1 #/projects/0/tasks/0/title", "3 2 #/projects/0/tasks/1/description"]
        ),
        ("todoist", "TYPE,CONTENT,DATE\ntask,,\nfolder,x,\n", ["2 2 #/2/CONTENT", "3 3 #/3/TYPE"]),
    ])
    func `an error tells the line, the place in the list and the member of the file`(
        format: String, file: String, places: [String]
    ) async {
        let type = format == "todoist" ? "text/csv" : "application/json"
        let rules = format == "firestore" ? "&rules=title:headline/1" : ""
        let answer = await board.send(
            .post, "/import?format=\(format)\(rules)", file, headers: [("Content-Type", type)])
        let errors = answer.json["errors"]?.arrayValue ?? []
        #expect(
            errors.map {
                "\($0["line"]?.intValue ?? 0) \($0["row"]?.intValue ?? 0) \($0["pointer"]?.stringValue ?? "")"
            }
                == places)
    }

    @Test func `the server's own CSV comes back`() async throws {
        for number in 0..<5 {
            let task = try await board.task(
                #"{"title": "일, \#(number)", "body": "a\nb", "categoryName": "c", "dueDate": "2026-12-24T08:00:00Z"}"#)
            if number == 2 { await board.send(.patch, "/tasks/\(task.id)", #"{"status": "done"}"#) }
        }
        let export = await board.send(.get, "/export?format=csv").text
        let other = try TestBoard()

        let report = await other.send(.post, "/import?format=csv", export, headers: [("Content-Type", "text/csv")])

        #expect(report.status == 200 && report.json["errors"] == [] && report.json["notes"] == [])
        func plain(_ text: String) -> [[Substring]] {
            text.split(separator: "\r\n").map { line in
                line.split(separator: ",", omittingEmptySubsequences: false).dropLast(4)
            }
        }
        #expect(await plain(other.send(.get, "/export?format=csv").text) == plain(export))
        #expect(
            await board.send(.post, "/import?format=csv", export, headers: [("Content-Type", "text/csv")]).json[
                "unchanged"] == 6)
    }

    @Test func `a table whose rows were changed, but not their times, says what is left out`() async throws {
        try await board.task(#"{"title": "first"}"#)
        try await board.task(#"{"title": "second"}"#)
        let export = await board.send(.get, "/export?format=csv").text
        board.clock.advance(seconds: 60)
        let edited = export.replacing("second", with: "changed")

        let kept = await csv(edited)
        let rows = edited.split(separator: "\r\n").map { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            return (fields.prefix(8) + fields.suffix(1)).joined(separator: ",")
        }
        let taken = await csv(rows.joined(separator: "\r\n"))

        #expect(kept.json["updated"] == 0)
        #expect(kept.json["notes"]?.arrayValue?.map { $0["code"] } == ["not_newer"])
        #expect(kept.json["notes"]?.arrayValue?.map { $0["count"] } == [1])
        #expect(taken.json["updated"] == 1 && taken.json["notes"] == [])
        #expect(await board.titles("/tasks") == ["first", "changed"])
    }

    @Test(arguments: [
        ("trello", "{\"lists\": [],\n\"cards\": [,]}"), ("vikunja", "[\n{]"), ("firestore", "{\n\"documents\": [}"),
        ("csv", "title\n\"a\n"),
    ])
    func `a file that is broken is an error of the line where it is`(format: String, file: String) async {
        let answer = await board.send(
            .post, "/import?format=\(format)", file,
            headers: [("Content-Type", format == "csv" ? "text/csv" : "application/json")])
        #expect(answer.status == 422 && answer.json["errors"]?.arrayValue?.map { $0["line"] } == [2], "\(answer.json)")
    }

    @Test func `the server's own table for Excel comes back as it was`() async throws {
        let texts = ["-5 degrees", "'-5 degrees", "'quoted'", "''", "=1+1", "@home", "plain", "it's"]
        for text in texts {
            try await board.task(#"{"title": "\#(text)", "body": "\#(text)\n", "categoryName": "\#(text)"}"#)
        }
        let export = await board.send(.get, "/export?format=csv&excel=true")
        let headers = [(name: "Content-Type", value: "text/csv")]

        let again = await board.send(.post, "/import", headers: headers, bytes: export.body)
        #expect(again.json["unchanged"] == 16 && again.json["updated"] == 0, "\(again.json)")
        let other = try TestBoard()
        _ = await other.send(.post, "/import", headers: headers, bytes: export.body)
        #expect(await other.titles("/tasks") == texts)
        let tasks = await other.send(.get, "/tasks").json["items"]?.arrayValue ?? []
        #expect(tasks.map { $0["body"]?.stringValue } == texts.map { "\($0)\n" })
        let names = await other.send(.get, "/categories").json["items"]?.arrayValue ?? []
        #expect(Set(names.compactMap { $0["name"]?.stringValue }) == Set(texts))
        // Tables of other programs stay as they are.
        _ = await other.send(.post, "/import", "\u{FEFF}title,body\n'-6,'=1\n", headers: headers)
        #expect(await other.titles("/tasks").contains("'-6"))
    }

    @Test func `tasks of one title in files of one command are different tasks, and the same when they come again`()
        throws
    {
        let reading = ImportReading(
            .todoist, mode: .merge, truncates: false, choices: ImportChoices(zone: nil, now: Timestamp(milliseconds: 0))
        )
        func ids() throws -> [ID] {
            var unnamed = UnnamedTasks()
            return try ["Buy milk\ntask,Call", "Call\ntask,Pay rent"].flatMap { titles in
                let file = Array("TYPE,CONTENT\ntask,\(titles)\n".utf8)
                return try reading.read(file, now: Timestamp(milliseconds: 0), after: &unnamed).0.tasks.map(\.value.id)
            }
        }
        #expect(try Set(ids()).count == 4)
        #expect(try ids() == ids())
    }

    @Test func `what a format does not take is reported`() async throws {
        for (query, status) in [
            ("format=excel", 400), ("format=csv&mode=replace", 400), ("format=csv&rules=nonsense", 400),
            ("format=csv&rules=timeZone%3DMars", 400),
            ("format=trello", 422),
            ("format=csv&truncate=maybe", 400),
        ] { #expect(await csv("title\na\n", query).status == status, "\(query)") }
        let wide: [UInt8] = [0xff, 0xfe] + "{}".utf8.flatMap { [$0, 0] }
        for (bytes, word) in [(wide, "UTF-16"), (Array("PK\u{3}\u{4}".utf8), "ZIP")] {
            let other = await board.send(
                .post, "/import", headers: [("Content-Type", "application/json")], bytes: bytes)
            #expect(other.status == 400 && other.json["detail"]?.stringValue?.contains(word) == true, "\(other.json)")
        }
        let wrong = await board.send(.post, "/import", "a", headers: [("Content-Type", "text/plain")])
        #expect(wrong.status == 415)
        #expect(await board.send(.get, "/imports").json == ["items": [], "nextCursor": .null])
    }

    @Test func `days are those of the zone of the rule, the request, the account or the server, in this order`()
        async throws
    {
        let file = "title,due\n%,2026-12-23T15:00:00Z\n"
        func day(_ title: String, _ query: String, on board: TestBoard) async -> [JSON?] {
            let answer = await board.send(
                .post, "/import?format=csv&rules=dates%3Dday\(query)", file.replacing("%", with: title),
                headers: [("Content-Type", "text/csv")])
            let tasks = await board.send(.get, "/tasks").json["items"]?.arrayValue ?? []
            let due = tasks.first { $0["title"] == .string(title) }?["dueDate"]
            return [due] + (answer.json["notes"]?.arrayValue ?? []).map { $0["code"] }
        }
        let other = try TestBoard(zone: "Asia/Seoul")

        #expect(await day("a", "", on: board) == ["2026-12-23", "days_in_utc"])
        #expect(await day("b", "&timeZone=Asia/Seoul", on: board) == ["2026-12-24"])
        #expect(await day("c", ",timeZone%3DAsia/Seoul&timeZone=Europe/Berlin", on: board) == ["2026-12-24"])
        #expect(await day("d", "", on: other) == ["2026-12-24"])
        await other.send(.patch, "/settings", #"{"timeZone": "UTC"}"#)
        #expect(await day("e", "", on: other) == ["2026-12-23"])
    }

    @Test func `a document without a title gets that of a new task, in the language of the account`() async {
        await board.send(.patch, "/settings", #"{"locale": "ko"}"#)
        let answer = await board.send(
            .post, "/import?format=firestore",
            #"[{"name": "p/documents/t/a", "fields": {"done": {"booleanValue": true}}}]"#)
        #expect(answer.json["created"] == 1 && answer.json["notes"]?.arrayValue?.map { $0["code"] } == ["untitled"])
        #expect(await board.titles("/tasks") == ["새로운 할 일"])
        #expect(await board.send(.post, "/import?format=firestore", "{}").json["created"] == 0)
    }

    @Test func `a task of an export without an id gets one, the same each time`() async throws {
        let document = #"{"tasks": [{"title": "a"}, {"title": "a"}]}"#
        #expect(await board.send(.post, "/import", document).json["created"] == 2)
        #expect(await board.send(.post, "/import", document).json["unchanged"] == 2)
    }
}
