import Foundation
import HTTP
import JSON
import Kanban
import TestSupport
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
        ("?dueAfter=2026-11-21T08:00:00+09:00&dueBefore=2026-12-01&timeZone=Etc/GMT+9", ["soon"]),
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
        ("?status=doing,done", ["A", "b"]), ("?categoryId=ID", ["c"]), ("?categoryId=none", ["A", "b", "Straße"]),
        ("?categoryId=none,ID&status=todo", ["Straße", "c"]), ("?q=STRASSE", ["Straße"]),
        ("?q=%ED%95%9C%EA%B5%AD", ["Straße"]), ("?q=stra%25", []), ("?deleted=true", []),
        ("?dueAfter=2001-01-01T10:00:00Z&dueBefore=2001-01-02T00:00:00.001Z", ["A", "b"]),
        ("?sort=-title", ["Straße", "c", "b", "A"]),
    ])
    func `values in lists, ids and letters in any case are filtered by`(query: String, titles: [String]) async throws {
        let category = await board.send(.post, "/categories", #"{"name": "work"}"#).json
        for body in [
            #"{"title": "b", "dueDate": "2001-01-02", "status": "doing"}"#,
            #"{"title": "A", "dueDate": "2001-01-01T10:00:00Z", "status": "done"}"#,
            #"{"title": "c", "categoryId": "\#(category.id)"}"#,
            #"{"title": "Straße", "body": "with İ and 한국어", "dueDate": "2999-01-01"}"#,
        ] { try await board.task(body) }

        for id in [category.id, category.id.uppercased()] {
            #expect(await board.titles("/tasks" + query.replacing("ID", with: id)) == titles)
        }
    }

    @Test func `a search finds by the rules of all homes`() async throws {
        for search in SearchCase.all {
            let members: JSON = ["title": .string(search.title), "body": .string(search.body)]
            let task = try await board.task(String(decoding: members.serialized(), as: UTF8.self))
            let query = search.query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""

            let found = await board.send(.get, "/tasks?q=\(query)")

            #expect(found.status == 200 && found.items.contains { $0.id == task.id } == search.found, "\(search)")
            #expect(await board.send(.delete, "/tasks/\(task.id)").status == 204)
        }
    }

    @Test(arguments: [
        "limit=0", "limit=201", "limit=x", "limit=-1", "limit=1&limit=2", "sort=colour", "sort=--title", "status=",
        "status=waiting", "categoryId=x", "due=soon", "dueBefore=yesterday", "dueAfter=2026-13-01", "deleted=maybe",
        "cursor=nonsense", "expand=everything",
    ])
    func `a parameter that makes no sense is refused`(query: String) async {
        let answer = await board.send(.get, "/tasks?\(query)")

        #expect(answer.status == 400)
        #expect(answer.code == (query.hasPrefix("cursor") ? "invalid_cursor" : "invalid_parameter"))
    }

    @Test func `a cursor belongs to its query, and a list without tasks has none`() async throws {
        let none = await board.send(.get, "/tasks")
        #expect(none.json == ["items": [], "nextCursor": .null] && none.header("Link") == nil)
        for _ in 0..<3 { try await board.task() }
        let cursor = try #require(await board.send(.get, "/tasks?limit=2&sort=title").string("nextCursor"))

        #expect(await board.send(.get, "/tasks?limit=2&sort=title&cursor=\(cursor)").items.count == 1)
        for other in ["sort=-title", "sort=title&status=todo"] {
            #expect(await board.send(.get, "/tasks?limit=2&\(other)&cursor=\(cursor)").code == "invalid_cursor")
        }
    }

    @Test func `the board shows three columns that go on by their cursors`() async throws {
        for number in 0..<5 { try await board.task(#"{"title": "t\#(number)"}"#) }
        try await board.task(#"{"title": "d", "status": "doing"}"#)

        let columns =
            await board.send(.get, "/board?limit=2", headers: [("Accept-Language", "ko")]).json["columns"]?
            .arrayValue ?? []

        #expect(columns.map { $0["status"] } == ["todo", "doing", "done"])
        #expect(columns.map { $0["count"] } == [5, 1, 0])
        #expect(columns.map { $0["title"] } == ["할 일", "진행 중", "완료"])
        #expect(columns.first?["tasks"]?.arrayValue?.map(\.title) == ["t0", "t1"])
        #expect(columns.last?["nextCursor"] == .null)
        let cursor = try #require(columns.first?["nextCursor"]?.stringValue)
        #expect(await board.titles("/tasks?status=todo&sort=position&cursor=\(cursor)") == ["t2", "t3", "t4"])
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
            next = page.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
            let passing = try await board.task("{\"title\": \"t9\"}")
            _ = await board.send(.delete, "/tasks/\(passing.id)")
        }

        #expect(seen.filter(ids.contains).count == 50 && Set(seen).isSuperset(of: ids))
    }

    /// By any of the sorts, as a list and as columns of the board.
    @Test(arguments: ["title", "-title", "dueDate", "-position", "createdAt", "-updatedAt"])
    func `titles that differ in composition alone are all in the pages`(sort: String) async throws {
        for _ in 0..<15 {
            for title in ["회의", "회의".decomposedStringWithCanonicalMapping] {
                try await board.task("{\"title\": \"\(title)\"}")
            }
        }

        for limit in 1...31 {
            for first in ["/tasks?sort=\(sort)&limit=\(limit)", "/board?sort=\(sort)&limit=\(limit)"] {
                var seen: [String] = []
                var target = first
                while true {
                    let page = await board.send(.get, target).json
                    let list = page["columns"]?.arrayValue?.first ?? page
                    seen += (list["items"] ?? list["tasks"])?.arrayValue?.map(\.id) ?? []
                    guard let cursor = list["nextCursor"]?.stringValue else { break }
                    let filter = first.hasPrefix("/board") ? "&status=todo" : ""
                    target = "/tasks?sort=\(sort)&limit=\(limit)\(filter)&cursor=\(cursor)"
                }
                #expect(seen.count == 30 && Set(seen).count == 30, "\(first)")
            }
        }
    }

    @Test func `a search takes no more than 16 words`() async {
        let words = (1...17).map { "w\($0)" }

        #expect(await board.send(.get, "/tasks?q=\(words[..<16].joined(separator: "+"))").status == 200)
        #expect(await board.send(.get, "/tasks?q=\(words.joined(separator: "+"))").status == 400)
    }

    @Test(arguments: ["title", "-title", "position", "-createdAt"])
    func `a cursor leads on after any title`(sort: String) async throws {
        let titles = [
            "~", "a~b", "?>~ÿ", "회의", "\u{feff}c", "\u{feff}z", "p", "-", "41", String(repeating: "長", count: 200),
        ]
        for title in titles { _ = try await board.task("{\"title\": \"\(title)\"}") }
        let whole = await board.titles("/tasks?sort=\(sort)")

        var seen: [String] = []
        var next: String? = ""
        while let cursor = next {
            let page = await board.send(.get, "/tasks?limit=1&sort=\(sort)\(cursor)")
            seen += page.json["items"]?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? []
            next = page.json["nextCursor"]?.stringValue.map { "&cursor=\($0)" }
        }

        #expect(seen == whole && Set(seen) == Set(titles))
    }

    @Test func `what would end the address of the next page is escaped in it`() async throws {
        for _ in 0..<2 { _ = try await board.task(#"{"title": "<\">"}"#) }

        let page = await board.send(.get, #"/tasks?q=<">&limit=1"#)

        #expect(page.json["items"]?.arrayValue?.count == 1)
        #expect(page.header("Link")?.hasPrefix("</tasks?q=%3C%22%3E&limit=1&cursor=") == true)
    }

    @Test func `a cursor with a field too many, too few or of another kind is refused`() async throws {
        for _ in 0..<2 { _ = try await board.task() }
        let cursor = try #require(await board.send(.get, "/tasks?limit=1").json["nextCursor"]?.stringValue)
        let fields = cursor.split(separator: "~").map(String.init)

        for place in fields.indices where place != 3 {
            let changed = (fields[..<place] + ["x"] + fields[(place + 1)...]).joined(separator: "~")
            #expect(await board.send(.get, "/tasks?limit=1&cursor=\(changed)").code == "invalid_cursor", "\(changed)")
        }
        for wrong in [fields.dropLast().joined(separator: "~"), cursor + "~0", cursor + "~7~a0~\(fields[1])"] {
            #expect(await board.send(.get, "/tasks?limit=1&cursor=\(wrong)").code == "invalid_cursor", "\(wrong)")
        }
    }

    @Test(arguments: TaskQuery.Sort.allCases)
    func `a cursor whose key is of another kind than its sort is refused`(sort: TaskQuery.Sort) async throws {
        for _ in 0..<2 { _ = try await board.task(#"{"dueDate": "2026-11-30"}"#) }
        let page = "/tasks?limit=1&sort=\(sort.rawValue)"
        let cursor = try #require(await board.send(.get, page).json["nextCursor"]?.stringValue)
        var fields = cursor.split(separator: "~").map(String.init)
        let fitting =
            switch sort {
            case .dueDate: ["-", "7"]
            case .createdAt, .updatedAt: ["7"]
            case .title, .position: ["p", "tAA"]
            }

        for key in ["-", "7", "p", "tAA"] {
            fields[2] = key
            let answer = await board.send(.get, "\(page)&cursor=\(fields.joined(separator: "~"))")
            #expect(answer.status == (fitting.contains(key) ? 200 : 400), "\(key)")
        }
    }
}
