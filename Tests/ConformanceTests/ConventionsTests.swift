import Foundation
import JSON
import TestSupport
import Testing

/// Section 1 of the contract, row by row.
struct ConventionsTests {
    let client: Client

    init() throws {
        client = try Kanbase.shared()
    }

    // MARK: Media type

    @Test(arguments: [
        ("application/json", 201), ("application/json; charset=utf-8", 201), ("APPLICATION/JSON", 201),
        ("application/json;charset=\"utf-8\"", 201), ("application/json; charset=latin1", 415),
        ("application/merge-patch+json", 415), ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
        ("", 415),
    ])
    func `a body needs the media type of JSON`(type: String, status: Int) throws {
        let answer = try client.post("/tasks", ["title": "typed"], ["content-type": type])

        #expect(answer.status == status)
        if status == 415 { expectProblem(answer, 415) }
    }

    @Test(arguments: ["application/json", "application/merge-patch+json"])
    func `a patch takes both media types`(type: String) throws {
        let task = try client.makeTask()

        let answer = try client.patch("/tasks/\(task.id)", ["title": "patched"], ["content-type": type])

        #expect(answer.status == 200)
        #expect(answer.string("title") == "patched")
    }

    @Test func `answers are JSON`() throws {
        #expect(try client.get("/tasks").header("Content-Type") == "application/json")
    }

    // MARK: Members and parameters

    @Test func `what GET shows may be put back as it is`() throws {
        let task = try client.makeTask(["title": "round trip", "dueDate": "2030-01-02"])
        let shown = try client.get("/tasks/\(task.id)?expand=deadline")

        let put = try client.put("/tasks/\(task.id)", shown.json)
        let patched = try client.patch("/tasks/\(task.id)", shown.json)

        #expect(put.status == 200)
        #expect(patched.status == 200)
        #expect(patched.string("title") == "round trip")
    }

    @Test func `another id than that of the path is a fault`() throws {
        let task = try client.makeTask()

        let answer = try client.patch("/tasks/\(task.id)", ["id": .string(UUID().uuidString.lowercased())])

        expectProblem(answer, 422)
        #expect(answer.faults.contains { $0.hasPrefix("#/id ") })
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `an unknown member is never silent`(method: String) throws {
        let task = try client.makeTask()
        let target = method == "POST" ? "/tasks" : "/tasks/\(task.id)"

        let answer = try client.send(method, target, json: ["title": "x", "tilte": "y"])

        expectProblem(answer, 422, "unknown_member")
        #expect(answer.faults == ["#/tilte unknown_member"])
    }

    @Test(arguments: ["/tasks?stauts=todo", "/board?limits=3", "/tasks?limit=1&x", "/categories?q=a", "/settings?a=b"])
    func `an unknown parameter is never silent`(target: String) throws {
        expectProblem(try client.get(target), 400, "unknown_parameter")
    }

    @Test(arguments: [
        "/", "/docs", "/docs.css", "/docs/main.js", "/reset", "/reset/reset.js", "/problems/blank", "/board/app.js",
        "/worker.js", "/manifest.webmanifest", "/client/kanbase.js", "/client/kanbase.d.ts", "/openapi.yaml",
        "/openapi.json",
    ])
    func `pages and their files take any query`(path: String) throws {
        #expect(try client.get(path + "?utm=1&utm=2&x").status == 200)
    }

    @Test func `every fault is listed, and the first names the problem`() throws {
        let answer = try client.post(
            "/tasks", ["title": " ", "body": 7, "status": "waiting", "dueDate": "2026-02-30", "colour": "red"])

        expectProblem(answer, 422)
        let pointers = Set(answer.faults.map { String($0.prefix { $0 != " " }) })
        #expect(pointers == ["#/title", "#/body", "#/status", "#/dueDate", "#/colour"])
    }

    // MARK: Broken JSON

    @Test(arguments: [
        "", "{", "[]", "\"x\"", "{\"title\":}", "{\"title\":\"a\",\"title\":\"b\"}", "{\"title\":\"a\"} x",
        "{\"title\":\"\\ud800\"}",
        "{\"title\":NaN}", "{'title':'a'}", String(repeating: "[", count: 100_000),
    ])
    func `what is no JSON object is refused with a reason`(text: String) throws {
        let answer = try client.send("POST", "/tasks", ["content-type": "application/json"], body: Array(text.utf8))

        #expect(answer.status == 400 || answer.status == 422, "\(answer.status)")
        expectProblem(answer, answer.status)
    }

    @Test func `bytes that are not UTF-8 are refused`() throws {
        let body = Array(#"{"title":""#.utf8) + [0xff, 0xc0] + Array(#""}"#.utf8)

        expectProblem(try client.send("POST", "/tasks", ["content-type": "application/json"], body: body), 400)
    }

    // MARK: Ids

    @Test func `the server makes ids of version 7, in lower case`() throws {
        let task = try client.makeTask()

        #expect(isID(task.id))
        #expect(task.id.dropFirst(14).first == "7")
    }

    @Test func `an id of the client's is taken in any case`() throws {
        let id = UUID().uuidString

        let made = try client.post("/tasks", ["id": .string(id), "title": "mine"])
        let shown = try client.get("/tasks/\(id.uppercased())")

        #expect(made.status == 201)
        #expect(made.string("id") == id.lowercased())
        #expect(made.header("Location") == "/tasks/\(id.lowercased())")
        #expect(shown.string("id") == id.lowercased())
    }

    @Test func `an id is never reused`() throws {
        let task = try client.makeTask()
        let again: JSON = ["id": .string(task.id)]

        expectProblem(try client.post("/tasks", again), 409, "already_exists")
        try client.delete("/tasks/\(task.id)")
        expectProblem(try client.post("/tasks", again), 409, "already_exists")
    }

    @Test(arguments: ["nope", "0199a3c4-6b1e-7c3a-9a55", "%F0%9F%90%9D", "0199a3c46b1e7c3a9a553f0d2f4f8e11"])
    func `an invalid id in a path is not found`(id: String) throws {
        for target in ["/tasks/\(id)", "/tasks/\(id)/history", "/categories/\(id)"] {
            expectProblem(try client.get(target), 404)
        }
    }

    // MARK: Times and texts

    @Test func `timestamps are UTC with milliseconds`() throws {
        let task = try client.makeTask()

        #expect(isTimestamp(task["createdAt"]?.stringValue))
        #expect(task["createdAt"] == task["updatedAt"])
    }

    @Test(arguments: [
        ("2026-12-01", "2026-12-01"), ("2028-02-29", "2028-02-29"),
        ("2026-12-01T18:00:00+09:00", "2026-12-01T09:00:00.000Z"),
        ("2026-12-01T18:00:00.5Z", "2026-12-01T18:00:00.500Z"),
        ("2026-12-01T00:30:00+14:00", "2026-11-30T10:30:00.000Z"),
    ])
    func `a due date comes back in its form`(given: String, shown: String) throws {
        #expect(try client.makeTask(["dueDate": .string(given)])["dueDate"] == .string(shown))
    }

    @Test(arguments: [
        "2026-02-29", "2026-13-01", "2026-12-01T18:00:00", "tomorrow", "2026-12-1", "2026-12-01T24:00:00Z", "",
        "2026-12-01 ",
    ])
    func `an invalid date is a fault of that member`(text: String) throws {
        let answer = try client.post("/tasks", ["dueDate": .string(text)])

        expectProblem(answer, 422)
        #expect(answer.faults.map { $0.prefix(10) } == ["#/dueDate "])
    }

    @Test func `lengths count code points, and texts come back byte for byte`() throws {
        // A family of seven code points, a decomposed letter, and Hangul in pieces: none is normalized.
        let title = "👨‍👩‍👧‍👦 e\u{301} \u{1112}\u{1161}\u{11ab} ﬁ"
        let long = String(repeating: "🐝", count: 200)

        let kept = try client.makeTask(["title": .string(title)])
        let longest = try client.post("/tasks", ["title": .string(long)])
        let tooLong = try client.post("/tasks", ["title": .string(long + "🐝")])

        #expect(Array(kept.title.utf8) == Array(title.utf8))
        #expect(longest.status == 201)
        expectProblem(tooLong, 422)
    }

    @Test func `NUL is rejected`() throws {
        expectProblem(try client.post("/tasks", ["body": "a\u{0}b"]), 422)
    }

    @Test(arguments: ["Asia/Seol", "Mars/Phobos", "../../etc/passwd", "", "%00"])
    func `an unknown time zone is a fault of the request`(zone: String) throws {
        expectProblem(try client.get("/tasks?expand=deadline&timeZone=\(zone)"), 400)
    }

    @Test(arguments: [
        ("ko", "새로운 할 일"), ("ja", "新しいタスク"), ("en", "New task"), ("fr", "New task"), ("", "New task"),
        ("fr, ja;q=0.5, ko;q=0.8", "새로운 할 일"), ("ko;q=0, ja;q=0.1", "新しいタスク"), ("ko-KR", "새로운 할 일"), ("*", "New task"),
    ])
    func `default titles are in the user's language`(languages: String, title: String) throws {
        let answer = try client.post("/tasks", [:], ["accept-language": languages])

        #expect(answer.string("title") == title)
    }

    // MARK: Correlation

    @Test func `a sensible request id is echoed`() throws {
        #expect(
            try client.get("/tasks?limit=1", ["x-request-id": "phone-7_a.b"]).header("X-Request-Id") == "phone-7_a.b")
    }

    @Test(arguments: [("expect", "200-maybe", 417), ("transfer-encoding", "gzip, chunked", 501)])
    func `it is echoed by refusals of the wire, too`(field: String, value: String, status: Int) throws {
        let answer = try client.get("/tasks", [field: value, "x-request-id": "phone-8"])

        #expect(answer.status == status)
        #expect(answer.header("X-Request-Id") == "phone-8" && answer.string("requestId") == "phone-8")
    }

    @Test(arguments: ["", "two words", "ü", String(repeating: "a", count: 129), "a\tb", "<script>"])
    func `another one is made when it is not`(id: String) throws {
        let answer = try client.get("/tasks?limit=1", ["x-request-id": id])

        let made = try #require(answer.header("X-Request-Id"))
        #expect(made != id)
        #expect(made.wholeMatch(of: #/[A-Za-z0-9._-]{1,128}/#) != nil)
    }

    // MARK: Methods

    @Test(arguments: [
        "/tasks", "/board", "/categories", "/settings", "/health/live", "/health/ready", "/openapi.yaml",
        "/openapi.json",
    ])
    func `HEAD is GET without the body`(target: String) throws {
        // A server of its own: on the shared one, another test may write between the two.
        let server = try Kanbase()
        let client = try server.client()
        let get = try client.get(target)
        let head = try client.send("HEAD", target)

        #expect(head.status == get.status)
        #expect(head.body.isEmpty)
        #expect(head.header("Content-Length") == get.header("Content-Length"))
        #expect(head.header("Content-Type") == get.header("Content-Type"))
    }

    @Test(arguments: [
        ("/tasks", ["GET", "HEAD", "OPTIONS", "POST"]), ("/board", ["GET", "HEAD", "OPTIONS"]),
        ("/tasks/0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11", ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "PUT"]),
        ("/tasks/0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11/move", ["OPTIONS", "POST"]),
    ])
    func `a path says which methods it has`(target: String, methods: [String]) throws {
        let options = try client.send("OPTIONS", target)
        let wrong = try client.send(methods.contains("PATCH") ? "POST" : "PATCH", target, json: [:])

        for answer in [options, wrong] {
            let allowed = answer.header("Allow")?.split(separator: ",").map { $0.filter { $0 != " " } }.sorted()
            #expect(allowed == methods)
        }
        #expect(options.status == 204 || options.status == 200)
        expectProblem(wrong, 405, "method_not_allowed")
    }

    @Test func `an unknown path is a problem too`() throws {
        expectProblem(try client.get("/nope"), 404, "not_found")
    }

    @Test func `the type of a problem is a page of the server`() throws {
        let type = try #require(try client.get("/nope").string("type"))

        let page = try client.get(type)

        #expect(page.status == 200)
        expectProblem(try client.get("/problems/no-such-problem"), 404)
    }

    @Test func `every answer keeps other sites away`() throws {
        let task = try client.makeTask()
        let path = "/tasks/\(task.id)"
        let tag = try client.get(path).tag
        let answers = [
            try client.get(path), try client.get(path, ["if-none-match": tag]), try client.get("/tasks"),
            try client.get("/nope"), try client.get("/health/live"), try client.get("/"), try client.get("/docs"),
            try client.get("/board/app.js"), try client.send("HEAD", path), try client.send("OPTIONS", path),
            try client.send("TRACE", path), try client.post("/tasks", ["title": ""]), try client.delete(path),
            try client.get("/nope", ["accept": "text/html"]), try client.get("/export"),
            try client.get("/calendar.ics"),
        ]

        for answer in answers {
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
            #expect(answer.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
            #expect(answer.headers.count { $0.name.lowercased() == "content-security-policy" } == 1)
            #expect(answer.header("Strict-Transport-Security") == nil, "never without TLS (RFC 6797 §7.2)")
        }
        for page in ["/", "/docs", "/reset", "/problems/blank"] {
            #expect(try client.get(page).header("Cross-Origin-Opener-Policy") == "same-origin", "\(page)")
        }
    }
}
