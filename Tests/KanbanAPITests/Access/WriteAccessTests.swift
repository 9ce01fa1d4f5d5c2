import HTTP
import JSON
import Kanban
import KanbanAccess
import TestSupport
import Testing

@testable import KanbanAPI

/// Writes over a store that compares the endings of an account under its lock: nothing is asked before them.
@Suite(.overAFile("what the store is asked is counted"))
struct WriteAccessTests {
    private let board: AccessBoard
    private let anna: AccessBoard.Person
    /// A task of the board.
    private let task: String

    init() async throws {
        board = try AccessBoard()
        board.remoteStore.countEnding()
        board.remoteStore.answerVersionChecks(.reported)
        anna = try await board.person("anna@example.org")
        task = await board.send(.post, "/tasks", #"{"title": "Water the plants"}"#, token: anna.token).json.id
        // From now on the other server knows the token.
        try #require(await board.send(.get, "/settings", token: anna.token, isRemote: true).status == 200)
    }

    /// Sends a request to the server whose store tells.
    /// - Returns: the answer, and how often the request asked anything about the account before or after its write.
    private func ask(
        _ method: HTTP.Method, _ target: String, _ body: String? = nil,
        headers: [(name: String, value: String)] = []
    ) async -> (answer: Answer, questions: Int) {
        let store = board.remoteStore
        var count: Int { store.versionCheckCount + store.accessReadCount + store.feedReadCount }
        let before = count
        let answer = await board.send(method, target, body, token: anna.token, headers: headers, isRemote: true)
        return (answer, count - before)
    }

    private func titles() async -> [String?] {
        // At the server that knows every ending at once.
        await board.send(.get, "/tasks", token: anna.token).json["items"]?.arrayValue?.map { $0["title"]?.stringValue }
            ?? []
    }

    @Test func `a write of a known token asks nothing`() async {
        for (method, target, body, status) in [
            (HTTP.Method.post, "/tasks", #"{"title": "Mow"}"#, 201),
            (.patch, "/tasks/\(task)", #"{"title": "Water them"}"#, 200),
            (.put, "/tasks/\(task)", #"{"title": "Water"}"#, 200),
            (.post, "/tasks/\(task)/move", #"{"status": "done"}"#, 200),
            (.delete, "/tasks/\(task)", nil, 204),
            (.post, "/tasks/\(task)/restore", nil, 200),
            (.post, "/sync", #"{"mutations": []}"#, 200),
        ] as [(HTTP.Method, String, String?, Int)] {
            let asked = await ask(method, target, body)
            #expect(asked.answer.status == status && asked.questions == 0, "\(method) \(target)")
            #expect(asked.answer.header("Vary") == "Authorization")
            guard let tag = asked.answer.header("ETag") else { continue }
            let shown = await board.send(.get, "/tasks/\(asked.answer.json.id)", token: anna.token)
            #expect(tag == shown.header("ETag"), "\(method) \(target)")
        }
    }

    /// Also where the request would be refused for what is in it: that is for those who may call.
    @Test(
        arguments: [
            (HTTP.Method.post, "/tasks", #"{"title": "Mow"}"#, ""),
            (.post, "/tasks", #"{"title": "Mow"}"#, "once"),
            (.post, "/tasks", "{", ""),
            (.post, "/tasks", #"{"title": 1}"#, ""),
            (.post, "/tasks", #"{"title": 1}"#, "once"),
            (.post, "/tasks?unknown=1", "{}", ""),
            (.patch, "/tasks/no-id", "{}", ""),
            (.delete, "/tasks/00000000-0000-4000-8000-000000000000", nil, ""),
            (.post, "/sync", #"{"mutations": []}"#, ""),
            (.post, "/sync", #"{"mutations": [], "since": "no cursor"}"#, ""),
        ] as [(HTTP.Method, String, String?, String)])
    func `a token that ended elsewhere writes nothing, and its answer says nothing else`(
        method: HTTP.Method, target: String, body: String?, key: String
    ) async throws {
        let other = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        try #require(await board.send(.delete, "/sessions/current", token: anna.token).status == 204)
        board.remoteStore.countEnding()

        let refused = await ask(method, target, body, headers: key.isEmpty ? [] : [("Idempotency-Key", key)])

        #expect(refused.answer.status == 401 && refused.answer.header("WWW-Authenticate") != nil)
        #expect(refused.answer.header("Vary") == "Authorization")
        let items = await board.send(.get, "/tasks", token: other).json["items"]?.arrayValue
        #expect(items?.map { $0["title"]?.stringValue } == ["Water the plants"])
    }

    @Test(arguments: ["", "once"])
    func `after another token ended a write is performed once, and its token is known again`(key: String) async throws {
        let other = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        try #require(await board.send(.delete, "/sessions/current", token: other).status == 204)
        board.remoteStore.countEnding()
        let headers = key.isEmpty ? [] : [(name: "Idempotency-Key", value: key)]

        let first = await ask(.post, "/tasks", #"{"title": "Mow"}"#, headers: headers)
        let second = await ask(.post, "/tasks", #"{"title": "Rake"}"#)

        #expect(first.answer.status == 201 && first.questions > 0)
        #expect(second.answer.status == 201 && second.questions == 0)
        #expect(await titles() == ["Water the plants", "Mow", "Rake"])
        guard !key.isEmpty else { return }
        let repeated = await ask(.post, "/tasks", #"{"title": "Mow"}"#, headers: headers)
        #expect(repeated.answer.header("Idempotency-Replayed") == "true" && repeated.questions == 0)
        #expect(repeated.answer.header("ETag") == first.answer.header("ETag"))
    }

    @Test func `an authorized caller learns what is wrong with a request`() async {
        for (method, target, body, status) in [
            (HTTP.Method.post, "/tasks", "{", 400), (.post, "/tasks", #"{"title": 1}"#, 422),
            (.patch, "/tasks/no-id", "{}", 404), (.post, "/tasks?unknown=1", "{}", 400),
        ] as [(HTTP.Method, String, String, Int)] {
            #expect(await ask(method, target, body).answer.status == status, "\(method) \(target)")
        }
        #expect(await ask(.delete, "/tasks/\(task)", headers: [("If-Match", "\"0\"")]).answer.status == 412)
        #expect(await titles() == ["Water the plants"])
    }

    @Test func `while the database is away a write is 503`() async {
        board.remoteStore.fail(.away)
        #expect(await ask(.post, "/tasks", "{}").answer.status == 503)
        board.remoteStore.fail(nil)
        #expect(await titles() == ["Water the plants"])
    }
}
