import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct SessionRoutesTests {
    @Test func `signing up, logging in and asking works, and tells what the contract says`() async throws {
        let board = try AccessBoard()

        let account = await board.send(
            .post, "/accounts", #"{"email": " Anna@Example.org ", "password": "correct horse", "displayName": "Anna"}"#)
        let logIn = await board.send(
            .post, "/sessions", #"{"email": "anna@EXAMPLE.org", "password": "correct horse", "device": "Phone"}"#)
        let token = try #require(logIn.json["token"]?.stringValue)
        let tasks = await board.send(.get, "/tasks", token: token)

        #expect(account.status == 201)
        #expect(account.json["email"] == "Anna@Example.org")
        #expect(account.json["displayName"] == "Anna")
        #expect(account.header("Location") == "/account")
        #expect(logIn.status == 201)
        #expect(logIn.header("Cache-Control") == "no-store")
        #expect(token.hasPrefix("kb_") && token.utf8.count == 43)
        #expect(logIn.json["account"] == account.json)
        #expect(logIn.json["session"]?["device"] == "Phone")
        #expect(logIn.json["session"]?["expiresAt"] == "2027-02-18T08:19:00.123Z")
        #expect(tasks.status == 200)
    }

    @Test func `a taken address is 409, in whatever case`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        try await board.prove(anna)

        let again = await board.signUp("ANNA@example.org")

        #expect(again.status == 409)
        #expect(again.code == "email_taken")
    }

    @Test func `another sign-up takes an address that nobody proved`() async throws {
        let board = try AccessBoard()
        let claimer = try await board.person("anna@example.org")

        let anna = try await board.person("anna@example.org")

        #expect(await board.send(.get, "/account", token: claimer.token).json["email"] == .null)
        try await board.prove(anna)
        #expect(await board.signUp("anna@example.org").code == "email_taken")
    }

    @Test func `of twenty sign-ups with one address at the same time one is let through`() async throws {
        let board = try AccessBoard(isMailOn: false)

        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 1...20 {
                group.addTask { await board.signUp("anna@example.org", from: "192.0.2.\(number)").status }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses.filter { $0 == 201 }.count == 1)
        #expect(statuses.filter { $0 == 409 }.count == 19)
    }

    @Test func `of more than ten sign-ups a minute from an address the others are 429, of other addresses none`()
        async throws
    {
        let board = try AccessBoard()
        for number in 1...10 { await board.signUp("user\(number)@example.org") }

        let eleventh = await board.signUp("user11@example.org")
        #expect(eleventh.status == 429)
        #expect(eleventh.code == "too_many_requests")
        #expect(eleventh.header("Retry-After") == "60")
        #expect(await board.signUp("user11@example.org", from: "192.0.2.2").status == 201)
        board.clock.advance(seconds: 60)
        #expect(await board.signUp("user12@example.org").status == 201)
    }

    @Test func `closed sign-up is 403, and accounts made by the operator log in`() async throws {
        let board = try AccessBoard(policy: .closed)
        let email = try #require(EmailAddress("anna@example.org"))

        let refused = await board.signUp("anna@example.org")
        _ = try await board.accounts.makeAccount(email: email, password: Password("correct horse"), displayName: nil)

        #expect(refused.status == 403)
        #expect(refused.code == "signup_closed")
        #expect(await board.logIn("anna@example.org").status == 201)
    }

    @Test(arguments: [
        (#"{}"#, ["#/email required", "#/password required"]),
        (#"{"email": null, "password": 7}"#, ["#/email invalid_type", "#/password invalid_type"]),
        (#"{"email": "anna", "password": "short"}"#, ["#/email invalid_format", "#/password too_short"]),
        (
            #"{"email": "a@b.org", "password": "long enough", "displayName": " ", "admin": true}"#,
            ["#/displayName blank", "#/admin unknown_member"]
        ),
    ])
    func `every fault of a sign-up is reported at once`(body: String, faults: [String]) async throws {
        let board = try AccessBoard()

        let answer = await board.send(.post, "/accounts", body)

        #expect(answer.status == 422)
        #expect(answer.faults == faults)
    }

    @Test func `a log-in beyond the most makes room: what expired goes, then what went unused longest`() async throws {
        let board = try AccessBoard()
        await board.signUp("anna@example.org")
        let anna = try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") }
        let key = try #require(anna?.key)
        let now = board.clock.now
        try await board.store.writeAccess { writer in
            for number in 0..<Session.most {
                let use = now.adding(milliseconds: -1_000 * Int64(number + 1))
                // The first is the last used one, and has expired.
                let session = Session(
                    id: writer.makeID(), account: key, device: "\(number)", createdAt: use, lastUsedAt: use,
                    expiresAt: number == 0 ? now : now + Session.lifetime)
                try writer.insert(session, digest: TokenSecret().digest)
            }
        }
        func devices() async throws -> [String?] {
            try await board.store.readAccess { try $0.sessions(of: key).map(\.device) }
        }

        #expect(await board.logIn("anna@example.org").status == 201)
        let first = try await devices()
        #expect(first.count == Session.most && !first.contains("0") && first.contains("\(Session.most - 1)"))

        #expect(await board.logIn("anna@example.org").status == 201)
        let second = try await devices()
        #expect(second.count == Session.most && !second.contains("\(Session.most - 1)"))
    }

    @Test func `an unknown address and a wrong password are answered alike`() async throws {
        let board = try AccessBoard()
        await board.signUp("anna@example.org")

        let wrong = await board.send(
            .post, "/sessions", #"{"email": "anna@example.org", "password": "wrong horse"}"#,
            headers: [("X-Request-Id", "same")])
        let unknown = await board.send(
            .post, "/sessions", #"{"email": "nobody@example.org", "password": "correct horse"}"#,
            headers: [("X-Request-Id", "same")])

        #expect(wrong.status == 401)
        #expect(wrong.body == unknown.body)
        #expect(wrong.headers.map { "\($0)" } == unknown.headers.map { "\($0)" })
        #expect(wrong.header("WWW-Authenticate") == "Bearer realm=\"kanbase\"")
    }

    @Test func `after five failures even the right password waits until the minute is over`() async throws {
        let board = try AccessBoard()
        await board.signUp("anna@example.org")
        for _ in 0..<5 { #expect(await board.logIn("anna@example.org", password: "wrong horse").status == 401) }
        board.clock.advance(seconds: 20)

        let refused = await board.logIn("Anna@example.org", from: "198.51.100.9")
        board.clock.advance(seconds: 40)
        let late = await board.logIn("anna@example.org")

        #expect(refused.status == 429)
        #expect(refused.header("Retry-After") == "40")
        #expect(late.status == 201)
    }

    @Test func `an address that guesses is held up for every account`() async throws {
        let board = try AccessBoard()
        await board.signUp("anna@example.org")
        for guess in 0..<5 { await board.logIn("guess\(guess)@example.org", from: "2001:db8:1:2::\(guess)") }

        #expect(await board.logIn("anna@example.org", from: "2001:db8:1:2:ffff::1").status == 429)
        #expect(await board.logIn("anna@example.org", from: "2001:db8:1:3::1").status == 201)
    }

    @Test func `of a thousand guesses at once five are looked at`() async throws {
        let board = try AccessBoard()
        await board.signUp("anna@example.org")

        let statuses = await withTaskGroup(of: Int.self) { group in
            for guess in 0..<1000 {
                group.addTask { await board.logIn("anna@example.org", password: "guess \(guess)").status }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses.filter { $0 == 401 }.count == 5)
        // The others are asked to come back later, or because too many are waiting.
        #expect(statuses.allSatisfy { [401, 429, 503].contains($0) })
        #expect(await board.logIn("anna@example.org").status == 429)
    }

    @Test func `twenty right log-ins at once all succeed`() async throws {
        let board = try AccessBoard()
        await board.signUp("anna@example.org")

        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await board.logIn("anna@example.org").status } }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses == Array(repeating: 201, count: 20))
    }

    @Test func `two devices are two sessions, and one ends without the other`() async throws {
        let board = try AccessBoard()
        let phone = try await board.person("anna@example.org")
        board.clock.advance(seconds: 60)
        let tablet = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)

        let both = await board.send(.get, "/sessions", token: phone.token)
        let ended = await board.send(.delete, "/sessions/\(phone.session)", token: tablet)
        let rest = await board.send(.get, "/sessions", token: tablet)

        #expect(both.json["items"]?.arrayValue?.count == 2)
        #expect(both.json["nextCursor"] == .null)
        #expect(ended.status == 204)
        #expect(rest.json["items"]?.arrayValue?.count == 1)
        #expect(await board.send(.get, "/tasks", token: phone.token).status == 401)
        #expect(await board.send(.delete, "/sessions/\(phone.session)", token: tablet).status == 404)
    }

    @Test func `logging out is effective at once, and wakes the account's streams`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let digest = try #require(TokenSecret.digest(of: Array(anna.token.utf8)[...]))
        #expect(try await board.accounts.verifier.grant(digest: digest, now: board.clock.now) != nil)
        #expect(await board.send(.get, "/tasks", token: anna.token).status == 200)

        let loggedOut = await board.send(.delete, "/sessions/current", token: anna.token)

        #expect(loggedOut.status == 204)
        #expect(board.endings.count == 1)
        #expect(try await board.accounts.verifier.grant(digest: digest, now: board.clock.now) == nil)
        let after = await board.send(.get, "/tasks", token: anna.token)
        #expect(after.status == 401)
        #expect(after.header("WWW-Authenticate") == "Bearer realm=\"kanbase\", error=\"invalid_token\"")
    }

    @Test func `a session lives for 90 days after its last use`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        for _ in 0..<3 {
            board.clock.advance(seconds: 89 * 86_400)
            #expect(await board.send(.get, "/tasks", token: anna.token).status == 200)
        }

        board.clock.advance(seconds: 90 * 86_400)

        #expect(await board.send(.get, "/tasks", token: anna.token).status == 401)
    }

    @Test func `a hash with old parameters is rebuilt at log-in`() async throws {
        let board = try AccessBoard()
        await board.signUp("anna@example.org")
        let account = try #require(try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") })
        for old in try PasswordHashes.old("correct horse") {
            try await board.store.writeAccess { try $0.setPasswordHash(old, of: account.key) }

            #expect(await board.logIn("anna@example.org", password: "wrong horse").status == 401)
            #expect(try await board.store.readAccess { try $0.passwordHash(of: account.key) } == old)
            #expect(await board.logIn("anna@example.org").status == 201)

            let renewed = try #require(try await board.store.readAccess { try $0.passwordHash(of: account.key) })
            #expect(renewed.hasPrefix("$scrypt$ln=4,r=8,p=3$"))
            #expect(await board.logIn("anna@example.org").status == 201)
            #expect(try await board.store.readAccess { try $0.passwordHash(of: account.key) } == renewed)
        }
    }

    @Test(arguments: [("/sessions", 200), ("/sessions?tokens=false", 200), ("/sessions?tokens=true", 401)])
    func `all other sessions end at once, and the tokens when they are named`(target: String, left: Int) async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let ben = try await board.person("ben@example.org")
        let other = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        let token = try #require(
            await board.send(.post, "/tokens", #"{"name": "a", "scope": "read"}"#, token: anna.token)
                .json["token"]?.stringValue)
        #expect(await board.send(.get, "/tasks", token: other).status == 200)
        #expect(await board.send(.get, "/tasks", token: token).status == 200)
        let endings = board.endings.count

        #expect(await board.send(.delete, target, token: anna.token).status == 204)

        #expect(await board.send(.get, "/tasks", token: anna.token).status == 200)
        #expect(await board.send(.get, "/tasks", token: other).status == 401)
        #expect(await board.send(.get, "/tasks", token: token).status == left)
        #expect(await board.send(.get, "/tasks", token: ben.token).status == 200)
        // So that open streams look whether it was them.
        #expect(board.endings.count > endings)
        let kinds = await board.send(.get, "/account/events", token: anna.token).json["items"]?.arrayValue?
            .compactMap { $0["kind"]?.stringValue }
        #expect(kinds?.contains("token_removed") == (left == 401))
        #expect(await board.send(.delete, "/sessions?tokens=perhaps", token: anna.token).status == 400)
    }

    @Test func `a line break in what is sent comes back in no header`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let answers = [
            await board.send(
                .post, "/sessions", #"{"email": "a@b.org\r\nSet-Cookie: x=1", "password": "\r\nX-Evil: 1 long"}"#),
            await board.send(.post, "/tokens", #"{"name": "a\r\nX-Evil: 1", "scope": "read"}"#, token: anna.token),
            await board.send(.get, "/tasks", token: anna.token + "%0d%0aX-Evil: 1"),
            await board.send(.delete, "/tokens/%0d%0aX-Evil:%201", token: anna.token),
        ]

        for answer in answers {
            for (name, value) in answer.headers {
                #expect(!name.utf8.contains(10) && !value.utf8.contains(10) && !value.utf8.contains(13))
                #expect(name != "X-Evil")
            }
        }
    }

    @Test(arguments: [HTTP.Method.post, .get])
    func `a session that ends while a body comes opens nothing any more`(method: HTTP.Method) async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        func respond(after milliseconds: Int64, _ meanwhile: () async -> Void) async -> Int {
            let request = TestRequest(
                method: method, target: "/tasks",
                fields: [
                    ("Host", "localhost"), ("Authorization", "Bearer \(anna.token)"),
                    ("Content-Type", "application/json"),
                ], body: Array(#"{"title": "Milk"}"#.utf8))
            return await board.application.respond(
                to: request,
                meanwhile: {
                    await meanwhile()
                    board.clock.advance(milliseconds: milliseconds)
                }
            ).status
        }

        #expect(await respond(after: 60_000) {} == (method == .post ? 201 : 200))
        // Also where the clock is set back meanwhile.
        #expect(await respond(after: -60_000) {} == (method == .post ? 201 : 200))
        let status = await respond(after: 251) { await board.send(.delete, "/sessions/current", token: anna.token) }
        #expect(status == 401)
    }
}
