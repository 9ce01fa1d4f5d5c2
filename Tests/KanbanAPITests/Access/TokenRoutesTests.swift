import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct TokenRoutesTests {
    private func token(
        _ board: AccessBoard, _ person: AccessBoard.Person, _ scope: String, expiresAt: String? = nil
    ) async throws -> (text: String, id: String) {
        let end = expiresAt.map { ", \"expiresAt\": \"\($0)\"" } ?? ""
        let answer = await board.send(
            .post, "/tokens",
            "{\"name\": \"Widget\", \"scope\": \"\(scope)\", \"password\": \"correct horse\"\(end)}",
            token: person.token)
        return (try #require(answer.json["token"]?.stringValue), try #require(answer.json["id"]?.stringValue))
    }

    @Test func `a token is shown once, in the answer that makes it`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let made = await board.send(
            .post, "/tokens", #"{"name": " Widget ", "scope": "read", "expiresAt": "2027-01-01T00:00:00+09:00"}"#,
            token: anna.token)
        let list = await board.send(.get, "/tokens", token: anna.token)

        #expect(made.status == 201)
        #expect(made.header("Cache-Control") == "no-store")
        #expect(made.json["name"] == "Widget")
        #expect(made.json["expiresAt"] == "2026-12-31T15:00:00.000Z")
        let text = try #require(made.json["token"]?.stringValue)
        #expect(list.json["items"]?.arrayValue?.count == 1)
        #expect(list.json["items"]?.arrayValue?.first?["id"] == made.json["id"])
        #expect(!String(decoding: list.body, as: UTF8.self).contains(text))
    }

    @Test func `what has no tag is changed under any or none`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let token = try await token(board, anna, "read")
        let body = #"{"name": "a", "scope": "read"}"#
        let calls: [(HTTP.Method, String, String?)] = [
            (.post, "/tokens", body), (.delete, "/tokens/\(token.id)", nil), (.delete, "/sessions/current", nil),
        ]

        for (method, target, body) in calls {
            let stale = await board.send(
                method, target, body, token: anna.token, headers: [("If-Match", "\"9\"")])
            #expect(stale.status == 412 && stale.code == "precondition_failed", "\(target)")
        }
        for (method, target, body) in calls {
            let any = await board.send(method, target, body, token: anna.token, headers: [("If-Match", "*")])
            #expect(any.status < 300, "\(target)")
        }
    }

    @Test(arguments: [
        (#"{}"#, ["#/name required", "#/scope required"]),
        (#"{"name": "a", "scope": "admin"}"#, ["#/scope invalid_value"]),
        (#"{"name": "a", "scope": "read", "expiresAt": "tomorrow"}"#, ["#/expiresAt invalid_format"]),
        (#"{"name": "a", "scope": "read", "expiresAt": "2026-11-20T08:19:00Z"}"#, ["#/expiresAt invalid_value"]),
        (#"{"name": "a", "scope": "full"}"#, ["#/password required"]),
        (#"{"name": "a", "scope": "full", "password": 5}"#, ["#/password invalid_type"]),
    ])
    func `a token without sense is refused`(body: String, faults: [String]) async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let answer = await board.send(.post, "/tokens", body, token: anna.token)

        #expect(answer.status == 422)
        #expect(answer.faults == faults)
    }

    @Test func `each scope opens what it says, and nothing else`() async throws {
        let board = try AccessBoard(routes: Routes.all.filter { $0.pattern != "/calendar.ics" } + [.calendarProbe])
        let anna = try await board.person("anna@example.org")
        let full = try await token(board, anna, "full").text
        let read = try await token(board, anna, "read").text
        let calendar = try await token(board, anna, "calendar").text

        #expect(await board.send(.post, "/tasks", "{}", token: full).status == 201)
        #expect(await board.send(.get, "/tasks", token: read).status == 200)
        #expect(await board.send(.head, "/tasks", token: read).status == 200)
        for (method, target) in [(HTTP.Method.post, "/tasks"), (.patch, "/settings"), (.delete, "/account")] {
            for token in [read, calendar] {
                let refused = await board.send(method, target, "{}", token: token)
                #expect(refused.status == 403)
                #expect(refused.code == "insufficient_scope")
                #expect(refused.header("WWW-Authenticate")?.contains("error=\"insufficient_scope\"") == true)
            }
        }
        #expect(await board.send(.get, "/tasks", token: calendar).status == 403)
        #expect(await board.send(.get, "/calendar.ics?token=\(calendar)").status == 200)
        #expect(await board.send(.get, "/calendar.ics", token: calendar).status == 200)
        #expect(await board.send(.get, "/calendar.ics", token: full).status == 200)
        #expect(await board.send(.get, "/calendar.ics").status == 401)
        // Addresses end up in logs and in other people's calendars, so what stands there opens the calendar alone.
        for token in [full, read, anna.token] {
            let refused = await board.send(.get, "/calendar.ics?token=\(token)")
            #expect(refused.status == 401)
            #expect(refused.header("WWW-Authenticate")?.contains("error=\"invalid_token\"") == true)
        }
        #expect(await board.send(.get, "/tasks?token=\(full)").status == 401)
        #expect(await board.send(.get, "/calendar.ics?token=\(calendar)", token: full).status == 401)
    }

    @Test func `a token makes no other token, whatever its scope`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let full = try await token(board, anna, "full").text

        for scope in ["full", "read", "calendar"] {
            let answer = await board.send(
                .post, "/tokens", "{\"name\": \"a\", \"scope\": \"\(scope)\", \"password\": \"correct horse\"}",
                token: full)
            #expect(answer.status == 403)
            #expect(answer.code == "session_required")
        }
        #expect(await board.send(.get, "/tokens", token: anna.token).json["items"]?.arrayValue?.count == 1)
    }

    @Test func `a token of scope full needs the password, and guesses are counted`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        var answers: [Answer] = []
        for guess in 0..<6 {
            answers.append(
                await board.send(
                    .post, "/tokens", "{\"name\": \"a\", \"scope\": \"full\", \"password\": \"guess \(guess) long\"}",
                    token: anna.token))
        }

        #expect(answers.map(\.status) == [403, 403, 403, 403, 403, 429])
        #expect(answers[0].code == "wrong_password")
        #expect(await board.send(.get, "/tokens", token: anna.token).json["items"]?.arrayValue?.isEmpty == true)
    }

    @Test(arguments: ["read", "calendar"])
    func `without the password a token ends after a year at the latest`(scope: String) async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let inAYear = "2027-11-20T08:19:00.123Z"
        let cases: [(members: String, end: JSON)] = [
            ("", .string(inAYear)), (#", "expiresAt": null"#, .string(inAYear)),
            (#", "expiresAt": "9999-12-31T23:59:59Z""#, .string(inAYear)),
            (#", "expiresAt": "2026-11-21T00:00:00Z""#, "2026-11-21T00:00:00.000Z"),
            (#", "password": "correct horse""#, .null),
            (#", "password": "correct horse", "expiresAt": "9999-12-31T23:59:59Z""#, "9999-12-31T23:59:59.000Z"),
        ]

        for (members, end) in cases {
            let made = await board.send(
                .post, "/tokens", "{\"name\": \"Widget\", \"scope\": \"\(scope)\"\(members)}", token: anna.token)
            #expect(made.status == 201 && made.json["expiresAt"] == end, "\(members)")
            let list = await board.send(.get, "/tokens", token: anna.token)
            let listed = list.json["items"]?.arrayValue?.first { $0["id"] == made.json["id"] }
            #expect(listed?["expiresAt"] == end, "\(members)")
        }
        let wrong = await board.send(
            .post, "/tokens", "{\"name\": \"a\", \"scope\": \"\(scope)\", \"password\": \"wrong horse\"}",
            token: anna.token)
        #expect(wrong.status == 403 && wrong.code == "wrong_password")
    }

    @Test func `a token that was made without the password is over after a year`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let made = await board.send(.post, "/tokens", #"{"name": "a", "scope": "read"}"#, token: anna.token)
        let token = try #require(made.json["token"]?.stringValue)

        board.clock.advance(seconds: 365 * 86_400 - 1)
        #expect(await board.send(.get, "/tasks", token: token).status == 200)
        board.clock.advance(seconds: 1)
        #expect(await board.send(.get, "/tasks", token: token).status == 401)
    }

    @Test func `a session that ends meanwhile makes no token`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let account = try #require(try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") })
        let session = try #require(ID(anna.session))
        try await board.accounts.endSession(session, of: account.key)

        await #expect(throws: AccessError.sessionEnded) {
            try await board.accounts.makeToken(
                name: "late", scope: .read, expiresAt: nil, of: account.key, by: session, password: nil,
                .operator)
        }
    }

    @Test func `an expired and a removed token open nothing`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let brief = try await token(board, anna, "full", expiresAt: "2026-11-20T09:00:00Z")
        let other = try await token(board, anna, "full")
        #expect(await board.send(.get, "/tasks", token: brief.text).status == 200)
        #expect(await board.send(.get, "/tasks", token: other.text).status == 200)

        board.clock.advance(seconds: 3600)
        let removed = await board.send(.delete, "/tokens/\(other.id)", token: anna.token)

        #expect(removed.status == 204)
        #expect(await board.send(.get, "/tasks", token: brief.text).status == 401)
        #expect(await board.send(.get, "/tasks", token: other.text).status == 401)
        #expect(await board.send(.delete, "/tokens/\(other.id)", token: anna.token).status == 404)
    }

    @Test func `a truncated, altered or made-up token opens nothing`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let text = anna.token
        let lastChanged = text.dropLast() + (text.hasSuffix("a") ? "b" : "a")
        let wrong = [
            String(text.dropLast()), text + "a", String(lastChanged), text.uppercased(), "kb_", "", " ",
            String(text.dropFirst(3)), "kb_" + String(repeating: "a", count: 40), text + " " + text, "\"\(text)\"",
        ]

        for token in wrong {
            let answer = await board.send(.get, "/tasks", token: token)
            #expect(answer.status == 401)
            #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer realm=\"kanbase\"") == true)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains(text.dropFirst(3)))
        }
        #expect(await board.send(.get, "/tasks", headers: [("Authorization", "Basic \(text)")]).status == 401)
        #expect(await board.send(.get, "/tasks", headers: [("Authorization", "bEARER  \(text)")]).status == 200)
        #expect(
            await board.send(.get, "/tasks", token: text, headers: [("Authorization", "Bearer \(text)")]).status == 401)
    }

    @Test func `a hundred tokens are enough`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        for _ in 0..<100 { _ = try await token(board, anna, "read") }

        let more = await board.send(.post, "/tokens", #"{"name": "a", "scope": "read"}"#, token: anna.token)

        #expect(more.status == 422)
        #expect(more.faults == ["# too_many"])
    }
}

extension Route {
    /// Stands in the place of the calendar.
    fileprivate static let calendarProbe = Route(
        .get, "/calendar.ics", "showCalendar", audience: .calendar, parameters: ["token"]
    ) { _ in Response(status: 200, body: .bytes([])) }
}
