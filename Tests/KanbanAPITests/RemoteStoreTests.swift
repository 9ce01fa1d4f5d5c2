import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

/// Handlers over a store whose reads wait and fail, and to which another server writes.
@Suite(.overAFile("the store fails and waits as the test says"))
struct RemoteStoreTests {
    private static let id = "0192f3a0-0000-7000-8000-000000000001"

    private static let reads = [
        "/tasks/\(id)", "/tasks/\(id)?expand=deadline", "/tasks", "/tasks?q=plan", "/tasks?due=today", "/board",
        "/tasks/\(id)/history", "/history", "/categories", "/ddays", "/settings", "/upcoming", "/stats", "/today",
        "/changes", "/changes?limit=200", "/export", "/export?format=csv", "/calendar.ics", "/health/ready",
    ]

    private func board(_ checks: RemoteStore.VersionAnswer = .refused) async throws -> TestBoard {
        let board = try TestBoard()
        board.remoteStore.answerVersionChecks(checks)
        try await board.task(#"{"id": "\#(Self.id)", "title": "Plan the week", "dueDate": "2026-11-21"}"#)
        try await board.task(#"{"title": "Read on"}"#)
        return board
    }

    @Test(arguments: reads, [RemoteStore.VersionAnswer.refused, .lost, .reported])
    func `a read over a store that waits is answered as over a file`(
        target: String, checks: RemoteStore.VersionAnswer
    ) async throws {
        let board = try await board(checks)

        for _ in 1...2 {
            let here = await board.send(.get, target)
            let there = await board.send(.get, target, isRemote: true)

            #expect(there.status == 200 && here.status == 200)
            #expect(there.body == here.body)
            #expect(there.header("ETag") == here.header("ETag") && there.header("Link") == here.header("Link"))
        }
    }

    @Test(arguments: reads, [RemoteStore.VersionAnswer.refused, .lost])
    func `a read that fails is 503, and the next one is answered`(
        target: String, checks: RemoteStore.VersionAnswer
    ) async throws {
        let board = try await board(checks)
        // Kept answers do not hide it.
        #expect(await board.send(.get, target, isRemote: true).status == 200)

        board.remoteStore.fail(.away)
        let answer = await board.send(.get, target, isRemote: true)
        board.remoteStore.fail(nil)

        #expect(answer.status == 503 && answer.header("Retry-After") != nil)
        #expect(await board.send(.get, target, isRemote: true).status == 200)
    }

    private static let changes: [(HTTP.Method, String, String?, Int)] = [
        (.post, "/tasks", #"{"title": "New"}"#, 201), (.post, "/tasks", "{}", 201),
        (.patch, "/tasks/\(id)", #"{"title": null}"#, 200), (.put, "/tasks/\(id)", #"{"status": "done"}"#, 200),
        (.post, "/tasks/\(id)/move", #"{"status": "doing"}"#, 200), (.delete, "/tasks/\(id)", nil, 204),
        (.post, "/categories", #"{"name": "Work"}"#, 201), (.patch, "/settings", #"{"locale": "ko"}"#, 200),
        (.post, "/tasks", #"{"title": "", "categoryId": "0192f3a0-0000-7000-8000-00000000000f"}"#, 422),
        (
            .post, "/sync",
            #"{"mutations": [{"mutationId": "0192f3a0-0000-7000-8000-0000000000aa", "type": "task", "op": "create"}]}"#,
            200
        ),
    ]

    @Test(arguments: changes)
    func `a change over a store that waits is made, and one that fails is 503`(
        method: HTTP.Method, target: String, body: String?, status: Int
    ) async throws {
        let board = try await board()

        board.remoteStore.fail(.away)
        let refused = await board.send(method, target, body, isRemote: true)
        board.remoteStore.fail(nil)
        let answer = await board.send(method, target, body, isRemote: true)

        #expect(refused.status == 503)
        #expect(answer.status == status)
        let titles = await board.titles("/tasks")
        if body == "{}" || body == #"{"title": null}"# { #expect(titles.contains(Language.en.defaultTaskTitle)) }
        #expect(await board.send(.get, "/tasks", isRemote: true).body == board.send(.get, "/tasks").body)
    }

    @Test func `a write whose outcome is lost is 503, and its repeat gets the first answer`() async throws {
        let board = try TestBoard()
        let key = [(name: "Idempotency-Key", value: "k1")]
        let push = #"{"mutations": [{"mutationId": "\#(Self.id)", "type": "task", "op": "create", "value": {}}]}"#

        board.remoteStore.fail(.lostOutcome)
        let lost = await board.send(.post, "/tasks", "{}", headers: key, isRemote: true)
        let lostPush = await board.send(.post, "/sync", push, isRemote: true)
        board.remoteStore.fail(nil)
        let repeated = await board.send(.post, "/tasks", "{}", headers: key, isRemote: true)
        let repeatedPush = await board.send(.post, "/sync", push, isRemote: true)

        for answer in [lost, lostPush] { #expect(answer.status == 503 && answer.header("Retry-After") != nil) }
        #expect(repeated.status == 201 && repeated.header("Idempotency-Replayed") == "true")
        #expect(repeatedPush.json["results"]?.arrayValue?.map { $0["status"] } == ["applied"])
        #expect(await board.titles("/tasks").count == 2)
    }

    @Test func `imports and pushes of many edits are long writes, another long request is none`() async throws {
        let board = try await board()
        let edits = (100..<151).map {
            #"{"mutationId": "0192f3a0-0000-7000-8000-000000000\#($0)", "type": "task", "op": "create", "value": {}}"#
        }
        let export = String(decoding: await board.send(.get, "/export").body, as: UTF8.self)

        let text = #"{"body": "A"\#(String(repeating: " ", count: 20_000))}"#
        #expect(await board.send(.patch, "/tasks/\(Self.id)", text, isRemote: true).status == 200)
        #expect(board.remoteStore.longWriteCount == 0)
        for few in [edits[..<50], edits[50...]] {
            let push = #"{"mutations": [\#(few.joined(separator: ","))]}"#
            #expect(await board.send(.post, "/sync", push, isRemote: true).status == 200)
        }
        #expect(board.remoteStore.longWriteCount == 0)

        #expect(await board.send(.post, "/import", export, isRemote: true).status == 200)
        #expect(board.remoteStore.longWriteCount == 1)
        let push = #"{"mutations": [\#(edits.joined(separator: ","))]}"#
        #expect(await board.send(.post, "/sync", push, isRemote: true).status == 200)
        #expect(board.remoteStore.longWriteCount == 2)
    }

    @Test(arguments: [RemoteStore.VersionAnswer.refused, .lost, .reported])
    func `an answer is kept until somebody writes, here or elsewhere`(checks: RemoteStore.VersionAnswer) async throws {
        let board = try await board(checks)
        let first = await board.send(.get, "/tasks", isRemote: true)
        let reads = board.remoteStore.readCount

        #expect(await board.send(.get, "/tasks", isRemote: true).body == first.body)
        #expect(board.remoteStore.readCount == reads)
        #expect(board.remoteStore.versionCheckCount == (checks == .refused ? 0 : 2))

        // As another server does, of which nobody tells this one.
        try await board.task(#"{"title": "Elsewhere"}"#)
        #expect(await board.send(.get, "/tasks", isRemote: true).body == board.send(.get, "/tasks").body)
    }

    @Test func `a log-out on another server holds from the next request on`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        #expect(await board.send(.get, "/tasks", token: anna.token, isRemote: true).status == 200)
        #expect(await board.send(.get, "/account", token: anna.token, isRemote: true).status == 200)
        #expect(await board.send(.get, "/sessions", token: anna.token, isRemote: true).status == 200)

        #expect(await board.send(.delete, "/sessions/current", token: anna.token).status == 204)

        let after = await board.send(.get, "/tasks", token: anna.token, isRemote: true)
        #expect(after.status == 401 && after.header("Vary") == "Authorization")
    }

    @Test func `a token that cannot be looked up is 503`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        board.remoteStore.fail(.away)
        let answer = await board.send(.get, "/tasks", token: anna.token, isRemote: true)
        board.remoteStore.fail(nil)

        #expect(answer.status == 503)
        #expect(await board.send(.get, "/tasks", token: anna.token, isRemote: true).status == 200)
    }
}
