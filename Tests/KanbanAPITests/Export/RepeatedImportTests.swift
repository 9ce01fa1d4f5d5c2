import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

/// A file that is imported again, on a later day or when the account has another zone: what was done here stays.
struct RepeatedImportTests {
    let board: TestBoard

    init() throws {
        // A Friday.
        board = try TestBoard(at: "2026-11-20T08:19:00.123Z")
    }

    private func bring(_ file: String, _ format: String, _ more: String = "") async -> Answer {
        let type = file.hasPrefix("{") || file.hasPrefix("[") ? "application/json" : "text/csv"
        return await board.send(.post, "/import?format=\(format)\(more)", file, headers: [("Content-Type", type)])
    }

    private func tasks() async -> [JSON] {
        await board.send(.get, "/tasks?sort=title").json["items"]?.arrayValue ?? []
    }

    private func counts(_ answer: Answer) -> [JSON?] {
        ["created", "updated"].map { answer.json["tasks"]?[$0] }
    }

    private static func todoist(_ date: String, _ zone: String = "") -> String {
        "TYPE,CONTENT,DATE,DATE_LANG,TIMEZONE\ntask,Water,\(date),en,\(zone)\n"
    }

    @Test(
        arguments: [
            "every day", "every day at 9am", "every friday", "every! 3 days", "every month", "every 30th", "매주 금요일",
            "every day until 2026-11-25", "every day starting 2026-11-22", "every year until 2026-11-20",
        ], ["", "Europe/Berlin"])
    func `a rule brings nothing back on another day`(date: String, zone: String) async throws {
        let file = Self.todoist(date, zone)
        let first = await bring(file, "todoist")
        let task = try #require(await tasks().first)
        await board.send(.patch, "/tasks/\(task.id)", #"{"title": "Water the plants", "body": "two cups"}"#)
        await board.send(.post, "/tasks/\(task.id)/move", #"{"status": "done"}"#)
        let before = await tasks()

        // The last day of a month and the first of the next one have other rules for "every month".
        for days in [1, 9, 1, 300] {
            board.clock.advance(seconds: Int64(days) * 86_400)
            let again = await bring(file, "todoist")
            #expect(counts(again) == [0, 0], "\(again.json)")
            #expect(await tasks() == before)
        }
        #expect(first.json["created"] == 1)
    }

    @Test func `an import is taken back whole after it was repeated on another day`() async throws {
        let first = await bring(Self.todoist("every day"), "todoist").json["importId"]?.stringValue ?? ""
        board.clock.advance(seconds: 86_400)
        _ = await bring(Self.todoist("every day"), "todoist")
        #expect(await board.send(.delete, "/imports/\(first)").json == ["removed": 1, "kept": 0])
    }

    @Test func `another rule, or another time of the same rule, is a later version`() async throws {
        _ = await bring(Self.todoist("every day at 9am"), "todoist")
        board.clock.advance(seconds: 86_400)
        #expect(await counts(bring(Self.todoist("every day at 10am"), "todoist")) == [0, 1])
        #expect(await tasks().first?["dueDate"] == "2026-11-21T10:00:00.000Z")
        #expect(await counts(bring(Self.todoist("every week"), "todoist")) == [0, 1])
        #expect(await tasks().first?["recurrence"]?["rule"] == "FREQ=WEEKLY")
    }

    @Test func `a later version of a task leaves the date that its rule had before`() async throws {
        func file(_ body: String) -> String { "TYPE,CONTENT,DESCRIPTION,DATE\ntask,Water,\(body),every month\n" }
        _ = await bring(file("one"), "todoist")
        let before = try #require(await tasks().first)
        board.clock.advance(seconds: 86_400)

        #expect(await counts(bring(file("two"), "todoist")) == [0, 1])

        let after = try #require(await tasks().first)
        #expect(after["body"] == "two")
        for member in ["dueDate", "recurrence", "seriesId", "occurrence", "seriesStart"] {
            #expect(after[member] == before[member], "\(member)")
        }
    }

    @Test(arguments: [
        "title,status,due\nA,To Do,2026-12-24T15:00\n", "title,status,due\nA,To Do,\"Dec 24, 2026 3:00 pm\"\n",
        "title,created at,due\nA,2026-11-01 10:00,2026-12-24T15:00\n",
        #"[{"name": "p/documents/t/a", "fields": {"title": {"stringValue": "A"}, "due": {"stringValue": "2026-12-24 15:00"}}}]"#,
        #"{"lists": [{"id": "l", "name": "To Do"}], "cards": [{"id": "a", "name": "A", "idList": "l", "due": "2026-12-24 15:00"}]}"#,
        "TYPE,CONTENT,DATE\ntask,A,every day at 15:00\n", "TYPE,CONTENT,DATE\ntask,A,2026-12-24 15:00\n",
    ])
    func `times without a zone bring nothing back in another one`(file: String) async throws {
        let format =
            file.hasPrefix("TYPE")
            ? "todoist" : file.hasPrefix("{") ? "trello" : file.hasPrefix("[") ? "firestore" : "csv"
        #expect(await bring(file, format).json["created"] != 0)
        let task = try #require(await tasks().first)
        await board.send(.post, "/tasks/\(task.id)/move", #"{"status": "done"}"#)
        let before = await tasks()
        for zone in ["Asia/Seoul", "America/New_York"] {
            await board.send(.patch, "/settings", #"{"timeZone": "\#(zone)"}"#)
            board.clock.advance(seconds: 60)
            #expect(await counts(bring(file, format)) == [0, 0], "\(zone)")
            #expect(await tasks() == before)
        }
        // Another time is another version.
        guard format == "csv", file.contains("T15:00") else { return }
        #expect(await bring(file.replacing("T15:00", with: "T16:00"), format).json["updated"] == 1)
        #expect(await tasks().first?["dueDate"] == "2026-12-24T21:00:00.000Z")
    }

    @Test func `times of completion without a zone stay in another one`() async throws {
        let file = "title,completed at\nA,2026-11-01 10:00\n"
        _ = await bring(file, "csv")
        let before = await tasks()
        await board.send(.patch, "/settings", #"{"timeZone": "Asia/Seoul"}"#)
        #expect(await counts(bring(file, "csv")) == [0, 0])
        #expect(await tasks() == before)
    }

    @Test func `days of instants bring nothing back in another zone, unless the user names it`() async throws {
        let file = "title,status,due\nA,todo,2026-12-23T15:00:00Z\n"
        _ = await bring(file, "csv", "&rules=dates%3Dday")
        let task = try #require(await tasks().first)
        #expect(task["dueDate"] == "2026-12-23")
        await board.send(.patch, "/settings", #"{"timeZone": "Asia/Seoul"}"#)
        #expect(await counts(bring(file, "csv", "&rules=dates%3Dday")) == [0, 0])
        #expect(await counts(bring(file, "csv", "&rules=dates%3Dday,timeZone%3DAsia/Seoul")) == [0, 1])
        #expect(await tasks().first?["dueDate"] == "2026-12-24")
    }

    @Test func `the day of a month of Vikunja brings nothing back in another zone`() async throws {
        let file = """
            [{"title": "P", "tasks": [{"id": 1, "title": "A", "due_date": "2027-01-30T20:00:00Z", "repeat_mode": 1}]}]
            """
        _ = await bring(file, "vikunja")
        let before = try #require(await tasks().first)
        await board.send(.patch, "/tasks/\(before.id)", #"{"body": "two"}"#)
        await board.send(.patch, "/settings", #"{"timeZone": "Asia/Seoul"}"#)
        #expect(await counts(bring(file, "vikunja")) == [0, 0])
        #expect(await tasks().first?["body"] == "two")
    }

    @Test func `the title of a document without one stays when the language is another one`() async throws {
        let file = #"[{"name": "p/documents/t/a", "fields": {"done": {"booleanValue": false}}}]"#
        _ = await bring(file, "firestore")
        let task = try #require(await tasks().first)
        await board.send(.patch, "/tasks/\(task.id)", #"{"title": "Named here", "status": "done"}"#)
        await board.send(.patch, "/settings", #"{"locale": "ko"}"#)
        #expect(await counts(bring(file, "firestore")) == [0, 0])
        #expect(await tasks().first?["title"] == "Named here")
    }
}
