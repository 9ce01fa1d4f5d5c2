import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

/// Imports of what is here already: the newer version counts, and what a file does not say stays.
struct MergedImportTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    private static func document(_ title: String, _ time: String, _ more: String = "") -> String {
        """
        {"documents": [{"name": "projects/p/databases/(default)/documents/tasks/a", "updateTime": "\(time)", "fields": {
        "title": {"stringValue": "\(title)"}, "dueDate": {"stringValue": "2030-01-31"}\(more)}}]}
        """
    }

    private static func card(_ title: String, _ time: String) -> String {
        """
        {"lists": [{"id": "l", "name": "To Do"}], "cards": [{"id": "5f0000000000000000000001", "name": "\(title)",
        "idList": "l", "due": "2030-01-31T00:00:00.000Z", "dateLastActivity": "\(time)"}]}
        """
    }

    private static func row(_ title: String, _ time: String) -> String {
        "id,title,updatedAt\n019a0000-0000-7000-8000-000000000001,\(title),\(time)\n"
    }

    private static func export(_ title: String, _ time: String) -> String {
        """
        {"categories": [{"id": "019a0000-0000-7000-8000-0000000000c1", "name": "Home", "updatedAt": "\(time)"}],
        "ddays": [{"id": "019a0000-0000-7000-8000-0000000000d1", "title": "\(title)", "date": "2030-01-01",
        "updatedAt": "\(time)"}],
        "tasks": [{"id": "019a0000-0000-7000-8000-000000000001", "title": "\(title)", "updatedAt": "\(time)"}]}
        """
    }

    private func bring(_ file: String, _ format: String) async -> Answer {
        let type = format == "csv" ? "text/csv" : "application/json"
        return await board.send(.post, "/import?format=\(format)", file, headers: [("Content-Type", type)])
    }

    /// `updatedAt` of the first file, and one that is later than every edit here.
    private var times: (first: String, later: String) {
        board.clock.advance(seconds: 3_600)
        let later = board.clock.now.description
        board.clock.advance(seconds: -1_800)
        return ("2020-01-01T00:00:00.000Z", later)
    }

    @Test(arguments: [
        ("firestore", { @Sendable (title: String, time: String) in document(title, time) }),
        ("trello", card), ("csv", row), ("kanbase", export),
    ])
    func `a later version of a task leaves what the file does not say`(
        format: String, file: @Sendable (String, String) -> String
    ) async throws {
        let times = times
        #expect(await bring(file("Milk", times.first), format).json["created"] != 0)
        let task = try #require(await board.send(.get, "/tasks").json["items"]?.arrayValue?.first)
        let edit = """
            {"categoryName": "Work", "dueDate": "2030-01-31", "reminders": ["-P1D"], "recurrence": {"rule": "FREQ=MONTHLY"},
            "body": "two"}
            """
        let before = await board.send(.patch, "/tasks/\(task.id)", edit).json

        board.clock.advance(seconds: 1_800)
        let again = await bring(file("Bread", times.later), format)

        #expect(again.status == 200 && again.json["updated"] != 0)
        let after = await board.send(.get, "/tasks/\(task.id)").json
        #expect(after["title"] == "Bread")
        for member in ["categoryId", "reminders", "recurrence", "seriesId", "occurrence"] {
            #expect(after[member] == before[member] && after[member] != .null, "\(member)")
        }
        if format != "trello" {
            #expect(after["body"] == "two")
            #expect(after["dueDate"] == "2030-01-31")
        }
    }

    @Test func `categories and D-days keep what a document does not say`() async throws {
        let times = times
        #expect(await bring(Self.export("Exam", times.first), "kanbase").json["created"] == 3)
        let category = "/categories/019a0000-0000-7000-8000-0000000000c1"
        let day = "/ddays/019a0000-0000-7000-8000-0000000000d1"
        await board.send(.patch, category, ##"{"color": "#aabbcc", "emoji": "🏠"}"##)
        await board.send(.patch, day, #"{"repeats": "yearly"}"#)

        board.clock.advance(seconds: 1_800)
        #expect(await bring(Self.export("Test", times.later), "kanbase").json["updated"] == 2)

        #expect(await board.send(.get, category).json["color"] == "#aabbcc")
        let after = await board.send(.get, day).json
        #expect(after["title"] == "Test" && after["repeats"] == "yearly")
    }

    @Test func `a document that says null clears`() async throws {
        let times = times
        _ = await bring(Self.document("Milk", times.first), "firestore")
        let task = try #require(await board.send(.get, "/tasks").json["items"]?.arrayValue?.first)
        await board.send(.patch, "/tasks/\(task.id)", #"{"recurrence": {"rule": "FREQ=MONTHLY"}, "body": "two"}"#)

        board.clock.advance(seconds: 1_800)
        let none = Self.document("Milk", times.later).replacing(
            #"{"stringValue": "2030-01-31"}"#, with: #"{"nullValue": null}"#)
        #expect(await bring(none, "firestore").json["updated"] == 1)

        let after = await board.send(.get, "/tasks/\(task.id)").json
        #expect(after["dueDate"] == .null && after["recurrence"] == .null && after["body"] == "two")
    }

    @Test func `a series goes on when an import completes its task, and steps back when one reopens it`() async throws {
        let times = times
        _ = await bring(Self.document("Milk", times.first), "firestore")
        let task = try #require(await board.send(.get, "/tasks").json["items"]?.arrayValue?.first)
        await board.send(.patch, "/tasks/\(task.id)", #"{"recurrence": {"rule": "FREQ=MONTHLY;BYMONTHDAY=31"}}"#)

        board.clock.advance(seconds: 1_800)
        let done = Self.document("Milk", times.later, #", "done": {"booleanValue": true}"#)
        #expect(await bring(done, "firestore").json["updated"] == 1)
        var open = await board.send(.get, "/tasks?status=todo").json["items"]?.arrayValue ?? []
        #expect(open.map { $0["dueDate"] } == ["2030-03-31"])
        #expect(open.first?["recurrence"]?["rule"] == "FREQ=MONTHLY;BYMONTHDAY=31")
        #expect(await board.send(.get, "/tasks/\(task.id)").json["recurrence"] == .null)

        let latest = board.clock.now.adding(milliseconds: 1).description
        board.clock.advance(seconds: 1_800)
        let again = Self.document("Milk", latest, #", "done": {"booleanValue": false}"#)
        #expect(await bring(again, "firestore").json["updated"] == 1)
        open = await board.send(.get, "/tasks?status=todo").json["items"]?.arrayValue ?? []
        #expect(open.map { $0["dueDate"] } == ["2030-01-31"])
        #expect(open.first?["recurrence"]?["rule"] == "FREQ=MONTHLY;BYMONTHDAY=31")
    }

    @Test func `a column that the server respaced does not keep what nobody changed`() async throws {
        let id = await bring("title\na\nb\nc\n", "csv").json["importId"]?.stringValue ?? ""
        let made = await board.send(.get, "/tasks?sort=title").json["items"]?.arrayValue ?? []
        let own = [try await board.task(#"{"title": "x"}"#), try await board.task(#"{"title": "y"}"#)]
        // Between two neighbours, until there is no room.
        for index in 0..<400 {
            let body = #"{"before": "\#(made[1].id)"}"#
            #expect(await board.send(.post, "/tasks/\(own[index % 2].id)/move", body).status == 200)
        }
        let after = await board.send(.get, "/tasks/\(made[1].id)").json
        #expect(after["position"] != made[1]["position"] && after["revision"] != made[1]["revision"])
        await board.send(.post, "/tasks/\(made[2].id)/move", #"{"place": "first"}"#)

        #expect(await board.send(.delete, "/imports/\(id)").json == ["removed": 2, "kept": 1])
        #expect(await board.send(.get, "/tasks/\(made[2].id)").status == 200)
    }

    @Test func `pictures go with the import that made them, and come again`() async throws {
        let image = "019a0000-0000-7000-8000-0000000000e1"
        let file = """
            {"images": [{"id": "\(image)", "content": "iVBORw0KGgoBAgM="}],
            "ddays": [{"id": "019a0000-0000-7000-8000-0000000000d1", "title": "Exam", "date": "2030-01-01",
            "image": "\(image)"}]}
            """
        for _ in 1...2 {
            let made = await board.send(.post, "/import", file).json
            #expect(made["created"] == 2)
            let id = made["importId"]?.stringValue ?? ""
            #expect(await board.send(.delete, "/imports/\(id)").json == ["removed": 2, "kept": 0])
            #expect(await board.send(.get, "/images/\(image)").status == 404)
        }
        // One that something else shows by now stays.
        let id = await board.send(.post, "/import", file).json["importId"]?.stringValue ?? ""
        await board.send(.post, "/categories", #"{"name": "Home", "image": "\#(image)"}"#)
        #expect(await board.send(.delete, "/imports/\(id)").json == ["removed": 1, "kept": 1])
        #expect(await board.send(.get, "/images/\(image)").status == 200)
    }
}
