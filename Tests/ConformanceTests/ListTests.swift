import Foundation
import JSON
import TestSupport
import Testing

extension Client {
    /// Every page of a list, by its cursors.
    func walk(_ target: String, between: (Int) throws -> Void = { _ in }) throws -> [[JSON]] {
        var pages: [[JSON]] = []
        var next: String? = ""
        while let cursor = next {
            let answer = try get(cursor.isEmpty ? target : "\(target)&cursor=\(cursor)")
            guard answer.status == 200 else { throw HarnessError(description: "\(answer.status): \(answer.text)") }
            pages.append(answer.items)
            next = answer.string("nextCursor").map {
                $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0
            }
            #expect((answer.header("Link") != nil) == (next != nil))
            try between(pages.count)
            guard pages.count < 1000 else { throw HarnessError(description: "The walk does not end") }
        }
        return pages
    }
}

/// Section 2: `GET /tasks`, filters, sorts and cursors, each on a board of its own.
struct ListTests {
    let server: Kanbase
    let client: Client

    init() throws {
        server = try Kanbase()
        client = try server.client()
    }

    func titles(_ target: String) throws -> [String] {
        let answer = try client.get(target)
        #expect(answer.status == 200, "\(target): \(answer.text)")
        return answer.items.map(\.title)
    }

    @Test func `a search finds by the rules of all homes`() throws {
        for search in SearchCase.all {
            let task = try client.makeTask(["title": .string(search.title), "body": .string(search.body)])
            let query = search.query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""

            let found = try client.get("/tasks?q=\(query)")

            #expect(
                found.status == 200 && found.items.contains { $0.id == task.id } == search.found,
                "\(search): \(found.text)")
            #expect(try client.delete("/tasks/\(task.id)").status == 204)
        }
    }

    @Test func `filters and sorts`() throws {
        let category = try client.post("/categories", ["name": "work"]).json
        let made: [JSON] = [
            ["title": "b", "dueDate": "2001-01-02", "status": "doing"],
            ["title": "A", "dueDate": "2001-01-01T10:00:00Z", "status": "done"],
            ["title": "c", "categoryId": .string(category.id)],
            ["title": "Straße", "body": "with İ and 한국어", "dueDate": "2999-01-01"],
        ]
        let tasks = try made.map { try client.makeTask($0) }
        // Two may be of the same millisecond.
        let oldestFirst = titles(of: tasks, byCreation: <)
        let newestFirst = titles(of: tasks, byCreation: >)

        let expected: [(String, [String])] = [
            ("/tasks", ["A", "b", "Straße", "c"]),
            ("/tasks?sort=-dueDate", ["Straße", "b", "A", "c"]),
            ("/tasks?sort=title", ["A", "b", "c", "Straße"]),
            ("/tasks?sort=-title", ["Straße", "c", "b", "A"]),
            ("/tasks?sort=createdAt", oldestFirst),
            ("/tasks?sort=-createdAt", newestFirst),
            ("/tasks?status=todo", ["Straße", "c"]),
            ("/tasks?status=doing,done", ["A", "b"]),
            ("/tasks?categoryId=\(category.id)", ["c"]),
            ("/tasks?categoryId=\(category.id.uppercased())", ["c"]),
            ("/tasks?categoryId=none", ["A", "b", "Straße"]),
            ("/tasks?categoryId=none,\(category.id)&status=todo", ["Straße", "c"]),
            ("/tasks?due=overdue", ["b"]),
            ("/tasks?due=upcoming", ["Straße"]),
            ("/tasks?due=none", ["c"]),
            ("/tasks?due=today", []),
            ("/tasks?dueAfter=2001-01-02", ["b", "Straße"]),
            ("/tasks?dueBefore=2001-01-02", ["A"]),
            ("/tasks?dueAfter=2001-01-01T10:00:00Z&dueBefore=2001-01-02T00:00:00.001Z", ["A", "b"]),
            ("/tasks?q=STRASSE", ["Straße"]),
            ("/tasks?q=%ED%95%9C%EA%B5%AD", ["Straße"]),
            ("/tasks?q=stra%25", []),
            ("/tasks?deleted=true", []),
            ("/tasks?limit=1&sort=title", ["A"]),
        ]
        for (target, order) in expected { #expect(try titles(target) == order, "\(target)") }
    }

    /// The titles in the order of `createdAt`, ties by position, then id.
    private func titles(of tasks: [JSON], byCreation precedes: (String, String) -> Bool) -> [String] {
        func text(_ task: JSON, _ member: String) -> String { task[member]?.stringValue ?? "" }
        let inOrder = tasks.sorted { left, right in
            let moments = (text(left, "createdAt"), text(right, "createdAt"))
            if moments.0 != moments.1 { return precedes(moments.0, moments.1) }
            return (text(left, "position"), left.id) < (text(right, "position"), right.id)
        }
        return inOrder.map(\.title)
    }

    @Test(arguments: [
        "limit=0", "limit=201", "limit=x", "limit=-1", "limit=1&limit=2", "sort=colour", "sort=--title", "status=",
        "status=waiting",
        "categoryId=x", "due=soon", "dueBefore=yesterday", "dueAfter=2026-13-01", "deleted=maybe", "cursor=nonsense",
        "expand=everything",
    ])
    func `a parameter that makes no sense is a fault`(query: String) throws {
        let code = query.hasPrefix("cursor") ? "invalid_cursor" : "invalid_parameter"
        expectProblem(try client.get("/tasks?\(query)"), 400, code)
    }

    @Test func `an item that stays is seen once, whatever else happens during the walk`() throws {
        let ids = try (0..<50).map { try client.makeTask(["title": .string("stays \($0)")]).id }
        let doomed = try (0..<10).map { try client.makeTask(["title": .string("goes \($0)")]).id }

        for sort in ["dueDate", "position", "createdAt", "updatedAt", "title", "-title", "-createdAt"] {
            let pages = try client.walk("/tasks?limit=7&sort=\(sort)") { page in
                try client.makeTask(["title": .string("new \(page)")])
                // Not under the order by update: there a patch moves the item, which then may be seen again.
                if page <= doomed.count { try client.delete("/tasks/\(doomed[page - 1])") }
            }

            let seen = pages.joined().map(\.id)
            #expect(ids.allSatisfy { id in seen.filter { $0 == id }.count == 1 }, "sort=\(sort)")
            #expect(Set(seen).count == seen.count, "sort=\(sort)")
            for id in doomed { try client.post("/tasks/\(id)/restore") }
        }
    }

    @Test func `equal keys are all seen`() throws {
        for _ in 0..<25 { try client.makeTask(["title": "same", "dueDate": "2030-01-01"]) }

        for sort in ["dueDate", "-dueDate", "title", "-title", "position", "-position"] {
            let pages = try client.walk("/tasks?limit=4&sort=\(sort)")

            #expect(Set(pages.joined().map(\.id)).count == 25, "sort=\(sort)")
            #expect(pages.count == 7)
        }
    }

    @Test func `the Link leads on, and a cursor belongs to its query`() throws {
        for _ in 0..<3 { try client.makeTask() }
        let first = try client.get("/tasks?limit=2&sort=title")
        let cursor = try #require(first.string("nextCursor"))

        let link = try #require(first.header("Link")?.firstMatch(of: #/<([^>]*)>; rel="?next"?/#)?.1)
        let second = try client.get(String(link))

        #expect(second.status == 200)
        #expect(second.items.count == 1)
        #expect(second["nextCursor"] == .null)
        expectProblem(try client.get("/tasks?limit=2&sort=-title&cursor=\(cursor)"), 400)
        expectProblem(try client.get("/tasks?limit=2&sort=title&status=todo&cursor=\(cursor)"), 400)
        expectProblem(try client.get("/tasks?limit=2&sort=title&cursor=\(cursor.dropLast())x"), 400)
    }

    @Test func `an empty list is a list`() throws {
        let answer = try client.get("/tasks")

        #expect(answer.json == ["items": [], "nextCursor": .null])
        #expect(answer.header("Link") == nil)
    }

    @Test func `the board shows three columns that go on by their cursors`() throws {
        for number in 0..<5 { try client.makeTask(["title": .string("t\(number)")]) }
        try client.makeTask(["title": "d", "status": "doing"])

        let board = try client.get("/board?limit=2", ["accept-language": "ko"])

        let columns = board.json["columns"]?.arrayValue ?? []
        #expect(columns.map { $0["status"]?.stringValue } == ["todo", "doing", "done"])
        #expect(columns.map { $0["count"]?.intValue } == [5, 1, 0])
        #expect(columns.map { $0["title"] } == ["할 일", "진행 중", "완료"])
        #expect(columns.first?["tasks"]?.arrayValue?.map(\.title) == ["t0", "t1"])
        #expect(columns.last?["nextCursor"] == .null)
        let cursor = try #require(columns.first?["nextCursor"]?.stringValue)
        #expect(try titles("/tasks?status=todo&sort=position&limit=200&cursor=\(cursor)") == ["t2", "t3", "t4"])
    }

    @Test func `a deadline is computed in the user's zone and language`() throws {
        let task = try client.makeTask(["dueDate": "2001-01-01"])

        let korean = try client.get("/tasks/\(task.id)?expand=deadline&timeZone=Asia/Seoul", ["accept-language": "ko"])
        let plain = try client.get("/tasks/\(task.id)")

        let deadline = try #require(korean["deadline"])
        #expect(deadline["overdue"] == true)
        #expect(deadline["remaining"] == "기한 초과")
        #expect(deadline["daysLeft"]?.intValue ?? 0 < 0)
        #expect(deadline["dDay"]?.stringValue?.hasPrefix("D+") == true)
        #expect(plain["deadline"] == nil)
    }
}
