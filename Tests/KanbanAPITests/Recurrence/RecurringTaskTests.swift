import HTTP
import JSON
import TestSupport
import Testing

@testable import KanbanAPI

/// Tasks that come back, over the API. The board's day is 2026-11-20.
struct RecurringTaskTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    private func rent(_ more: String = "") async throws -> JSON {
        try await board.task(
            #"{"title": "Rent", "dueDate": "2027-01-31", "recurrence": {"rule": "FREQ=MONTHLY;SKIP=BACKWARD"}\#(more)}"#
        )
    }

    @Test func `a recurrence is shown with its series`() async throws {
        let task = try await rent()

        #expect(
            task["recurrence"] == ["rule": "FREQ=MONTHLY;SKIP=BACKWARD", "from": "due", "timeZone": .null])
        #expect(task["seriesId"]?.stringValue == task.id && task["occurrence"] == 1)
        #expect(task["seriesStart"] == "2027-01-31" && task["successor"] == nil)
        let plain = try await board.task()
        for name in ["recurrence", "seriesId", "occurrence"] { #expect(plain[name] == .null) }
        #expect(plain["seriesStart"] == nil)
    }

    @Test(arguments: [
        (#"{"recurrence": {"rule": "FREQ=DAILY"}}"#, "#/recurrence recurrence_without_due"),
        (#"{"dueDate": "2027-01-01", "recurrence": {"rule": "FREQ=HOURLY"}}"#, "#/recurrence/rule invalid_recurrence"),
        (#"{"dueDate": "2027-01-01", "recurrence": {"rule": 1}}"#, "#/recurrence/rule invalid_type"),
        (#"{"dueDate": "2027-01-01", "recurrence": {"rule": null}}"#, "#/recurrence/rule invalid_type"),
        (#"{"dueDate": "2027-01-01", "recurrence": {}}"#, "#/recurrence/rule required"),
        (#"{"dueDate": "2027-01-01", "recurrence": []}"#, "#/recurrence invalid_type"),
        (
            #"{"dueDate": "2027-01-01", "recurrence": {"rule": "FREQ=DAILY", "from": "now"}}"#,
            "#/recurrence/from invalid_value"
        ),
        (
            #"{"dueDate": "2027-01-01", "recurrence": {"rule": "FREQ=DAILY", "timeZone": "KST"}}"#,
            "#/recurrence/timeZone invalid_value"
        ),
        (
            #"{"dueDate": "2027-01-01", "recurrence": {"rule": "FREQ=DAILY", "count": 1}}"#,
            "#/recurrence/count unknown_member"
        ),
    ])
    func `a fault is reported with its pointer`(body: String, fault: String) async throws {
        for (method, target) in [(HTTP.Method.post, "/tasks"), (.put, "/tasks/\(String.newID)")] {
            let answer = await board.send(method, target, body)

            #expect(answer.status == 422 && answer.faults == [fault])
        }
    }

    @Test func `the wrong part is named`() async throws {
        let answer = await board.send(
            .post, "/tasks", #"{"dueDate": "2027-01-01", "recurrence": {"rule": "FREQ=WEEKLY;BYDAY=XX"}}"#)

        #expect(answer.code == "invalid_recurrence")
        #expect(answer.json["detail"]?.stringValue?.contains("BYDAY") == true)
    }

    @Test(arguments: ["move", "patch", "put", "sync"])
    func `each way to complete a task makes its successor`(way: String) async throws {
        let task = try await rent()
        let target = "/tasks/\(task.id)"
        let answer: JSON
        switch way {
        case "move": answer = await board.send(.post, "\(target)/move", #"{"status": "done"}"#).json
        case "patch": answer = await board.send(.patch, target, #"{"status": "done"}"#).json
        case "put":
            answer = await board.send(
                .put, target, #"{"title": "Rent", "status": "done", "dueDate": "2027-01-31"}"#
            ).json
        default:
            let result = try await board.sync([.mutation("move", task.id, ["status": "done"])])[0]
            answer =
                result["value"].map { value in
                    var task = value
                    task["successor"] = result["successor"] ?? .null
                    return task
                } ?? .null
        }

        #expect(answer["status"] == "done" && answer["recurrence"] == .null)
        let next = try #require(answer["successor"])
        #expect(next["dueDate"] == "2027-02-28" && next["status"] == "todo" && next["occurrence"] == 2)
        #expect(next["recurrence"] == task["recurrence"] && next["seriesId"]?.stringValue == task.id)
        // As it is from now on.
        #expect(await board.send(.get, "/tasks/\(next.id)", isCached: false).json == next)
        #expect(await board.send(.get, target).json["successor"] == nil)
        let again = await board.send(.post, "\(target)/move", #"{"status": "done"}"#).json
        #expect(again["successor"]?.id == next.id)

        let reopened = await board.send(.post, "\(target)/move", #"{"status": "todo"}"#).json
        #expect(reopened["recurrence"] == task["recurrence"] && reopened["successor"] == .null)
        #expect(await board.send(.get, "/tasks/\(next.id)", isCached: false).status == 404)
        #expect(try board.check() == [])
    }

    @Test func `a task that is put as done is answered with its successor`() async throws {
        let body =
            #"{"title": "Rent", "status": "done", "dueDate": "2027-01-31", "recurrence": {"rule": "FREQ=DAILY"}}"#
        let answer = await board.send(.put, "/tasks/\(String.newID)", body)

        #expect(answer.status == 201 && answer.header("Location") == "/tasks/\(answer.json.id)")
        let next = try #require(answer.json["successor"])
        #expect(next["dueDate"] == "2027-02-01" && next["seriesId"]?.stringValue == answer.json.id)
        #expect(await board.send(.get, "/tasks/\(next.id)", isCached: false).json == next)
        let last = body.replacing("DAILY", with: "DAILY;COUNT=1")
        #expect(await board.send(.put, "/tasks/\(String.newID)", last).json["successor"] == .null)
        let plain = #"{"title": "Rent", "status": "done", "dueDate": "2027-01-31"}"#
        #expect(await board.send(.put, "/tasks/\(String.newID)", plain).json["successor"] == nil)
    }

    @Test func `a done task with a rule has a successor after an import, which repeats nothing`() async throws {
        let id = String.newID
        let file = """
            {"tasks": [{"id": "\(id)", "title": "Rent", "status": "done", "dueDate": "2026-11-19", "completedAt":
            "2026-11-19T09:00:00Z", "updatedAt": "2026-11-19T09:00:00Z", "recurrence": {"rule": "FREQ=DAILY"}}]}
            """
        let report = await board.send(.post, "/import", file).json

        let items = await board.send(.get, "/tasks?sort=dueDate").json["items"]?.arrayValue ?? []
        #expect(items.map { $0["dueDate"] } == ["2026-11-19", "2026-11-20"])
        #expect(items.map { $0["recurrence"]?["rule"] } == [nil, "FREQ=DAILY"])
        #expect(items.last?["seriesId"]?.stringValue == id && report["created"] == 1)
        // By its own date, and by one that is newer than every change here.
        let newer = file.replacing("\"updatedAt\": \"2026-11-19", with: "\"updatedAt\": \"2026-11-20")
        for repeated in [file, newer] {
            #expect(await board.send(.post, "/import", repeated).status == 200)
            let again = await board.send(.get, "/tasks?sort=dueDate").json["items"]?.arrayValue ?? []
            #expect(again.map { $0["recurrence"] } == items.map { $0["recurrence"] } && again.last == items.last)
        }
        #expect(try board.check() == [])
        let importID = report["importId"]?.stringValue ?? ""
        #expect(await board.send(.delete, "/imports/\(importID)").json["removed"] == 2)
    }

    @Test func `a skip moves the due date, as a mutation does`() async throws {
        let task = try await rent()

        let skipped = await board.send(.post, "/tasks/\(task.id)/skip", #"{"occurrence": 1}"#)
        #expect(skipped.status == 200 && skipped.json["dueDate"] == "2027-02-28" && skipped.json["occurrence"] == 2)
        let results = try await board.sync([
            .mutation("skip", task.id, ["occurrence": 1]), .mutation("skip", task.id, nil),
            .mutation("skip", .unknownID, nil),
        ])
        #expect(results.map(\.status) == ["unchanged", "applied", "rejected"])
        #expect(results[1]["value"]?["dueDate"] == "2027-03-31")
        let plain = try await board.task()
        let answers = [
            await board.send(.post, "/tasks/\(plain.id)/skip"),
            await board.send(.post, "/tasks/\(task.id)/skip", #"{"occurrence": 0}"#),
            await board.send(.post, "/tasks/\(task.id)/skip", "[]"),
        ]
        #expect(answers.map(\.status) == [422, 422, 422])
        #expect(answers[0].code == "invalid_recurrence")
        #expect(await board.send(.post, "/tasks/\(String.unknownID)/skip").status == 404)
        let stale = await board.send(.post, "/tasks/\(task.id)/skip", headers: [("If-Match", "\"1\"")])
        #expect(stale.status == 412)
    }

    @Test func `a patch names some parts, an older client leaves the rule as it is`() async throws {
        let task = try await rent()
        let target = "/tasks/\(task.id)"

        let patched = await board.send(.patch, target, #"{"recurrence": {"from": "completion"}}"#).json
        #expect(patched["recurrence"]?["from"] == "completion")
        #expect(patched["recurrence"]?["rule"] == task["recurrence"]?["rule"])
        let replaced = await board.send(.put, target, #"{"title": "Rent", "dueDate": "2027-01-31"}"#).json
        #expect(replaced["recurrence"] == patched["recurrence"])
        #expect(await board.send(.put, target, #"{"title": "Rent"}"#).code == "recurrence_without_due")
        let cleared = await board.send(.put, target, #"{"title": "Rent", "recurrence": null}"#).json
        #expect(cleared["recurrence"] == .null && cleared["dueDate"] == .null)
    }

    @Test func `a series goes on after an export`() async throws {
        let task = try await rent()
        await board.send(.post, "/tasks/\(task.id)/move", #"{"status": "done"}"#)
        let document = await board.send(.get, "/export").body
        let copy = try TestBoard()
        #expect(await copy.send(.post, "/import", String(decoding: document, as: UTF8.self)).status == 200)

        let next = try #require(
            await copy.send(.get, "/tasks?status=todo").json["items"]?.arrayValue?.first)
        let done = await copy.send(.post, "/tasks/\(next.id)/move", #"{"status": "done"}"#).json

        #expect(done["successor"]?["dueDate"] == "2027-03-31" && done["successor"]?["occurrence"] == 3)
        let without = #"{"tasks": [{"id": "\#(String.newID)", "title": "x", "recurrence": {"rule": "FREQ=DAILY"}}]}"#
        #expect(await copy.send(.post, "/import", without).code == "recurrence_without_due")
    }

    @Test func `upcoming and today show the open occurrence only`() async throws {
        let task = try await board.task(
            #"{"title": "Daily", "dueDate": "2026-11-20", "recurrence": {"rule": "FREQ=DAILY"}}"#)
        await board.send(.post, "/tasks/\(task.id)/move", #"{"status": "done"}"#)

        let upcoming = await board.send(.get, "/upcoming").json["items"]?.arrayValue ?? []
        #expect(upcoming.map { $0["dueDate"] } == ["2026-11-21"])
    }
}
