import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

struct PageMemoryTests {
    @Test(arguments: 1...8)
    func `over a random history, cached answers are those that are rebuilt`(seed: UInt64) async throws {
        let board = try TestBoard(at: "2026-11-20T23:59:00Z")
        var random = SeededRandom(seed: seed)
        var ids: [String] = []
        let targets = [
            "/tasks", "/tasks?limit=3", "/tasks?due=overdue", "/tasks?due=today&timeZone=Asia/Seoul",
            "/tasks?deleted=true",
            "/tasks?expand=deadline", "/board", "/board?limit=2&expand=deadline", "/tasks?q=a", "/categories",
            "/today", "/today?timeZone=America/New_York", "/stats", "/upcoming?limit=2", "/calendar.ics",
        ]

        for _ in 0..<150 {
            let id = ids.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2:
                let day = Int.random(in: 18...23, using: &random)
                ids.append(
                    try await board.task("{\"title\": \"a\(ids.count)\", \"dueDate\": \"2026-11-\(day)\"}").id)
            case 3:
                await board.send(.patch, "/tasks/\(id)", "{\"title\": \"b\(Int.random(in: 0..<9, using: &random))\"}")
            case 4: await board.send(.post, "/tasks/\(id)/move", "{\"status\": \"done\"}")
            case 5: await board.send(.delete, "/tasks/\(id)")
            case 6: await board.send(.post, "/tasks/\(id)/restore")
            // Sometimes a clock is set back.
            case 7: board.clock.advance(seconds: .random(in: -600...7_200, using: &random))
            default:
                let zone = ["UTC", "Pacific/Kiritimati", "America/Lima"].randomElement(using: &random) ?? ""
                await board.send(.patch, "/settings", "{\"timeZone\": \"\(zone)\", \"locale\": \"ko\"}")
            }
            let target = targets.randomElement(using: &random) ?? ""
            let language = ["ja", "en, ko;q=0.5", "*"].randomElement(using: &random) ?? ""
            let cached = await board.send(.get, target, headers: [("Accept-Language", language)])
            let rebuilt = await board.send(.get, target, headers: [("Accept-Language", language)], isCached: false)
            #expect(cached.body == rebuilt.body && cached.header("ETag") == rebuilt.header("ETag"), "\(target)")
            let shown = await board.send(.get, "/tasks/\(id)")
            let read = await board.send(.get, "/tasks/\(id)", isCached: false)
            #expect(shown.status == read.status && shown.header("ETag") == read.header("ETag"))
            #expect(shown.status != 200 || shown.body == read.body)
        }

        #expect(board.observer.failures.isEmpty)
    }

    @Test func `a language that is asked for in two fields is another one`() async throws {
        let board = try TestBoard()

        let first = await board.send(.get, "/board", headers: [("Accept-Language", "fr"), ("Accept-Language", "ko")])
        let second = await board.send(.get, "/board", headers: [("Accept-Language", "fr"), ("Accept-Language", "ja")])

        #expect(first.json["columns"]?.arrayValue?.last?["title"] != second.json["columns"]?.arrayValue?.last?["title"])
    }

    @Test(arguments: [0, 1, 2])
    func `what is kept has a bound, whatever makes it long`(place: Int) {
        let cache = PageMemory(limit: 100_000)
        func text(_ here: Int) -> String { String(repeating: "a", count: place == here ? 1_000 : 1) }
        func key(_ index: Int) -> PageMemory.Key {
            let headers = Headers([("Accept-Language", text(0))])
            return PageMemory.Key(Request(method: .get, target: "/tasks?q=\(index)", headers: headers), .local)
        }
        func feed(epoch: UInt64 = 1, _ revision: Revision) -> FeedState {
            FeedState(epoch: epoch, revision: revision, purgedThrough: 0)
        }
        let (first, start) = (feed(1), Timestamp(milliseconds: 0))
        let answer = Response.json(headers: [("Link", text(1))], encoded: Array(text(2).utf8))

        for index in 0..<1_000 { cache.keep(answer, for: key(index), at: first, now: start, until: nil) }
        let kept = (0..<1_000).filter { cache.answer(for: key($0), at: first, now: start) != nil }

        #expect(kept.last == 999 && kept.count >= 30 && kept.count <= 70)
        #expect(cache.answer(for: key(999), at: feed(2), now: start) == nil)
        #expect(cache.answer(for: key(999), at: feed(epoch: 2, 1), now: start) == nil)
    }
}
