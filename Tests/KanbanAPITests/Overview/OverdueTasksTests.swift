import HTTP
import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct OverdueTasksTests {
    @Test(arguments: 1...10)
    func `over a random history and a moving clock, today from memory is today made anew`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        // Clocks are set in these zones on the night to 2026-11-01, and a day was left out at the end of 2011.
        let nights = ["2026-11-20T23:59:00Z", "2026-10-31T20:00:00Z", "2011-12-30T08:00:00Z"]
        let zones = ["UTC", "America/New_York", "Pacific/Apia", "Asia/Seoul"]
        let start = try #require(nights.randomElement(using: &random))
        let board = try TestBoard(at: start, overdueTasks: OverdueTasks(mostChanges: 6))
        var ids: [String] = []
        var told: [String: [UInt8]] = [:]

        for _ in 0..<200 {
            let id = ids.randomElement(using: &random) ?? .unknownID
            switch Int.random(in: 0..<16, using: &random) {
            case 0...5:
                ids.append(try await board.task("{\"title\": \"a\", \"dueDate\": \"\(due(&random, board))\"}").id)
            case 6: await board.send(.patch, "/tasks/\(id)", "{\"dueDate\": \"\(due(&random, board))\"}")
            case 7:
                await board.send(
                    .patch, "/tasks/\(id)", "{\"title\": \"\(UInt8.random(in: 0...255, using: &random))\"}")
            case 8:
                let status = TaskStatus.allCases.randomElement(using: &random)?.name ?? ""
                await board.send(.post, "/tasks/\(id)/move", "{\"status\": \"\(status)\", \"place\": \"first\"}")
            case 9: await board.send(.delete, "/tasks/\(id)")
            case 10: await board.send(.post, "/tasks/\(id)/restore")
            case 11: try await putInCategoryAndRemoveIt(id, board)
            case 12: board.clock.advance(seconds: .random(in: 0...5, using: &random))
            case 13: board.clock.advance(seconds: .random(in: -7_200...100_000, using: &random))
            case 14 where Bool.random(using: &random):
                let export = await board.send(.get, "/export")
                let mode = Bool.random(using: &random) ? "merge" : "replace"
                let text = String(decoding: export.body, as: UTF8.self)
                #expect(await board.send(.post, "/import?mode=\(mode)", text).status == 200)
            case 15 where Bool.random(using: &random):
                board.clock.advance(seconds: 31 * 86_400)
                try await board.maintain()
            default:
                let zone = zones.randomElement(using: &random) ?? ""
                await board.send(.patch, "/settings", "{\"timeZone\": \"\(zone)\", \"locale\": \"ko\"}")
            }
            // Not after each step, so that several changes come together.
            guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
            let target = Bool.random(using: &random) ? "/today" : "/today?timeZone=America/New_York"
            let language = [("Accept-Language", Bool.random(using: &random) ? "ja" : "*")]
            let remembered = await board.send(.get, target, headers: language)
            let anew = await board.send(.get, target, headers: language, isCached: false)
            #expect(remembered.status == 200 && remembered.body == anew.body)
            #expect(remembered["ETag"] == anew["ETag"])
            // A tag never stands for two answers.
            let tag = try #require(anew["ETag"])
            #expect(told.updateValue(anew.body, forKey: tag) ?? anew.body == anew.body)
        }

        #expect(ids.count > 20 && told.count > 20 && board.observer.failures.isEmpty)
    }

    @Test func `a new task is put in its place, and one that is gone leaves the list as it was`() async throws {
        let board = try TestBoard(at: "2026-11-20T08:00:00Z")
        for day in 10...19 { try await board.task("{\"title\": \"\(day)\", \"dueDate\": \"2026-11-\(day)\"}") }
        let overdue = OverdueTasks()
        let first = try list(overdue, board)

        let id = try await board.task(#"{"title": "new", "dueDate": "2026-11-14"}"#).id
        let second = try list(overdue, board)
        await board.send(.delete, "/tasks/\(id)")
        let third = try list(overdue, board)

        #expect(first.text.count == 10 && second.text.count == 11 && second.text[4] == "14" && second.text[5] == "new")
        #expect(third.text == first.text && third.json.bytes == first.json.bytes)
        #expect(third.feed.revision == first.feed.revision + 2)
    }

    private func list(_ overdue: OverdueTasks, _ board: TestBoard) throws -> OverdueList {
        try board.store.read(.local) { reader in
            try overdue.list(reader, at: Moment(now: board.clock.now, zone: .utc), in: .en)
        }
    }

    /// A day or an instant within some days of now.
    private func due(_ random: inout SeededRandom, _ board: TestBoard) -> String {
        let seconds = Int64.random(in: -400_000...200_000, using: &random)
        let instant = board.clock.now.adding(milliseconds: seconds * 1_000).description
        return Bool.random(using: &random) ? instant : String(instant.prefix(10))
    }

    private func putInCategoryAndRemoveIt(_ id: String, _ board: TestBoard) async throws {
        let category = await board.send(.post, "/categories", #"{"name": "short-lived"}"#).json.id
        await board.send(.patch, "/tasks/\(id)", "{\"categoryId\": \"\(category)\"}")
        await board.send(.delete, "/categories/\(category)")
    }
}

extension OverdueList {
    /// The titles, in order.
    fileprivate var text: [String] {
        let elements = try? JSON(parsing: Array("[".utf8) + json.bytes + Array("]".utf8)).arrayValue
        // What is no JSON has no titles, and fails the test.
        return (elements ?? []).compactMap { $0["title"]?.stringValue }
    }
}
