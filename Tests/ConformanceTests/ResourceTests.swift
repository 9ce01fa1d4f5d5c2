import Foundation
import JSON
import TestSupport
import Testing

/// Section 3 of the contract, each on a board of its own.
struct ResourceTests {
    let server: Kanbase
    let client: Client

    init() throws {
        server = try Kanbase()
        client = try server.client()
    }

    // MARK: Categories

    @Test func `a category counts its tasks, and gives them back when it goes`() throws {
        let made = try client.post("/categories", ["name": " 일 ", "color": "#1e90ff", "emoji": "📚"])
        let category = made.json
        let task = try client.makeTask(["categoryId": .string(category.id), "status": "done"])
        try client.makeTask()

        let list = try client.get("/categories", ["accept-language": "ko"])

        #expect(made.status == 201)
        #expect(made.header("Location") == "/categories/\(category.id)")
        #expect(category["name"] == "일")
        #expect(list.items.map(\.id) == [category.id])
        #expect(list.items.first?["taskCount"] == 1)
        #expect(list.items.first?["doneCount"] == 1)
        #expect(list["nextCursor"] == .null)
        #expect(list.json["uncategorized"] == ["name": "분류 없음", "taskCount": 1, "doneCount": 0])
        #expect(try client.delete("/categories/\(category.id)").status == 204)
        #expect(try client.get("/tasks/\(task.id)")["categoryId"] == .null)
        expectProblem(try client.get("/categories/\(category.id)"), 404)
    }

    @Test func `a name is taken whatever its case`() throws {
        try client.post("/categories", ["name": "Straße"])

        expectProblem(try client.post("/categories", ["name": "STRASSE"]), 409, "name_taken")
    }

    // MARK: D-days

    @Test func `a yearly day counts down to its next time`() throws {
        let past = try client.post("/ddays", ["title": "birthday", "date": "2000-02-29", "repeats": "yearly"])
        let once = try client.post("/ddays", ["title": "exam", "date": "2001-01-01"])

        let list = try client.get("/ddays?expand=countdown&timeZone=Asia/Seoul").items

        #expect(past.status == 201 && once.status == 201)
        #expect(list.map(\.title) == ["birthday", "exam"])
        #expect(list[0]["countdown"]?["daysLeft"]?.intValue ?? -1 >= 0)
        #expect(list[0]["countdown"]?["nextDate"]?.stringValue?.contains("-02-2") == true)
        #expect(list[1]["countdown"]?["nextDate"] == "2001-01-01")
        #expect(list[1]["countdown"]?["dDay"]?.stringValue?.hasPrefix("D+") == true)
        expectProblem(try client.post("/ddays", ["title": "x", "date": "2001-02-29"]), 422)
        expectProblem(try client.post("/ddays", ["title": "x", "date": "2001-01-01T00:00:00Z"]), 422)
        expectProblem(try client.post("/ddays", ["title": "x"]), 422)
    }

    // MARK: Settings

    @Test func `settings are merged, and their zone and language are the account's`() throws {
        let first = try client.patch(
            "/settings", ["timeZone": "Asia/Seoul", "locale": "ko", "custom": ["a": ["b": 1, "c": 2]]])
        let second = try client.patch("/settings", ["custom": ["a": ["b": .null, "d": 3]]])

        #expect(first.status == 200)
        #expect(second["custom"] == ["a": ["c": 2, "d": 3]])
        #expect(second["timeZone"] == "Asia/Seoul")
        #expect(try client.post("/tasks", [:])["title"] == "새로운 할 일")
        expectProblem(try client.patch("/settings", ["timeZone": "Asia/Seol"]), 422)
        expectProblem(try client.patch("/settings", ["locale": "xx"]), 422)
        let large = JSON.string(String(repeating: "x", count: 17_000))
        expectProblem(try client.patch("/settings", ["custom": ["large": large]]), 422)
    }

    // MARK: What is computed

    @Test func `stats, today and upcoming tell the same of the same tasks`() throws {
        for task: JSON in [
            ["title": "late", "dueDate": "2001-01-01"], ["title": "far", "dueDate": "2999-01-01"], ["title": "plain"],
            ["title": "finished", "dueDate": "2001-01-01", "status": "done"],
        ] { try client.makeTask(task) }

        let stats = try client.get("/stats").json
        let today = try client.get("/today").json
        let upcoming = try client.get("/upcoming?timeZone=Asia/Seoul").json

        #expect(stats["total"] == 4)
        #expect(stats["byStatus"] == ["todo": 3, "doing": 0, "done": 1])
        #expect(stats["percentDone"] == 25)
        #expect(stats["overdue"] == 1)
        #expect(stats["completedByDay"]?.arrayValue?.count == 30)
        #expect(stats["byCategory"]?.arrayValue?.last?["categoryId"] == .null)
        #expect(today["overdue"]?.arrayValue?.map(\.title) == ["late"])
        #expect(today["progress"] == ["total": 4, "done": 1, "percent": 25])
        #expect(today["weather"] == .null)
        #expect(isTimestamp(today["nextChangeAt"]?.stringValue))
        let items = upcoming["items"]?.arrayValue ?? []
        #expect(items.map(\.title) == ["far"])
        #expect(items.first?["fireAt"] == "2999-01-01T00:00:00.000Z")
    }

    @Test func `a weather service that breaks off in any way takes no server along`() throws {
        let service = try StubServer(.silence)
        defer { service.stop() }
        let server = try Kanbase(on: nil, ["--weather-url", service.url])
        let client = try server.client()
        let place = "/weather?latitude=37.57&longitude=126.98"

        for answer in [
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Len", "404 Not\r\nA: b",
            "HTTP/1.1 100 Continue\r\nA: b",
            "HTTP/1.1 301 Moved\r\nLocation: /x", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
            .ok("{}"), .ok(String.goodBody.replacing("\"2026-11-20T17:15\"", with: "-9223372036854775808")),
        ] {
            service.behave(.answer(answer))
            // On a very slow machine three seconds are over before the answer is there.
            let status = try client.get(place).status
            #expect(status == 502 || status == 504)
        }
        service.behave(.silence)
        expectProblem(try client.get(place), 504, "upstream_timeout")
        service.behave(.endless)
        #expect(try client.get(place).status >= 502)
        service.behave(.answer(.good))
        var weather = try client.get(place)
        while weather.status == 504 { weather = try client.get(place) }

        #expect(weather.json["temperature"] == 4.3)
        #expect(server.stop() == .exited(0))
    }

    @Test func `the weather is off unless there is a service`() throws {
        expectProblem(try client.get("/weather?latitude=37.57&longitude=126.98"), 404, "weather_off")
    }

    @Test func `the calendar holds the deadlines and the days`() throws {
        try client.makeTask([
            "title": "Comma, semicolon; and a line\nthat is folded because it is longer than seventy-five octets",
            "dueDate": "2030-01-01",
        ])
        try client.post("/ddays", ["title": "birthday", "date": "2000-02-29", "repeats": "yearly"])

        let answer = try client.get("/calendar.ics")

        #expect(answer.header("Content-Type")?.hasPrefix("text/calendar") == true)
        let lines = answer.text.components(separatedBy: "\r\n")
        #expect(lines.first == "BEGIN:VCALENDAR")
        #expect(lines.allSatisfy { $0.utf8.count <= 75 && !$0.contains("\n") })
        for part in ["BEGIN:VALARM", "BEGIN:VEVENT", "DTSTART;VALUE=DATE:20300101", "RRULE:FREQ=YEARLY"] {
            #expect(lines.contains { $0.hasPrefix(part) }, "\(part)")
        }
        #expect(!lines.contains("BEGIN:VTODO"))
        let todos = try client.get("/calendar.ics?as=todos").text.components(separatedBy: "\r\n")
        #expect(todos.contains("BEGIN:VTODO") && todos.contains("DUE;VALUE=DATE:20300101"))
        expectProblem(try client.get("/calendar.ics?as=journals"), 400, "invalid_parameter")
        let whole = answer.text.replacing("\r\n ", with: "")
        #expect(whole.contains(#"Comma\, semicolon\; and a line\nthat is folded"#))
    }

    @Test func `an export into an empty board is an equal export`() throws {
        try client.makeTask(["title": "\"quoted\", and\nbroken", "categoryName": "일"])
        let gone = try client.makeTask(["title": "gone"])
        try client.delete("/tasks/\(gone.id)")
        let export = try client.get("/export")
        let other = try Kanbase()
        let reader = try other.client()

        let tried = try reader.post("/import?dryRun=true", export.json)
        let empty = try reader.get("/tasks").items
        let imported = try reader.post("/import", export.json)
        let again = try reader.get("/export")

        #expect(tried.status == 200 && imported.status == 200, "\(imported.text)")
        #expect(empty.isEmpty)
        for member in ["tasks", "categories", "ddays", "settings"] {
            let (left, right) = (try #require(export[member]), try #require(again[member]))
            #expect(left.isEquivalent(to: right), "\(member)")
        }
        let table = try client.get("/export?format=csv").text
        #expect(table.hasPrefix("id,title,body,status,category,dueDate,position,createdAt,updatedAt,completedAt\r\n"))
        #expect(table.contains("\"\"\"quoted\"\", and\nbroken\""))
    }
}
