import HTTP
import JSON
import Kanban
import TestSupport
import Testing

/// `GET /history`: what happened to all tasks.
struct HistoryRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    /// `action title` of each entry.
    private func entries(_ query: String = "") async -> [String] {
        await board.send(.get, "/history\(query)").json["items"]?.arrayValue?.map { entry in
            "\(entry["action"]?.stringValue ?? "") \(entry["title"]?.stringValue ?? "null")"
        } ?? []
    }

    /// Two tasks with everything that can happen to them, a minute apart, and edits of other things between.
    private func makeHistory() async throws -> (first: JSON, second: JSON) {
        let first = try await board.task(#"{"title": "one"}"#)
        board.clock.advance(seconds: 60)
        let second = try await board.task(#"{"title": "two", "categoryName": "Work"}"#)
        board.clock.advance(seconds: 60)
        await board.send(.patch, "/tasks/\(first.id)", #"{"title": "uno"}"#)
        await board.send(.patch, "/settings", #"{"locale": "ko"}"#)
        let category = try #require(await board.send(.get, "/categories").json["items"]?.arrayValue?.first)
        await board.send(.patch, "/categories/\(category.id)", #"{"name": "Home"}"#)
        board.clock.advance(seconds: 60)
        await board.send(.post, "/tasks/\(second.id)/move", #"{"status": "doing"}"#)
        await board.send(.delete, "/tasks/\(first.id)")
        await board.send(.post, "/tasks/\(first.id)/restore")
        return (first, second)
    }

    @Test func `it tells of all tasks, newest first, with the titles of now`() async throws {
        let (first, second) = try await makeHistory()

        let answer = await board.send(.get, "/history")

        #expect(
            await entries() == [
                "restored uno", "deleted uno", "moved two", "updated uno", "created two", "created uno",
            ])
        let items = try #require(answer.json["items"]?.arrayValue)
        #expect(items.map { $0["taskId"]?.stringValue } == [first, first, second, first, second, first].map(\.id))
        #expect(answer.json["nextCursor"]?.isNull == true)
        // As in the history of each task.
        for task in [first, second] {
            let own = await board.send(.get, "/tasks/\(task.id)/history").json["items"]?.arrayValue ?? []
            let here = items.filter { $0["taskId"]?.stringValue == task.id }.map { item in
                var item = item
                (item["taskId"], item["title"]) = (nil, nil)
                return item
            }
            #expect(here == own)
        }
    }

    @Test func `it is filtered by action and by time`() async throws {
        _ = try await makeHistory()

        #expect(await entries("?action=created") == ["created two", "created uno"])
        #expect(await entries("?action=deleted,restored") == ["restored uno", "deleted uno"])
        #expect(
            await entries("?since=2026-11-20T08:21:00.123Z")
                == ["restored uno", "deleted uno", "moved two", "updated uno"])
        #expect(
            await entries("?since=2026-11-20T08:20:00.123Z&action=created,updated") == ["updated uno", "created two"])
        #expect(await entries("?since=2027-01-01T00:00:00Z") == [])
    }

    @Test(arguments: ["", "&action=created,moved", "&since=2026-11-20T08:20:00.123Z"])
    func `a walk by pages sees what a whole page shows, though more is written`(filter: String) async throws {
        _ = try await makeHistory()
        let whole = await entries("?limit=200\(filter)")
        var walked: [String] = []
        var query = "?limit=1\(filter)"
        while true {
            let page = await board.send(.get, "/history\(query)")
            walked += await entries(query)
            guard let cursor = page.json["nextCursor"]?.stringValue else { break }
            #expect(page.header("Link") == "</history?limit=1\(filter)&cursor=\(cursor)>; rel=\"next\"")
            query = "?limit=1\(filter)&cursor=\(cursor)"
            try await board.task(#"{"title": "later"}"#)
        }

        #expect(walked == whole)
        #expect(whole.count > 2)
    }

    @Test func `what a device made before stands where it was made, and a walk shows each line once`() async throws {
        for title in ["a", "b"] { try await board.task("{\"title\": \"\(title)\"}") }
        try await board.sync([.mutation("create", .newID, ["title": "early", "createdAt": "2026-11-01T00:00:00Z"])])
        try await board.task(#"{"title": "c"}"#)
        var walked: [String] = []
        var query: String? = "?limit=2"
        while let page = query {
            walked += await entries(page)
            let cursor = await board.send(.get, "/history\(page)").json["nextCursor"]?.stringValue
            query = cursor.map { "?limit=2&cursor=\($0)" }
        }

        #expect(walked == ["created c", "created b", "created a", "created early"])
    }

    @Test func `a deletion is listed, with the title while the task is in the trash`() async throws {
        let task = try await board.task(#"{"title": "gone"}"#)
        await board.send(.delete, "/tasks/\(task.id)")

        #expect(await entries() == ["deleted gone", "created gone"])
        board.clock.advance(seconds: 31 * 86_400)
        try await board.maintain()
        #expect(await entries() == ["deleted null", "created null"])
        #expect(await board.send(.get, "/tasks/\(task.id)/history").status == 404)
    }

    @Test func `it has a tag that changes with what happens`() async throws {
        let task = try await board.task()
        let tag = await board.send(.get, "/history").header("ETag") ?? ""

        #expect(await board.send(.get, "/history", headers: [("If-None-Match", tag)]).status == 304)
        await board.send(.delete, "/tasks/\(task.id)")
        #expect(await board.send(.get, "/history", headers: [("If-None-Match", tag)]).status == 200)
    }

    @Test(arguments: [
        ("action=made", "invalid_parameter"), ("since=yesterday", "invalid_parameter"),
        ("limit=0", "invalid_parameter"),
        ("cursor=x", "invalid_cursor"), ("status=todo", "unknown_parameter"), ("action=", "invalid_parameter"),
    ])
    func `an invalid query is refused`(query: String, code: String) async {
        let answer = await board.send(.get, "/history?\(query)")

        #expect(answer.status == 400)
        #expect(answer.code == code)
    }

    @Test func `a cursor belongs to its filters`() async throws {
        _ = try await makeHistory()
        let cursor = try #require(await board.send(.get, "/history?limit=1").json["nextCursor"]?.stringValue)

        #expect(await board.send(.get, "/history?limit=1&action=created&cursor=\(cursor)").code == "invalid_cursor")
    }
}
