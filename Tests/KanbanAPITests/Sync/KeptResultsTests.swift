import HTTP
import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

/// What `POST /sync` keeps for repeats, and what it does not.
struct KeptResultsTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    private func post(_ body: String, headers: [(name: String, value: String)] = []) async -> Answer {
        await board.send(.post, "/sync", body, headers: headers)
    }

    @Test func `under an idempotency key nothing is kept, and a repeat is done again`() async throws {
        let mutation = #"{"mutationId": "\#(String.newID)", "type": "task", "op": "create", "value": {}}"#
        let body = "{\"since\": null, \"mutations\": [\(mutation)]}"
        let key = [(name: "Idempotency-Key", value: "k")]

        let first = await post(body, headers: key)
        let second = await post(body, headers: key)
        _ = try await board.task()
        let third = await post(body, headers: key)
        let other = await post(#"{"mutations": []}"#, headers: key)

        #expect(second.header("Idempotency-Replayed") == nil)
        #expect(second.json == first.json)
        // Not what a kept answer would show.
        #expect(third.json["changes"]?.arrayValue?.count == 2)
        #expect(other.status == 200)
        #expect(try await board.store.read(.local) { try $0.keptAnswer(key: "k") } == nil)
    }

    @Test func `the case of its id makes no other mutation`() async throws {
        let (id, task) = (String.newID, String.newID)
        func create(_ id: String, _ task: String) -> JSON {
            .mutation("create", task, ["title": "one"], mutationID: id)
        }

        let first = try await board.sync([create(id, task)])
        #expect(try await board.sync([create(id.uppercased(), task.uppercased())])[0].status == "applied")
        #expect(first[0].status == "applied")
        #expect(await board.titles("/tasks") == ["one"])
    }

    @Test func `an invalid key is reported here, too`() async {
        #expect(await post(#"{"mutations": []}"#, headers: [("Idempotency-Key", "a b")]).status == 400)
    }

    @Test(arguments: [1, 100])
    func `what is kept of a refusal is small, however much is wrong`(count: Int) async throws {
        let name = String(repeating: "\u{1F4A3}", count: 200_000 / count)
        let members = (0..<count).map { JSON.Member("\($0)\(name)", .null) }
        let mutation = JSON.mutation("create", .newID, .object(members))
        let text = String(decoding: JSON.object([.init("mutations", .array([mutation]))]).serialized(), as: UTF8.self)

        let first = await post(text)
        let again = await post(text)

        let result = try #require(first.json["results"]?.arrayValue?.first)
        #expect(result["problem"]?["code"] == "unknown_member")
        #expect(first.body.count < 20_000)
        #expect(again.body == first.body)
    }
}
