import HTTP
import JSON
import TestSupport
import Testing

/// What many ask for at once. With `KANBASE_TEST_SERVERS`, each asks one of several servers.
struct SimultaneousTests {
    private let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    /// The answers to requests that are sent at once.
    private func answers(_ count: Int, _ ask: @escaping @Sendable (Int) async -> Answer) async -> [Answer] {
        await withTaskGroup(of: Answer.self) { group in
            for number in 0..<count { group.addTask { await ask(number) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `a hundred devices of one account that come back at once all get what they missed`() async throws {
        _ = try await board.sync((0..<200).map { .mutation("create", .newID, ["title": "\($0)"]) })

        let pages = await answers(100) { [board] number in
            await board.send(.get, "/changes?limit=\(100 + number)", isCached: false)
        }

        #expect(pages.allSatisfy { $0.status == 200 })
        #expect(Set(pages.map { $0.json["changes"]?.arrayValue?.count }) == Set(100..<200))
    }

    @Test func `of many writers with the same tag exactly one wins`() async throws {
        let task = try await board.task()
        let tag = "\"\(task.revision)\""

        let statuses = await answers(20) { [board] number in
            await board.send(
                .patch, "/tasks/\(task.id)", #"{"title": "writer \#(number)"}"#, headers: [("If-Match", tag)])
        }.map(\.status)

        #expect(statuses.count { $0 == 200 } == 1)
        #expect(statuses.count { $0 == 412 } == 19)
    }

    @Test func `many at once with one key make one task`() async {
        let made = await answers(20) { [board] _ in
            await board.send(.post, "/tasks", #"{"title": "one"}"#, headers: [("Idempotency-Key", "k")])
        }

        #expect(Set(made.map(\.status)).isSubset(of: [201, 409]))
        #expect(made.contains { $0.status == 201 })
        #expect(made.allSatisfy { $0.status == 201 || $0.header("Retry-After") != nil })
        #expect(await board.titles("/tasks") == ["one"])
    }

    @Test func `the same mutation sent many times at once is applied once`() async throws {
        let mutation = JSON.mutation("create", .newID, ["title": "one"])
        let body = String(decoding: (["mutations": [mutation]] as JSON).serialized(), as: UTF8.self)

        let results = await answers(20) { [board] _ in await board.send(.post, "/sync", body) }.map {
            $0.json["results"]?.arrayValue?.first
        }

        #expect(results.allSatisfy { $0?.status == "applied" && $0 == results[0] })
        #expect(await board.send(.get, "/tasks/\(mutation.id)/history").items.count == 1)
    }

    @Test func `moves at once keep every task, in places of their own`() async throws {
        var ids: [String] = []
        for number in 0..<12 { ids.append(try await board.task(#"{"title": "\#(number)"}"#).id) }

        let moved = await answers(4) { [board, ids] worker in
            var last = Answer(status: 200)
            for step in 0..<60 where last.status == 200 {
                let (task, neighbour) = ((worker * 7 + step * 5) % 12, (worker * 5 + step * 11 + 1) % 12)
                guard task != neighbour else { continue }
                let side = step % 2 == 0 ? "before" : "after"
                last = await board.send(.post, "/tasks/\(ids[task])/move", #"{"\#(side)": "\#(ids[neighbour])"}"#)
            }
            return last
        }

        #expect(moved.allSatisfy { $0.status == 200 })
        let items = await board.send(.get, "/tasks?sort=position&limit=200").items
        #expect(items.count == 12 && Set(items.map(\.id)) == Set(ids))
        #expect(Set(items.map { $0["position"]?.stringValue }).count == 12)
    }

    @Test func `a recurring task that is completed many times at once has one successor`() async throws {
        for _ in 0..<5 {
            let task = try await board.task(
                #"{"title": "Rent", "dueDate": "2099-01-31", "recurrence": {"rule": "FREQ=MONTHLY;BYMONTHDAY=-1"}}"#)
            let target = "/tasks/\(task.id)"

            let done = await answers(8) { [board] _ in
                await board.send(.post, "\(target)/move", #"{"status": "done"}"#)
            }

            #expect(done.allSatisfy { $0.status == 200 })
            #expect(await board.send(.get, target).json["recurrence"] == .null)
            let series = await board.send(.get, "/tasks?limit=200").items.filter { $0["seriesId"] == .string(task.id) }
            #expect(series.count == 2)
            #expect(series.filter { $0["status"] == "todo" }.map { $0["dueDate"] } == ["2099-02-28"])
        }
    }
}
