import HTTP
import JSON
import Kanban
import KanbanAccess
import TestSupport
import Testing

@testable import KanbanAPI

/// Tokens over a store that reports the versions of accounts to a loop. Every request goes to the server that another one
/// shares its rows with.
@Suite(.overAFile("what the store is asked is counted"))
struct TokenVersionCheckTests {
    private let board: AccessBoard
    private let anna: AccessBoard.Person

    init() async throws {
        board = try AccessBoard(limit: RateLimit(perSecond: 1, burst: 100))
        board.remoteStore.countEnding()
        board.remoteStore.answerVersionChecks(.reported)
        anna = try await board.person("anna@example.org")
    }

    /// Sends a request to the server whose store reports versions.
    /// - Returns: the answer, and how many version checks and reads of access rows the request made.
    private func ask(
        _ method: HTTP.Method, _ target: String, token: String? = nil
    ) async -> (answer: Answer, checks: Int, reads: Int) {
        let (checks, reads) = (board.remoteStore.versionCheckCount, board.remoteStore.accessReadCount)
        let answer = await board.send(method, target, token: token, isRemote: true)
        return (answer, board.remoteStore.versionCheckCount - checks, board.remoteStore.accessReadCount - reads)
    }

    private func token(_ scope: String, expiresAt: String? = nil) async throws -> String {
        let end = expiresAt.map { ", \"expiresAt\": \"\($0)\"" } ?? ""
        let answer = await board.send(
            .post, "/tokens",
            "{\"name\": \"Widget\", \"scope\": \"\(scope)\", \"password\": \"correct horse\"\(end)}",
            token: anna.token)
        return try #require(answer.json["token"]?.stringValue)
    }

    @Test func `a token that was looked up once is not looked up again`() async throws {
        try #require(await board.send(.post, "/tasks", "{}", token: anna.token).status == 201)

        let first = await ask(.get, "/tasks", token: anna.token)
        let boardReads = board.remoteStore.readCount
        let second = await ask(.get, "/tasks", token: anna.token)

        // Before the account's version was known, and after.
        #expect(first.answer.status == 200 && first.checks == 0 && first.reads == 2)
        #expect(second.answer.status == 200 && second.checks == 1 && second.reads == 0)
        // Kept, under the feed that came with the version.
        #expect(board.remoteStore.readCount == boardReads)
        let local = await board.send(.get, "/tasks", token: anna.token)
        for answer in [first.answer, second.answer] {
            #expect(answer.body == local.body && answer.header("ETag") == local.header("ETag"))
            #expect(answer.header("Vary") == "Authorization")
        }
    }

    @Test(arguments: ["/tasks?limit=10", "/settings", "/ddays", "/upcoming"])
    func `a tag is bound to the account without another version check`(target: String) async throws {
        _ = await ask(.get, "/categories", token: anna.token)
        let feedReads = board.remoteStore.feedReadCount

        let answer = await ask(.get, target, token: anna.token)

        #expect(answer.answer.status == 200 && answer.checks == 1)
        #expect(board.remoteStore.feedReadCount == feedReads)
        #expect(await answer.answer.header("ETag") == board.send(.get, target, token: anna.token).header("ETag"))
    }

    @Test func `an unknown token is looked up each time`() async throws {
        let unknown = String(repeating: "A", count: anna.token.count - 3)
        for _ in 1...2 {
            let answer = await ask(.get, "/tasks", token: "kb_\(unknown)")
            #expect(answer.answer.status == 401 && answer.checks == 0 && answer.reads == 1)
        }
    }

    @Test func `after an ending of the account its tokens are looked up`() async throws {
        let other = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        for token in [anna.token, other] { _ = await ask(.get, "/settings", token: token) }

        try #require(await board.send(.delete, "/sessions/current", token: other).status == 204)
        board.remoteStore.countEnding()

        let ended = await ask(.get, "/settings", token: other)
        #expect(ended.answer.status == 401 && ended.checks == 1 && ended.reads > 0)
        #expect(ended.answer.header("Vary") == "Authorization")
        let lasting = await ask(.get, "/settings", token: anna.token)
        #expect(lasting.answer.status == 200 && lasting.checks == 1 && lasting.reads > 0)
        let again = await ask(.get, "/settings", token: anna.token)
        #expect(again.answer.status == 200 && again.reads == 0)
    }

    @Test func `a token is looked up again after a minute`() async {
        _ = await ask(.get, "/settings", token: anna.token)

        board.clock.advance(seconds: 59)
        #expect(await ask(.get, "/settings", token: anna.token).reads == 0)
        board.clock.advance(seconds: 1)
        let later = await ask(.get, "/settings", token: anna.token)

        #expect(later.answer.status == 200 && later.checks == 1 && later.reads > 0)
    }

    @Test func `a token that has expired opens nothing`() async throws {
        let token = try await token("read", expiresAt: "2026-11-20T08:19:30Z")
        for _ in 1...2 { #expect(await ask(.get, "/settings", token: token).answer.status == 200) }

        board.clock.advance(seconds: 30)
        let expired = await ask(.get, "/settings", token: token)

        // Another server may have put off its end.
        #expect(expired.answer.status == 401 && expired.checks == 1 && expired.reads > 0)
    }

    @Test(arguments: [RemoteStore.VersionAnswer.refused, .lost])
    func `without an answer to the loop the token is checked by waiting`(checks: RemoteStore.VersionAnswer) async throws
    {
        _ = await ask(.get, "/settings", token: anna.token)
        board.remoteStore.answerVersionChecks(checks)

        let answer = await ask(.get, "/settings", token: anna.token)
        // The account's version, which comes with the feed, is the same.
        #expect(answer.answer.status == 200 && answer.checks == (checks == .lost ? 1 : 0) && answer.reads == 0)

        board.remoteStore.fail(.away)
        #expect(await ask(.get, "/settings", token: anna.token).answer.status == 503)
        board.remoteStore.fail(nil)

        try #require(await board.send(.delete, "/sessions/current", token: anna.token).status == 204)
        board.remoteStore.countEnding()
        #expect(await ask(.get, "/settings", token: anna.token).answer.status == 401)
    }

    @Test(arguments: [RemoteStore.VersionAnswer.refused, .lost, .reported])
    func `a request counts once against the rate limit, however its token is checked`(checks: RemoteStore.VersionAnswer)
        async
    {
        board.remoteStore.answerVersionChecks(checks)
        for left in [99, 98, 97] {
            // The last one falls back on a look-up.
            if left == 97 { board.remoteStore.countEnding() }
            let answer = await ask(.get, "/settings", token: anna.token).answer
            #expect(answer.header("RateLimit")?.hasPrefix("\"default\";r=\(left);") == true)
        }
    }

    @Test func `each scope opens what it says, and nothing else`() async throws {
        let made = await board.send(.post, "/tasks", "{}", token: anna.token).json
        let (full, read, calendar) = (try await token("full"), try await token("read"), try await token("calendar"))
        // They are remembered.
        for token in [full, read] { #expect(await ask(.get, "/tasks", token: token).answer.status == 200) }
        #expect(await ask(.get, "/calendar.ics", token: calendar).answer.status == 200)

        let refused = await ask(.delete, "/tasks/\(made.id)", token: read)
        #expect(refused.answer.status == 403 && refused.answer.code == "insufficient_scope")
        #expect(refused.checks == 1 && refused.reads == 0 && refused.answer.header("Vary") == "Authorization")
        #expect(await ask(.get, "/tasks/\(made.id)", token: read).answer.status == 200)

        let subscribed = await ask(.get, "/calendar.ics?token=\(calendar)")
        #expect(subscribed.answer.status == 200 && subscribed.checks == 1 && subscribed.reads == 0)
        #expect(await ask(.get, "/tasks", token: calendar).answer.code == "insufficient_scope")
        // Addresses end up in logs and in other people's calendars, so what stands there opens the calendar alone.
        for token in [full, read] {
            let refused = await ask(.get, "/calendar.ics?token=\(token)")
            #expect(refused.answer.status == 401 && refused.checks == 1 && refused.reads == 0)
        }

        #expect(await ask(.delete, "/tasks/\(made.id)", token: full).answer.status == 204)
    }
}
