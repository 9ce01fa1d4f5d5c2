import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

struct AccountRoutesTests {
    @Test func `the account shows itself, and its name changes without the password`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let shown = await board.send(.get, "/account", token: anna.token)
        let changed = await board.send(.patch, "/account", #"{"displayName": " Anna K. "}"#, token: anna.token)
        let cleared = await board.send(.patch, "/account", #"{"displayName": null}"#, token: anna.token)

        #expect(shown.json["email"] == "anna@example.org")
        #expect(shown.json["displayName"] == .null)
        #expect(
            shown.json.objectMembers?.map(\.name) == [
                "id", "email", "emailVerified", "pendingEmail", "displayName", "image", "createdAt", "usage",
            ])
        #expect(changed.json["displayName"] == "Anna K.")
        #expect(changed.header("ETag") != shown.header("ETag"))
        #expect(cleared.json == shown.json)
    }

    @Test func `what was shown may come back whole`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let shown = await board.send(.get, "/account", token: anna.token)

        let same = await board.send(.patch, "/account", String(decoding: shown.body, as: UTF8.self), token: anna.token)

        #expect(same.status == 200)
        #expect(same.json == shown.json)
    }

    @Test func `preconditions are met on the account's tag`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let tag = try #require(await board.send(.get, "/account", token: anna.token).header("ETag"))

        let unchanged = await board.send(.get, "/account", token: anna.token, headers: [("If-None-Match", tag)])
        let changed = await board.send(
            .patch, "/account", #"{"displayName": "A"}"#, token: anna.token, headers: [("If-Match", tag)])
        let late = await board.send(
            .patch, "/account", #"{"displayName": "B"}"#, token: anna.token, headers: [("If-Match", tag)])

        #expect(unchanged.status == 304)
        #expect(changed.status == 200)
        #expect(late.status == 412)
    }

    @Test func `without mail a new address needs the current password, and must be free`() async throws {
        let board = try AccessBoard(isMailOn: false)
        let anna = try await board.person("anna@example.org")
        try #require(await board.signUp("ben@example.org").status == 201)

        let without = await board.send(.patch, "/account", #"{"email": "new@example.org"}"#, token: anna.token)
        let number = await board.send(
            .patch, "/account", #"{"email": "new@example.org", "password": 5}"#, token: anna.token)
        let wrong = await board.send(
            .patch, "/account", #"{"email": "new@example.org", "password": "wrong horse"}"#, token: anna.token)
        let taken = await board.send(
            .patch, "/account", #"{"email": "BEN@example.org", "password": "correct horse"}"#, token: anna.token)
        let right = await board.send(
            .patch, "/account", #"{"email": "new@example.org", "password": "correct horse"}"#, token: anna.token)

        #expect(without.faults == ["#/password required"] && number.faults == ["#/password invalid_type"])
        #expect(wrong.status == 403)
        #expect(wrong.code == "wrong_password")
        #expect(taken.status == 409)
        #expect(taken.code == "email_taken")
        #expect(right.json["email"] == "new@example.org")
        #expect(await board.logIn("anna@example.org").status == 401)
        #expect(await board.logIn("new@example.org").status == 201)
    }

    @Test(arguments: [nil, true, false])
    func `a new password ends the other sessions, and the tokens unless they are to stay`(endTokens: Bool?) async throws
    {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let other = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        let token = try #require(
            await board.send(
                .post, "/tokens", #"{"name": "a", "scope": "full", "password": "correct horse"}"#, token: anna.token
            ).json["token"]?.stringValue)
        #expect(await board.send(.get, "/tasks", token: other).status == 200)

        let also = endTokens.map { ", \"endTokens\": \($0)" } ?? ""
        let changed = await board.send(
            .patch, "/account", "{\"newPassword\": \"battery staple\", \"password\": \"correct horse\"\(also)}",
            token: anna.token)

        #expect(changed.status == 200)
        #expect(await board.send(.get, "/tasks", token: anna.token).status == 200)
        #expect(await board.send(.get, "/tasks", token: other).status == 401)
        #expect(await board.send(.get, "/tasks", token: token).status == (endTokens == false ? 200 : 401))
        #expect(await board.logIn("anna@example.org").status == 401)
        #expect(await board.logIn("anna@example.org", password: "battery staple").status == 201)
    }

    @Test func `a thief of a session cannot guess the password on the side`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        var statuses: [Int] = []
        for guess in 0..<6 {
            let body = "{\"newPassword\": \"battery staple\", \"password\": \"guess number \(guess)\"}"
            statuses.append(await board.send(.patch, "/account", body, token: anna.token).status)
        }

        #expect(statuses == [403, 403, 403, 403, 403, 429])
        #expect(
            await board.send(.delete, "/account", #"{"password": "correct horse"}"#, token: anna.token).status == 429)
        #expect(await board.logIn("anna@example.org").status == 201)
    }

    @Test(
        arguments: [
            (.patch, "/account", #"{"email": "eve@example.org", "password": "wrong horse"}"#),
            (.patch, "/account", #"{"newPassword": "battery staple", "password": "wrong horse"}"#),
            (.post, "/tokens", #"{"name": "a", "scope": "full", "password": "wrong horse"}"#),
            (.delete, "/account", #"{"password": "wrong horse"}"#),
        ] as [(HTTP.Method, String, String)])
    func `a wrong password for a change is an event of the account, with the device`(
        method: HTTP.Method, path: String, body: String
    ) async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let refused = await board.send(method, path, body, token: anna.token)
        let events = await board.send(.get, "/account/events", token: anna.token).json["items"]?.arrayValue ?? []

        #expect(refused.code == "wrong_password")
        #expect(events.map { $0["kind"] } == ["log_in_failed", "log_in", "sign_up"])
        #expect(events.first?["device"] == events.dropFirst().first?["device"])
    }

    @Test(.overAFile("each server notes it behind its answer, and waits for its own notes alone"))
    func `a wrong password of a log-in is among the events as soon as it is answered`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        for count in 1...4 {
            #expect(await board.logIn("anna@example.org", password: "guess number \(count)").status == 401)
            let events = await board.send(.get, "/account/events", token: anna.token).json["items"]?.arrayValue ?? []
            #expect(events.filter { $0["kind"] == "log_in_failed" }.count == count)
        }
    }

    @Test func `guesses of strangers do not keep the owner from changing the password`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        for guess in 0..<5 { _ = await board.logIn("anna@example.org", password: "guess number \(guess)") }

        let changed = await board.send(
            .patch, "/account", #"{"newPassword": "battery staple", "password": "correct horse"}"#, token: anna.token)

        #expect(await board.logIn("anna@example.org").status == 429)
        #expect(changed.status == 200)
    }

    @Test func `a stale edit is refused with the account as it is`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let refused = await board.send(
            .patch, "/account", #"{"displayName": "Anna"}"#, token: anna.token,
            headers: [("If-Match", "\"1\"")])

        #expect(refused.status == 412)
        #expect(await refused.json["current"] == board.send(.get, "/account", token: anna.token).json)
    }

    @Test func `deleting the account needs its password, and leaves others alone`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let ben = try await board.person("ben@example.org")
        await board.send(.post, "/tasks", "{}", token: anna.token)
        await board.send(.post, "/tasks", "{}", token: ben.token)

        let without = await board.send(.delete, "/account", "{}", token: anna.token)
        let wrong = await board.send(.delete, "/account", #"{"password": "wrong horse"}"#, token: anna.token)
        let gone = await board.send(.delete, "/account", #"{"password": "correct horse"}"#, token: anna.token)

        #expect(without.status == 403 && without.code == "wrong_password")
        #expect(wrong.status == 403 && wrong.code == "wrong_password")
        #expect(gone.status == 204)
        #expect(await board.send(.get, "/tasks", token: anna.token).status == 401)
        #expect(await board.logIn("anna@example.org").status == 401)
        #expect(await board.send(.get, "/tasks", token: ben.token).json["items"]?.arrayValue?.count == 1)
    }

    @Test func `an account made after a deleted one has nothing of it`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        await board.send(.post, "/tasks", "{}", token: anna.token)
        await board.send(.delete, "/account", #"{"password": "correct horse"}"#, token: anna.token)

        let again = try await board.person("anna@example.org")

        #expect(await board.send(.get, "/tasks", token: again.token).json["items"] == .array([]))
        #expect(await board.send(.get, "/tasks", token: anna.token).status == 401)
    }

    @Test func `in open mode there is one account, without address, password or end`() async throws {
        let board = try TestBoard()

        #expect(
            await board.send(.post, "/accounts", #"{"email": "a@b.org", "password": "correct horse"}"#).status == 403)
        #expect(
            await board.send(.post, "/sessions", #"{"email": "a@b.org", "password": "correct horse"}"#).status == 403)
        #expect(await board.send(.delete, "/account", #"{"password": "correct horse"}"#).code == "accounts_off")
    }
}
