import HTTP
import JSON
import Testing

@testable import KanbanAPI

struct TaskListTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test(arguments: [
        ("", ["past", "today", "soon", "later", "never"]),
        ("?sort=-dueDate", ["later", "soon", "today", "past", "never"]),
        ("?sort=title", ["later", "never", "past", "soon", "today"]),
        ("?sort=-createdAt", ["never", "later", "soon", "today", "past"]),
        ("?due=overdue", ["past"]), ("?due=today", ["today"]), ("?due=upcoming", ["soon", "later"]),
        ("?due=none", ["never"]), ("?dueBefore=2026-11-20", ["past"]), ("?dueAfter=2026-11-21", ["soon", "later"]),
        ("?dueAfter=2026-11-20T23:00:00Z&dueBefore=2026-12-01", ["soon"]),
        ("?q=S", ["past", "soon"]), ("?status=doing,done", []), ("?categoryId=none&q=LATER", ["later"]),
        ("?limit=2", ["past", "today"]),
    ])
    func `tasks are filtered and sorted`(query: String, titles: [String]) async throws {
        for (title, due) in [
            ("past", "\"2026-11-19\""), ("today", "\"2026-11-20\""), ("soon", "\"2026-11-21T10:00:00Z\""),
            ("later", "\"2027-01-01\""), ("never", "null"),
        ] {
            _ = try await board.task("{\"title\": \"\(title)\", \"dueDate\": \(due)}")
            board.clock.advance(seconds: 1)
        }

        #expect(await board.titles("/tasks\(query)") == titles)
    }

    @Test(arguments: [
        ("?limit=0", "invalid_parameter"), ("?limit=201", "invalid_parameter"), ("?limit=x", "invalid_parameter"),
        ("?sort=colour", "invalid_parameter"), ("?staus=todo", "unknown_parameter"),
        ("?status=open", "invalid_parameter"),
        ("?due=soon", "invalid_parameter"), ("?dueAfter=2026-13-01", "invalid_parameter"),
        ("?cursor=abc", "invalid_cursor"), ("?categoryId=7", "invalid_parameter"), ("?deleted=1", "invalid_parameter"),
        ("?limit=1&limit=2", "invalid_parameter"), ("?timeZone=Mars/Base", "unknown_time_zone"),
    ])
    func `a wrong parameter is told`(query: String, code: String) async throws {
        let answer = await board.send(.get, "/tasks\(query)")

        #expect(answer.status == 400 && answer.code == code)
    }

    @Test(arguments: ["", "&sort=-dueDate", "&sort=title", "&sort=-position", "&sort=-updatedAt", "&q=t"])
    func `a walk over the pages sees each task once while others come and go`(query: String) async throws {
        var ids: Set<String> = []
        for index in 0..<50 {
            let due = index % 3 == 0 ? "null" : "\"2026-12-0\(1 + index % 5)\""
            ids.insert(try await board.task("{\"title\": \"t\(index % 7)\", \"dueDate\": \(due)}").id)
        }

        var seen: [String] = []
        var next: String? = "/tasks?limit=7\(query)"
        while let target = next {
            let page = await board.send(.get, target)
            seen += page.json["items"]?.arrayValue?.map(\.id) ?? []
            next = page["Link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
            let passing = try await board.task("{\"title\": \"t9\"}")
            _ = await board.send(.delete, "/tasks/\(passing.id)")
        }

        #expect(seen.filter(ids.contains).count == 50 && Set(seen).isSuperset(of: ids))
    }

    @Test func `a cursor of another query is refused`() async throws {
        for _ in 0..<3 { _ = try await board.task() }
        let cursor = await board.send(.get, "/tasks?limit=1").json["nextCursor"]?.stringValue ?? ""

        #expect(await board.send(.get, "/tasks?limit=2&cursor=\(cursor)").status == 200)
        #expect(await board.send(.get, "/tasks?sort=title&cursor=\(cursor)").code == "invalid_cursor")
    }

    @Test func `the board shows three columns that lists go on with`() async throws {
        for title in ["a", "b", "c"] { _ = try await board.task("{\"title\": \"\(title)\"}") }
        _ = try await board.task("{\"title\": \"d\", \"status\": \"done\"}")

        let answer = await board.send(.get, "/board?limit=2", headers: [("Accept-Language", "ko")])
        let columns = answer.json["columns"]?.arrayValue ?? []

        #expect(columns.compactMap { $0["status"]?.stringValue } == ["todo", "doing", "done"])
        #expect(columns.compactMap { $0["title"]?.stringValue } == ["할 일", "진행 중", "완료"])
        #expect(columns.compactMap { $0["count"]?.intValue } == [3, 0, 1])
        let cursor = columns.first?["nextCursor"]?.stringValue ?? ""
        #expect(await board.titles("/tasks?status=todo&sort=position&cursor=\(cursor)") == ["c"])
    }

    @Test func `an unchanged list is 304 and a changed one is not`() async throws {
        _ = try await board.task()
        for target in ["/tasks", "/board", "/categories", "/settings"] {
            let tag = await board.send(.get, target)["ETag"] ?? ""
            #expect(await board.send(.get, target, headers: [("If-None-Match", tag)]).status == 304)
        }
        let tag = await board.send(.get, "/tasks")["ETag"] ?? ""
        _ = try await board.task()

        #expect(await board.send(.get, "/tasks", headers: [("If-None-Match", tag)]).status == 200)
    }

    @Test func `the history tells each change, newest first`() async throws {
        let task = try await board.task("{\"title\": \"a\"}")
        let first = await board.send(.get, "/tasks/\(task.id)/history").json["items"]
        _ = await board.send(.patch, "/tasks/\(task.id)", "{\"title\": \"b\"}")
        _ = await board.send(.patch, "/tasks/\(task.id)", "{\"status\": \"done\", \"title\": \"c\"}")
        _ = await board.send(.delete, "/tasks/\(task.id)")
        _ = await board.send(.post, "/tasks/\(task.id)/restore")

        let entries = await board.send(.get, "/tasks/\(task.id)/history").json["items"]?.arrayValue ?? []
        let page = await board.send(.get, "/tasks/\(task.id)/history?limit=2")
        let cursor = page.json["nextCursor"]?.stringValue ?? ""
        let rest = await board.send(.get, "/tasks/\(task.id)/history?cursor=\(cursor)")

        #expect(
            entries.compactMap { $0["action"]?.stringValue } == ["restored", "deleted", "moved", "updated", "created"])
        #expect(entries.suffix(1) == first?.arrayValue?[...])
        let update = entries[3]["changes"]?.arrayValue ?? []
        #expect(update == [["member": "title", "from": "a", "to": "b"]])
        #expect(
            entries[2]["changes"]?.arrayValue?.contains(["member": "status", "from": "todo", "to": "done"]) == true)
        #expect(page.json["items"]?.arrayValue?.count == 2 && rest.json["items"]?.arrayValue?.count == 3)
    }
}
