import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

struct ContentCodingTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    private static let gzip: [(name: String, value: String)] = [("Accept-Encoding", "gzip")]

    private func makeTasks(_ count: Int) async throws {
        try await board.sync((0..<count).map { .mutation("create", .newID, ["title": "task \($0)"]) })
    }

    private func plain(_ answer: Answer) throws -> [UInt8] {
        let decoder = GzipDecoder(answer.body, limit: .max)
        #expect(try decoder.decode(upTo: .max))
        return decoder.output
    }

    @Test func `an answer of a kilobyte is compressed for those who take it, with a tag of its own`() async throws {
        try await makeTasks(20)

        let answer = await board.send(.get, "/tasks")
        let zipped = await board.send(.get, "/tasks", headers: Self.gzip)

        #expect(answer.header("Content-Encoding") == nil)
        #expect(zipped.header("Content-Encoding") == "gzip")
        #expect(answer.header("Vary") == "Accept-Encoding" && zipped.header("Vary") == "Accept-Encoding")
        #expect(zipped.header("ETag") == answer.header("ETag").map { $0.dropLast() + "-gzip\"" })
        #expect(try plain(zipped) == answer.body)
        #expect(zipped.body.count < answer.body.count / 3)
    }

    @Test func `what is small is sent as it is`() async throws {
        let task = try await board.task()

        let answer = await board.send(.get, "/tasks/\(task.id)", headers: Self.gzip)

        #expect(answer.header("Content-Encoding") == nil && answer.header("Vary") == nil)
        #expect(answer.json["id"]?.stringValue == task.id)
    }

    @Test func `either tag is good in a condition`() async throws {
        try await makeTasks(20)
        let tag = await board.send(.get, "/tasks").header("ETag") ?? ""
        let zippedTag = await board.send(.get, "/tasks", headers: Self.gzip).header("ETag") ?? ""

        for sent in [tag, zippedTag, "W/\(zippedTag)", "\"x\", \(zippedTag)"] {
            let plain = await board.send(.get, "/tasks", headers: [("If-None-Match", sent)])
            let zipped = await board.send(.get, "/tasks", headers: Self.gzip + [("If-None-Match", sent)])
            #expect(plain.status == 304 && plain.header("ETag") == tag && plain.header("Vary") == "Accept-Encoding")
            #expect(zipped.status == 304 && zipped.header("ETag") == zippedTag && zipped.body.isEmpty)
            #expect(zipped.header("Content-Encoding") == nil)
        }
        let id = try #require(await board.send(.get, "/tasks?limit=1").json["items"]?.arrayValue?.first?.id)
        let body = String(repeating: "long ", count: 200)
        let edited = await board.send(.patch, "/tasks/\(id)", #"{"body": "\#(body)"}"#, headers: Self.gzip)
        let current = edited.header("ETag") ?? ""
        #expect(current.hasSuffix("-gzip\""))
        #expect(
            await board.send(.patch, "/tasks/\(id)", #"{"title": "a"}"#, headers: [("If-Match", current)]).status == 200
        )
        #expect(
            await board.send(.patch, "/tasks/\(id)", #"{"title": "b"}"#, headers: [("If-Match", current)]).status == 412
        )
    }

    @Test func `a page that is compressed beside the loop is the same, also from the cache`() async throws {
        try await makeTasks(500)
        try await makeTasks(500)
        let first = await board.send(.get, "/changes?limit=1000", headers: Self.gzip)
        let again = await board.send(.get, "/changes?limit=1000", headers: Self.gzip)
        let whole = await board.send(.get, "/changes?limit=1000")

        #expect(whole.body.count > ContentCoding.mostOnLoop)
        #expect(try plain(first) == whole.body)
        #expect(again.body == first.body && again.header("ETag") == first.header("ETag"))
        // The target: at most 15 % of the plain page.
        #expect(first.body.count * 100 <= whole.body.count * 15, "\(first.body.count) of \(whole.body.count)")
    }

    @Test func `streams of export and calendar are compressed, pictures and streams of events are not`() async throws {
        try await makeTasks(100)
        for day in 10...20 { await board.send(.post, "/tasks", #"{"dueDate": "2026-12-\#(day)"}"#) }

        for path in ["/export", "/export?format=csv", "/calendar.ics", "/openapi.json", "/openapi.yaml"] {
            let zipped = await board.send(.get, path, headers: Self.gzip)
            let whole = await board.send(.get, path)
            #expect(
                zipped.header("Content-Encoding") == "gzip" && zipped.header("ETag")?.hasSuffix("-gzip\"") == true,
                "\(path)")
            #expect(try plain(zipped) == whole.body, "\(path)")
            #expect(whole.header("Vary")?.contains("Accept-Encoding") == true, "\(path)")
        }
        for isRemote in SharedServers.count == 0 ? [false, true] : [false] {
            let events = await board.respond(
                .get, "/changes", headers: Self.gzip + [("Accept", "text/event-stream")], isRemote: isRemote)
            #expect(events.status == 200)
            #expect(!events.headers.contains { $0.name == "Content-Encoding" || $0.value == "Accept-Encoding" })
        }
    }

    @Test func `a problem that lists many faults is compressed too`() async throws {
        let members = (0..<100).map { #""member\#($0)": 1"# }.joined(separator: ", ")

        let answer = await board.send(.post, "/tasks", "{\(members)}", headers: Self.gzip)

        #expect(answer.status == 422 && answer.header("Content-Encoding") == "gzip")
        #expect(String(decoding: try plain(answer), as: UTF8.self).contains("unknown_member"))
    }

    @Test func `an answer that was kept is repeated in the form that is asked for`() async throws {
        let body = #"{"title": "a", "body": "\#(String(repeating: "long ", count: 200))"}"#

        let first = await board.send(.post, "/tasks", body, headers: Self.gzip + [("Idempotency-Key", "k")])
        let second = await board.send(.post, "/tasks", body, headers: [("Idempotency-Key", "k")])

        #expect(first.header("Content-Encoding") == "gzip")
        #expect(second.header("Content-Encoding") == nil && second.header("Idempotency-Replayed") == "true")
        #expect(try plain(first) == second.body)
    }

    // MARK: - Requests

    private func post(_ body: [UInt8], coding: String = "gzip", to target: String = "/tasks") async -> Answer {
        let headers: [(name: String, value: String)] = [
            ("Host", "localhost"), ("Content-Type", "application/json"), ("Content-Encoding", coding),
        ]
        let request = TestRequest(method: .post, target: target, fields: headers, body: body)
        return await board.servers.answer(to: request)
    }

    @Test func `a request may be compressed`() async throws {
        let answer = await post(GzipEncoder.encode(Array(#"{"title": "zipped"}"#.utf8)))

        #expect(answer.status == 201)
        #expect(await board.titles("/tasks") == ["zipped"])
    }

    @Test func `a large one is taken apart beside the loop`() async throws {
        let mutations = (0..<500).map { number in
            JSON.mutation("create", .newID, ["title": "t", "body": .string(String(repeating: "b", count: 900))])
        }
        let body = (["mutations": .array(mutations)] as JSON).serialized()

        let answer = await post(GzipEncoder.encode(body), to: "/sync")

        #expect(body.count > ContentCoding.mostOnLoop)
        #expect(answer.json["results"]?.arrayValue?.allSatisfy { $0.status == "applied" } == true)
    }

    @Test func `limits count what comes out`() async throws {
        let tooLarge = #"{"title": "a", "body": "\#(String(repeating: " ", count: 1 << 20))"}"#
        let fits = "{" + String(repeating: " ", count: (1 << 20) - 2) + "}"

        #expect(await post(GzipEncoder.encode(Array(tooLarge.utf8))).code == "payload_too_large")
        #expect(await post(GzipEncoder.encode([UInt8](repeating: 32, count: 100 << 20))).status == 413)
        #expect(await post(GzipEncoder.encode(Array(fits.utf8))).status == 201)
    }

    @Test(arguments: ["br", "deflate", "gzip, gzip", "compress"])
    func `other codings are 415`(coding: String) async throws {
        let answer = await post(Array("{}".utf8), coding: coding)

        #expect(answer.status == 415)
        #expect(answer.header("Accept-Encoding") == "gzip, identity")
    }

    @Test func `a body that is no gzip is 400, and changes nothing`() async throws {
        for body in [Array("{}".utf8), Array(GzipEncoder.encode(Array("{}".utf8)).dropLast())] {
            let answer = await post(body)
            #expect(answer.status == 400 && answer.code == "malformed_coding")
        }
        #expect(await board.titles("/tasks") == [])
    }
    @Test func `a body without meaning is ignored, whatever its coding`() async throws {
        let task = try await board.task()
        let gzip = [(name: "Content-Encoding", value: "gzip")]

        for bytes in [Array("no gzip".utf8), GzipEncoder.encode(Array("{}".utf8))] {
            #expect(await board.send(.get, "/tasks", headers: gzip, bytes: bytes).status == 200)
            #expect(await board.send(.get, "/tasks/\(task.id)", headers: gzip, bytes: bytes).status == 200)
        }
        #expect(
            await board.send(.delete, "/tasks/\(task.id)", headers: gzip, bytes: Array("no gzip".utf8)).status == 204)
    }

    @Test func `the place of a restore may be compressed`() async throws {
        let tasks = [try await board.task(#"{"title": "a"}"#), try await board.task(#"{"title": "b"}"#)]
        await board.send(.delete, "/tasks/\(tasks[1].id)")

        let body = GzipEncoder.encode(Array("{\"before\": \"\(tasks[0].id)\"}".utf8))
        #expect(await post(body, to: "/tasks/\(tasks[1].id)/restore").status == 200)

        #expect(await board.titles("/tasks?sort=position") == ["b", "a"])
        #expect(await post(Array("no gzip".utf8), to: "/tasks/\(tasks[1].id)/restore").code == "malformed_coding")
    }
}
