import HTTP
import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct TaskAnswersTests {
    @Test func `the table finds what was put in last, and stays within its bound`() {
        // An entry takes six words and thirteen of its body.
        var table = AnswerTable(limit: 100 * 19 * 8)

        for number in 0..<5_000 { table.insert(number, commits: 1) }
        let found = (0..<5_000).filter { table.holds($0) }

        #expect(found.last == 4_999)
        #expect(found.count == table.count && table.count > 90 && table.count <= 100)
    }

    @Test func `a table with room enough keeps nearly all`() {
        var table = AnswerTable(limit: 1 << 24)

        for number in 0..<20_000 { table.insert(number, commits: 1) }
        let right = (0..<20_000).filter { table.holds($0) }

        #expect(right.count > 19_950 && right.count == table.count)
    }

    @Test func `a task that changes again and again drives out no other`() {
        var table = AnswerTable(limit: 100 * 19 * 8)
        for number in 0..<50 { table.insert(number, commits: 1) }

        for commits in 2..<5_000 { table.insert(7, commits: UInt64(commits)) }

        #expect((0..<50).allSatisfy { table.holds($0) })
    }

    @Test(arguments: 0..<8)
    func `whatever is put in, replaced and driven out, what is found is what was put in last`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var table = AnswerTable(limit: 4096)
        var latest: [Int: (body: [UInt8], head: AnswerTable.Head)] = [:]

        for step in 0..<20_000 {
            let number = Int.random(in: 0..<60, using: &random)
            let body = [UInt8](
                repeating: UInt8.random(in: 0...255, using: &random), count: .random(in: 0...300, using: &random))
            let head = AnswerTable.Head(revision: Revision(step), commits: UInt64(step))
            table.insert(body, .local, .numbered(number), head)
            latest[number] = (body, head)
            let other = Int.random(in: 0..<60, using: &random)
            var found: [UInt8] = [7]
            if let head = table.append(.local, .numbered(other), to: &found) {
                #expect(found.dropFirst().elementsEqual(latest[other]?.body ?? []) && head == latest[other]?.head)
            } else {
                #expect(found == [7] && other != number)
            }
        }

        #expect((1...60).contains(table.count))
        #expect((0..<60).count { table.head(.local, .numbered($0)) != nil } == table.count)
    }

    @Test func `an answer larger than the table is not kept, and disturbs none`() {
        var table = AnswerTable(limit: 400)
        table.insert(7, commits: 1)

        table.insert([UInt8](repeating: 1, count: 400), .local, .numbered(8), .init(revision: 8, commits: 1))

        #expect(table.holds(7) && table.count == 1)
    }

    @Test func `the tasks of two accounts with one id are two`() {
        var table = AnswerTable(limit: 1 << 20)

        table.insert(7, commits: 1)

        #expect(table.head(AccountKey(number: 99), .numbered(7)) == nil)
    }

    @Test func `an answer that was replaced meanwhile is not confirmed`() throws {
        var table = AnswerTable(limit: 1 << 20)
        table.insert(7, commits: 1)
        let old = try #require(table.head(.local, .numbered(7)))
        table.insert(7, commits: 5)

        table.confirm(.local, .numbered(7), old, at: 9)

        #expect(table.head(.local, .numbered(7))?.commits == 5)
    }
}

struct EditedTasksTests {
    @Test func `what an edit answers is what the next one who asks is shown`() async throws {
        let board = try TestBoard()
        let id = try await board.task("{\"title\": \"a\"}").id

        for edit in ["{\"title\": \"b\"}", "{\"title\": \"b\"}", "{\"status\": \"done\", \"dueDate\": \"2026-12-01\"}"]
        {
            let edited = await board.send(.patch, "/tasks/\(id)", edit)
            let shown = await board.send(.get, "/tasks/\(id)")
            #expect(edited.status == 200 && shown.body == edited.body && shown["ETag"] == edited["ETag"])
        }
    }

    /// Edits that wait at the same time share a transaction.
    @Test func `when many edit a task at once, the last one is what everybody is shown`() async throws {
        let board = try TestBoard()
        let id = try await board.task("{\"title\": \"a\"}").id
        var shared = 0

        for round in 0..<150 {
            let commits = board.store.activity.commits.count
            let edits = await withTaskGroup(of: Answer.self) { group in
                for edit in 0..<6 {
                    group.addTask {
                        switch edit {
                        case 0: await board.send(.patch, "/tasks/\(id)", "{}")
                        case 1:
                            await board.send(.post, "/tasks/\(id)/move", "{\"status\": \"todo\", \"place\": \"first\"}")
                        default: await board.send(.patch, "/tasks/\(id)", "{\"title\": \"\(round) \(edit)\"}")
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            if board.store.activity.commits.count < commits + 6 { shared += 1 }

            #expect(edits.allSatisfy { $0.status == 200 })
            let last = edits.max { $0.json.revision < $1.json.revision }
            for _ in 0..<2 {
                let shown = await board.send(.get, "/tasks/\(id)")
                #expect(shown.body == last?.body, "round \(round)")
            }
        }

        #expect(shared > 0, "no two edits shared a transaction")
    }
}

extension ID {
    fileprivate static func numbered(_ number: Int) -> ID { ID(high: 0, low: UInt64(number)) }
}

extension AnswerTable {
    fileprivate mutating func insert(_ number: Int, commits: UInt64) {
        insert(
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100), .local, .numbered(number),
            Head(revision: Revision(number), commits: commits))
    }

    fileprivate func head(_ account: AccountKey, _ id: ID) -> Head? {
        var body: [UInt8] = []
        return append(account, id, to: &body)
    }

    /// Whether it finds what ``insert(_:commits:)`` put in.
    fileprivate func holds(_ number: Int) -> Bool {
        var body: [UInt8] = []
        return append(.local, .numbered(number), to: &body)?.revision == Revision(number)
            && body == [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
    }
}
