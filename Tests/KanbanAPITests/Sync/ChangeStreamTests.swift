import HTTP
import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

/// `GET /changes` as server-sent events.
struct ChangeStreamTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test func `a stream begins with the whole state, is ready, and goes on with each change`() async throws {
        let first = try await board.task(#"{"title": "one"}"#)
        let gone = try await board.task()
        await board.send(.delete, "/tasks/\(gone.id)")

        let stream = try await board.follow()
        let past = await stream.untilReady()
        let second = try await board.task(#"{"title": "two"}"#)
        let live = try #require(await stream.nextChange())

        #expect(past.map(\.json.id) == [first.id])
        #expect(past[0].name == "change")
        #expect(past[0].json["value"] == first)
        #expect(live.json["value"] == second)
        #expect(live.id?.hasSuffix("-\(second.revision)") == true)
    }

    @Test func `only changes have an id`() async throws {
        try await board.task()
        let stream = try await board.follow()

        let change = try #require(await stream.next())
        let ready = try #require(await stream.next())

        #expect(change.id != nil)
        #expect(ready.name == "ready")
        #expect(ready.id == nil)
    }

    @Test func `a stream resumes after its last id, which wins over since`() async throws {
        let cursor = try await board.pull().cursor
        try await board.task(#"{"title": "one"}"#)
        let middle = try await board.pull().cursor
        let second = try await board.task(#"{"title": "two"}"#)

        let stream = try await board.follow("/changes?since=\(cursor)", lastEventID: middle)

        #expect(await stream.untilReady().map(\.json.id) == [second.id])
    }

    @Test func `every id of a stream is a cursor from which nothing is missed`() async throws {
        for _ in 0..<7 { try await board.task() }
        let events = await (try await board.follow()).untilReady()

        for (index, event) in events.enumerated() {
            let rest = try await board.pull(since: event.id).changes
            #expect(rest.map(\.id) == events[(index + 1)...].map(\.json.id))
        }
    }

    @Test func `a bad cursor is answered as by a pull`() async throws {
        let headers = [(name: "Accept", value: "text/event-stream")]

        #expect(await board.send(.get, "/changes?since=x", headers: headers).code == "invalid_cursor")
        #expect(await board.send(.get, "/changes?since=abc-1", headers: headers).code == "cursor_expired")
        let last = headers + [("Last-Event-ID", "abc-1")]
        #expect(await board.send(.get, "/changes", headers: last).status == 410)
    }

    @Test func `types leave others out of a stream`() async throws {
        let stream = try await board.follow("/changes?types=dday")
        #expect(await stream.untilReady().isEmpty)

        try await board.task()
        await board.send(.post, "/ddays", #"{"title": "Exam", "date": "2026-12-24"}"#)

        #expect(await stream.nextChange()?.json["type"] == "dday")
    }

    @Test func `a silent stream gets a comment again and again`() async throws {
        var pace = StreamPace()
        pace.heartbeat = .milliseconds(20)
        let board = try TestBoard(streamPace: pace)
        let stream = try await board.follow()
        _ = await stream.untilReady()

        for _ in 0..<3 { #expect(await stream.next()?.comment != nil) }
    }

    @Test func `a stream gets comments however busy the account is with what it does not show`() async throws {
        var pace = StreamPace()
        pace.heartbeat = .seconds(1)
        let board = try TestBoard(streamPace: pace)
        let stream = try await board.follow("/changes?types=dday")
        _ = await stream.untilReady()

        // Each push fills the tail more than once, which wakes a stream that has nothing to say.
        let pushes = Task {
            while !Task.isCancelled {
                _ = try await board.sync((0..<150).map { .mutation("create", .newID, ["title": "\($0)"]) })
            }
        }
        for _ in 0..<2 { #expect(await stream.next()?.comment != nil) }
        pushes.cancel()
        try await pushes.value
    }

    @Test func `a hundred streams of one account all get every change, in order`() async throws {
        let streams = try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await board.follow() } }
            return try await group.reduce(into: [TestStream]()) { $0.append($1) }
        }
        for stream in streams { #expect(await stream.untilReady().isEmpty) }

        var ids: [String] = []
        for _ in 0..<30 { ids.append(try await board.task().id) }

        for stream in streams {
            var seen: [String] = []
            while seen.count < ids.count, let event = await stream.nextChange() { seen.append(event.json.id) }
            #expect(seen == ids)
        }
    }

    @Test func `a stream takes in a thousand changes of one commit`() async throws {
        let stream = try await board.follow()
        _ = await stream.untilReady()

        for _ in 0..<3 {
            _ = try await board.sync((0..<500).map { .mutation("create", .newID, ["title": "\($0)"]) })
        }
        var revisions: [Int] = []
        while revisions.count < 1_500, let event = await stream.nextChange() { revisions.append(event.json.revision) }

        #expect(revisions == Array(1...1_500))
    }

    @Test(.overAFile("a socket takes much before its writer waits"), arguments: [false, true])
    func `a reader who took nothing for long gets the latest of everything, or is cut off and resumes`(
        isRemote: Bool
    ) async throws {
        var pace = StreamPace()
        pace.mostWaiting = 1 << 18
        let board = try TestBoard(streamPace: pace)
        let text = String(repeating: "한", count: 300)

        let slow = try await board.follow(isStalled: true, isRemote: isRemote)
        _ = await slow.untilReady()
        for _ in 0..<4 {
            _ = try await board.sync(
                (0..<250).map { .mutation("create", .newID, ["title": "\($0)", "body": .string(text)]) })
        }
        slow.resume()
        var last: String?
        var seen: Set<String> = []
        while let event = await slow.next() {
            last = event.id ?? last
            if event.name == "change" { seen.insert(event.json.id) }
        }

        await #expect(throws: TooSlow.self) { try await slow.end() }
        #expect(seen.count < 1_000)
        let rest = await (try await board.follow(lastEventID: last)).untilReady()
        #expect(seen.union(rest.map(\.json.id)).count == 1_000)
    }

    @Test(.overAFile("the stream says when it rests"), arguments: [false, true])
    func `a big import does not cut off a reader who keeps up`(isRemote: Bool) async throws {
        var pace = StreamPace()
        pace.mostWaiting = 1 << 16
        // None on a busy machine: nobody would read it, and the stream would not rest.
        pace.heartbeat = .seconds(3_600)
        let board = try TestBoard(streamPace: pace)
        let stream = try await board.follow(isRemote: isRemote)
        _ = await stream.untilReady()

        for _ in 0..<3 {
            try await until("the stream rests") {
                isRemote ? board.waiterCount == 1 : stream.isAtRest
            }
            _ = try await board.sync((0..<500).map { .mutation("create", .newID, ["title": "\($0)"]) })
            var count = 0
            while count < 500, await stream.nextChange() != nil { count += 1 }
            #expect(count == 500)
        }
    }

    @Test(.overAFile("the store fails as the test says"), arguments: [RemoteStore.Failure.away, .busy])
    func `a stream over a store that fails for a while continues`(failure: RemoteStore.Failure) async throws {
        let board = try TestBoard()
        let stream = try await board.follow(isRemote: true)
        _ = await stream.untilReady()

        board.remoteStore.fail(failure)
        let task = try await board.task()
        try await until("the stream reads") { board.remoteStore.failureCount > 0 }
        board.remoteStore.fail(nil)

        #expect(await stream.nextChange()?.json.id == task.id)
    }

    @Test(.overAFile("the store fails as the test says"))
    func `a stream over a shared store ends when the account is erased`() async throws {
        let board = try TestBoard()
        let stream = try await board.follow(isRemote: true)
        _ = await stream.untilReady()

        board.remoteStore.fail(.noAccount)
        try await board.task()

        #expect(await stream.nextChange() == nil)
        try await stream.end()
    }

    @Test func `a stream ends when the server stops, and when its reader leaves`() async throws {
        let first = try await board.follow()
        let second = try await board.follow()
        _ = await first.untilReady()
        _ = await second.untilReady()

        first.cancel()
        try await first.end()
        board.closeNotifiers()

        #expect(await second.nextChange() == nil)
        try await second.end()
        #expect(board.waiterCount == 0)
    }

    @Test func `a stream ends when the history is replaced`() async throws {
        try await board.task()
        let stream = try await board.follow()
        _ = await stream.untilReady()

        try await board.store.write(.local, session: nil) { try $0.eraseBoard() }

        #expect(await stream.nextChange() == nil)
    }

    @Test(
        arguments: [
            ("text/event-stream", true), ("text/event-stream;q=0.5, application/json", false),
            ("application/json;q=0.5, text/event-stream", true), ("*/*", false), ("text/event-stream;q=0", false),
            ("application/json, text/event-stream", true),
        ])
    func `Accept decides`(accept: String, isStream: Bool) async throws {
        // A stream would not end.
        let response = await board.respond(.get, "/changes", headers: [("Accept", accept)])

        #expect(response.contentType == (isStream ? "text/event-stream" : "application/json"))
    }
}
