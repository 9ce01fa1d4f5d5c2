import HTTP
import JSON
import TestSupport
import Testing

@testable import KanbanAPI

/// Conditional requests (RFC 9110 §13).
struct ConditionTests {
    /// Forms of a tag that name the same state: as sent, weakened by a proxy, of the compressed answer, both, in a list, bare.
    private static func forms(of tag: String) -> [String] {
        let tag = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        let stem = tag.dropFirst().prefix { $0 != "-" && $0 != "\"" }
        let zipped = "\(tag.dropLast())-gzip\""
        return [tag, "W/\(tag)", zipped, "W/\(zipped)", "\"x\", W/\(tag)", "\"\(stem)\"", "W/\"\(stem)\"", "*"]
    }

    @Test func `a change takes a tag that a proxy weakened, once`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let made = await board.send(.post, "/tasks", "{}", token: anna.token)
        let path = "/tasks/\(made.json.id)"

        for place in Self.forms(of: "\"1-x\"").indices {
            let tag = try #require(await board.send(.get, path, token: anna.token).header("ETag"))
            let form = Self.forms(of: tag)[place]
            let changed = await board.send(
                .patch, path, #"{"title": "\#(place)"}"#, token: anna.token, headers: [("If-Match", form)])
            let late = await board.send(
                .patch, path, #"{"title": "late"}"#, token: anna.token, headers: [("If-Match", form)])

            #expect(changed.status == 200, "\(form)")
            #expect(late.status == (form == "*" ? 200 : 412), "\(form)")
        }
        for form in ["W/\"+2\"", "w/\"2\"", "W/2", "W/", "W/\"\"", "\"", ""] {
            let refused = await board.send(
                .patch, path, #"{"title": "never"}"#, token: anna.token, headers: [("If-Match", form)])
            #expect(refused.status == 412, "\(form)")
        }
    }

    /// Everything with a tag, with the 200 that it has.
    private static let targets = [
        "/tasks", "/tasks?limit=1", "/board", "/categories", "/ddays", "/settings", "/stats", "/today", "/upcoming",
        "/history", "/changes", "/export", "/export?format=csv", "/calendar.ics", "/account", "/sessions", "/tokens",
        "/account/identities", "/account/events", "/invitations", "/docs", "/board/app.js",
    ]

    @Test(arguments: [HTTP.Method.get, .head])
    func `If-Match holds for what is read, too`(method: HTTP.Method) async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let made = await board.send(.post, "/tasks", #"{"dueDate": "2026-12-01"}"#, token: anna.token)
        let id = made.json.id
        func ask(_ target: String, _ headers: [(name: String, value: String)]) async -> Answer {
            await board.send(method, target, token: anna.token, headers: headers)
        }

        for target in Self.targets + ["/tasks/\(id)", "/tasks/\(id)?expand=deadline", "/tasks/\(id)/history"] {
            let tag = try #require(await ask(target, []).header("ETag"), "\(target) has no tag")
            for form in Self.forms(of: tag) {
                #expect(await ask(target, [("If-Match", form)]).status == 200, "\(target) \(form)")
                // The client's own version is compared after that.
                let both = await ask(target, [("If-Match", form), ("If-None-Match", tag)])
                #expect(both.status == 304, "\(target) \(form)")
            }
            for form in ["\"x\"", "W/\"x-gzip\"", "\"99\", \"98-1\"", ""] {
                let refused = await ask(target, [("If-Match", form), ("If-None-Match", tag)])
                #expect(refused.status == 412, "\(target) \(form)")
                // On the wire an answer to HEAD has no body.
                if method == .get { #expect(refused.code == "precondition_failed", "\(target) \(form)") }
            }
        }
        // Nothing to compare.
        #expect(await ask("/health/live", [("If-Match", "\"1\"")]).status == 412)
        #expect(await ask("/health/live", [("If-Match", "*")]).status == 200)
        // Conditions count only where the answer would be a success.
        #expect(await ask("/tasks/\(String.unknownID)", [("If-Match", "\"1\"")]).status == 404)
        #expect(await ask("/tasks?limit=0", [("If-Match", "\"1\"")]).status == 400)
    }

    @Test func `where nobody logs in If-Match holds for what is at hand`() async throws {
        let board = try TestBoard()
        let task = try await board.task()
        for isCached in [true, false] {
            for (form, status) in [("\"1\"", 200), ("W/\"1\"", 200), ("\"2\"", 412), ("*", 200)] {
                let answer = await board.send(
                    .get, "/tasks/\(task.id)", headers: [("If-Match", form)], isCached: isCached)
                #expect(answer.status == status, "\(form)")
            }
        }
    }

    private static let additions = [
        ("/tasks", "{}"), ("/categories", #"{"name": "Work"}"#),
        ("/ddays", #"{"title": "Exam", "date": "2026-12-01"}"#),
        ("/import", "{}"), ("/sync", #"{"mutations": []}"#), ("/tokens", #"{"name": "Widget", "scope": "read"}"#),
        ("/invitations", "{}"),
    ]

    @Test(arguments: additions)
    func `what adds to a list has its conditions compared with the list`(target: String, body: String) async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let made = await board.send(.post, "/tasks", "{}", token: anna.token)
        #expect(made.status == 201)
        let list = ["/import", "/sync"].contains(target) ? "/tasks" : target
        func tag() async throws -> String {
            try #require(await board.send(.get, list, token: anna.token).header("ETag"))
        }
        func add(_ name: String, _ value: String) async -> Int {
            await board.send(.post, target, body, token: anna.token, headers: [(name, value)]).status
        }

        let before = try await tag()
        #expect(await add("If-None-Match", "*") == 412)
        #expect(await add("If-None-Match", before) == 412)
        #expect(await add("If-None-Match", "\"99\", W/\(before)") == 412)
        #expect(await add("If-Match", "\"99\"") == 412)
        #expect(try await tag() == before, "nothing was added")
        #expect(await add("If-None-Match", "\"99\"") < 300)
        let after = try await tag()
        // A second category of that name is 409.
        #expect(await add("If-Match", after) != 412)
    }

    @Test func `a change of an account is not made when it has the tag`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let tag = try #require(await board.send(.get, "/account", token: anna.token).header("ETag"))

        for (value, status) in [(tag, 412), ("*", 412), ("\"1\"", 200)] {
            let answer = await board.send(
                .patch, "/account", #"{"displayName": "Anna"}"#, token: anna.token, headers: [("If-None-Match", value)])
            #expect(answer.status == status, "\(value)")
        }
    }

    @Test(
        arguments: [
            ("/tasks", #"{"title": "a"}"#), ("/categories", #"{"name": "a"}"#),
            ("/ddays", #"{"title": "a", "date": "2026-12-01"}"#),
        ])
    func `the tag of a trash changes when it is purged`(path: String, body: String) async throws {
        let board = try TestBoard()
        let made = await board.send(.post, path, body)
        await board.send(.delete, "\(path)/\(made.json.id)")
        let full = await board.send(.get, "\(path)?deleted=true")
        let tag = try #require(full.header("ETag"))
        #expect(full.json["items"]?.arrayValue?.count == 1)

        board.clock.advance(seconds: 31 * 86_400)
        try await board.maintain()

        let purged = await board.send(.get, "\(path)?deleted=true", headers: [("If-None-Match", tag)])
        #expect(purged.status == 200 && purged.json["items"] == [])
    }
}
