import HTTP
import JSON
import Kanban
import KanbanAPI
import TestSupport
import Testing

/// `GET /changes` as JSON.
struct ChangesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test func `an empty board has no changes and a cursor`() async throws {
        let answer = await board.send(.get, "/changes")

        #expect(answer.status == 200)
        #expect(answer.json["changes"] == [])
        #expect(answer.json["hasMore"] == false)
        #expect(answer.json["cursor"]?.stringValue?.hasSuffix("-0") == true)
    }

    @Test func `a change shows the resource as its own GET does`() async throws {
        let task = try await board.task(#"{"title": "한", "dueDate": "2026-12-01"}"#)
        await board.send(.post, "/categories", #"{"name": "Home"}"#)
        await board.send(.post, "/ddays", #"{"title": "Exam", "date": "2026-12-24"}"#)
        await board.send(.patch, "/settings", #"{"locale": "ko"}"#)

        let changes = try await board.pull().changes

        #expect(changes.map { $0["type"]?.stringValue } == ["task", "category", "dday", "settings"])
        #expect(changes.map(\.revision) == [1, 2, 3, 4])
        #expect(changes[0]["value"] == (await board.send(.get, "/tasks/\(task.id)")).json)
        #expect(changes[1]["value"]?["taskCount"] == nil)
        #expect(changes[3].id == "settings")
        #expect(changes[3]["value"] == (await board.send(.get, "/settings")).json)
    }

    @Test func `each resource comes once, in its latest state, in the order of revisions`() async throws {
        let first = try await board.task(#"{"title": "one"}"#)
        let second = try await board.task(#"{"title": "two"}"#)
        await board.send(.patch, "/tasks/\(first.id)", #"{"title": "one again"}"#)

        let changes = try await board.pull().changes

        #expect(changes.map(\.id) == [second.id, first.id])
        #expect(changes[1]["value"]?["title"] == "one again")
    }

    @Test func `a deletion is a tombstone for those who knew the thing, and nothing for those who did not`()
        async throws
    {
        let task = try await board.task()
        let cursor = try await board.pull().cursor
        await board.send(.delete, "/tasks/\(task.id)")

        let known = try await board.pull(since: cursor).changes
        let fresh = try await board.pull().changes

        #expect(known.count == 1)
        #expect(known[0]["deleted"] == true)
        #expect(known[0]["value"]?.isNull == true)
        #expect(fresh.isEmpty)
    }

    @Test func `a page ends early when its changes reach 512 KiB, and the walk goes on from there`() async throws {
        let body = JSON.string(String(repeating: "한", count: 1_000))
        for _ in 0..<2 {
            _ = try await board.sync((0..<200).map { .mutation("create", .newID, ["title": "\($0)", "body": body]) })
        }

        let page = await board.send(.get, "/changes?limit=1000")
        let all = try await board.pull(limit: 1_000).changes
        let pushed = await board.send(.post, "/sync", #"{"since": null}"#)

        #expect(page.json["hasMore"] == true)
        #expect((512 << 10..<520 << 10).contains(page.body.count))
        #expect(all.map(\.revision) == Array(1...400))
        #expect(pushed.json["changes"] == page.json["changes"] && pushed.json["cursor"] == page.json["cursor"])
    }

    @Test func `types leave the others out`() async throws {
        try await board.task()
        await board.send(.post, "/categories", #"{"name": "Home"}"#)

        let answer = await board.send(.get, "/changes?types=category,settings")

        #expect(answer.json["changes"]?.arrayValue?.map { $0["type"] } == ["category"])
        #expect(await board.send(.get, "/changes?types=tasks").code == "invalid_parameter")
        #expect(await board.send(.get, "/changes?limit=1001").code == "invalid_parameter")
        #expect(await board.send(.get, "/changes?sinse=1").code == "unknown_parameter")
    }

    @Test(arguments: ["", "x", "1", "-1", "a-", "a--1", "a-1x", "a_b-1", "a-1-2-3", "1-+1"])
    func `an invalid cursor is 400`(text: String) async throws {
        let answer = await board.send(.get, "/changes?since=\(text.replacing("+", with: "%2B"))")

        #expect(answer.status == 400)
        #expect(answer.code == "invalid_cursor")
    }

    @Test func `a cursor of another epoch or from the future is 410`() async throws {
        let task = try await board.task()
        let cursor = try await board.pull().cursor
        let epoch = cursor.prefix { $0 != "-" }

        #expect(await board.send(.get, "/changes?since=\(epoch)-2").code == "cursor_expired")
        #expect(await board.send(.get, "/changes?since=\(epoch)-99999999999999999999999").status == 410)
        #expect(await board.send(.get, "/changes?since=abc-1").status == 410)
        #expect(await board.send(.get, "/changes?since=\(epoch)-1").status == 200)
        #expect(task.revision == 1)
    }

    @Test func `a cursor that is older than the purged tombstones is 410, one at their edge is not`() async throws {
        let keeper = try await board.task(#"{"title": "keeper"}"#)
        let before = try await board.pull().cursor
        let task = try await board.task()
        await board.send(.delete, "/tasks/\(task.id)")
        let after = try await board.pull(since: before).cursor

        board.clock.advance(seconds: 91 * 86_400)
        try await board.maintain()

        #expect(await board.send(.get, "/changes?since=\(before)").code == "cursor_expired")
        #expect(await board.send(.get, "/changes?since=\(after)").status == 200)
        #expect(try await board.pull().changes.map(\.id) == [keeper.id])
    }

    @Test func `a first walk over things older than the purged tombstones comes to its end`() async throws {
        var ids: [String] = []
        for _ in 0..<5 { ids.append(try await board.task().id) }
        let gone = try await board.task()
        await board.send(.delete, "/tasks/\(gone.id)")
        board.clock.advance(seconds: 91 * 86_400)
        try await board.maintain()

        let (changes, cursor) = try await board.pull(limit: 2)

        #expect(changes.filter { $0["deleted"] == false }.map(\.id) == ids)
        #expect(await board.send(.get, "/changes?since=\(cursor)").status == 200)
    }

    @Test func `a walk misses nothing and shows the latest while others write`() async throws {
        var random = SeededRandom(7)
        var ids: [String] = []
        for _ in 0..<40 { ids.append(try await board.task().id) }
        var copy: [String: JSON] = [:]
        var cursor: String?

        repeat {
            let answer = await board.send(.get, "/changes?limit=3" + (cursor.map { "&since=\($0)" } ?? ""))
            for change in answer.json["changes"]?.arrayValue ?? [] {
                copy[change.id] = change["deleted"] == true ? nil : change["value"]
            }
            cursor = answer.json["hasMore"] == true ? answer.json["cursor"]?.stringValue : nil
            if cursor != nil, let id = ids.randomElement(using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: await board.send(.patch, "/tasks/\(id)", #"{"body": "\#(copy.count)"}"#)
                case 1: await board.send(.delete, "/tasks/\(id)")
                default: if ids.count < 80 { ids.append(try await board.task().id) }
                }
            }
        } while cursor != nil

        let state = try await board.pull().changes
        #expect(copy.count == state.count)
        for change in state { #expect(copy[change.id] == change["value"]) }
    }

    @Test func `a page has a tag and is not sent twice`() async throws {
        try await board.task()
        let first = await board.send(.get, "/changes")
        let tag = try #require(first.header("ETag"))

        #expect(await board.send(.get, "/changes", headers: [("If-None-Match", tag)]).status == 304)
        try await board.task()
        #expect(await board.send(.get, "/changes", headers: [("If-None-Match", tag)]).status == 200)
    }

    // MARK: - Waiting

    @Test func `an answer that would be empty waits for the first change`() async throws {
        let cursor = try await board.pull().cursor

        async let answer = board.send(.get, "/changes?since=\(cursor)", headers: [("Prefer", "wait=60")])
        try await until("it waits") { board.waiterCount == 1 }
        let task = try await board.task()

        #expect(await answer.json["changes"]?.arrayValue?.map(\.id) == [task.id])
        #expect(await answer.header("Preference-Applied") == "wait=60")
    }

    @Test func `a change of another type does not end the waiting`() async throws {
        let cursor = try await board.pull().cursor

        async let answer = board.send(.get, "/changes?since=\(cursor)&types=dday", headers: [("Prefer", "wait=60")])
        try await until("it waits") { board.waiterCount == 1 }
        try await board.task()
        await board.send(.post, "/ddays", #"{"title": "Exam", "date": "2026-12-24"}"#)

        #expect(await answer.json["changes"]?.arrayValue?.map { $0["type"] } == ["dday"])
    }

    @Test func `what is there does not wait, and the time runs out without a change`() async throws {
        try await board.task()

        let full = await board.send(.get, "/changes", headers: [("Prefer", "respond-async, Wait=\"90\"; x=1")])
        let cursor = try #require(full.json["cursor"]?.stringValue)
        let empty = await board.send(.get, "/changes?since=\(cursor)", headers: [("Prefer", "wait=0")])

        #expect(full.header("Preference-Applied") == "wait=60")
        #expect(empty.status == 200)
        #expect(empty.json["changes"] == [])
        #expect(empty.json["cursor"]?.stringValue == cursor)
        for word in ["soon", "", "-1", "+1"] {
            #expect(
                await board.send(.get, "/changes", headers: [("Prefer", "wait=\(word)")]).header("Preference-Applied")
                    == nil)
        }
        let long = await board.send(.get, "/changes", headers: [("Prefer", "wait=99999999999999999999")])
        #expect(long.header("Preference-Applied") == "wait=60")
        let quoted = await board.send(.get, "/changes", headers: [("Prefer", "note=\"a, wait=60\"")])
        #expect(quoted.header("Preference-Applied") == nil)
    }

    @Test func `a stopping server answers those who wait`() async throws {
        async let answer = board.send(.get, "/changes", headers: [("Prefer", "wait=60")])
        try await until("it waits") { board.waiterCount == 1 }
        board.closeNotifiers()

        #expect(await answer.json["changes"] == [])
    }
}
