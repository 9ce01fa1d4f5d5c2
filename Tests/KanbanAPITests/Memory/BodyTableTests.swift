import HTTP
import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct BodyTableTests {
    @Test func `the table finds what was put in last, and stays within its bound`() {
        // An entry takes five words and thirteen of its body.
        var table = BodyTable(limit: 100 * 18 * 8)

        for number in 0..<5_000 { table.insert(number) }
        let found = (0..<5_000).filter { table.holds($0) }

        #expect(found.last == 4_999)
        #expect(found.count == table.count && table.count > 90 && table.count <= 100)
    }

    @Test func `a table with room enough keeps nearly all`() {
        var table = BodyTable(limit: 1 << 24)

        for number in 0..<20_000 { table.insert(number) }
        let right = (0..<20_000).filter { table.holds($0) }

        #expect(right.count > 19_950 && right.count == table.count)
    }

    @Test func `a task that changes again and again evicts no other`() {
        var table = BodyTable(limit: 100 * 18 * 8)
        for number in 0..<50 { table.insert(number) }

        for revision in 2..<5_000 {
            table.empty(.local, .numbered(7))
            table.insert([UInt8](repeating: 7, count: 100), .numbered(7, revision: Revision(revision)))
        }

        #expect((0..<50).allSatisfy { table.body($0) == [UInt8](repeating: UInt8($0), count: 100) })
    }

    @Test(arguments: 0..<8)
    func `whatever is put in, replaced and driven out, what is found is what was put in last`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var table = BodyTable(limit: 4096)
        var latest: [Int: (body: [UInt8], revision: Revision)] = [:]

        for step in 0..<20_000 {
            let number = Int.random(in: 0..<60, using: &random)
            let body = [UInt8](
                repeating: UInt8.random(in: 0...255, using: &random), count: .random(in: 0...300, using: &random))
            table.insert(body, .numbered(number, revision: Revision(step)))
            latest[number] = (body, Revision(step))
            let emptied = Int.random(in: 0..<60, using: &random)
            if step % 5 == 0 {
                table.empty(.local, .numbered(emptied))
                latest[emptied] = nil
            }
            let other = Int.random(in: 0..<60, using: &random)
            var found: [UInt8] = [7]
            if let revision = table.append(.local, .numbered(other), to: &found) {
                #expect(found.dropFirst().elementsEqual(latest[other]?.body ?? []))
                #expect(revision == latest[other]?.revision)
            } else {
                #expect(found == [7] && (other != number || latest[other] == nil))
            }
        }

        #expect((1...60).contains(table.count))
    }

    @Test func `an answer larger than the table is not kept, and disturbs none`() {
        var table = BodyTable(limit: 400)
        table.insert(7)

        table.insert([UInt8](repeating: 1, count: 400), .numbered(8, revision: 8))

        #expect(table.holds(7) && table.count == 1)
    }

    @Test func `the tasks of two accounts with one id are two`() {
        var table = BodyTable(limit: 1 << 20)

        table.insert(7)

        var body: [UInt8] = []
        #expect(table.append(AccountKey(number: 99), .numbered(7), to: &body) == nil)
    }

    @Test func `a body that is newer than asked for, or was dropped, is not found`() {
        var table = BodyTable(limit: 1 << 20)
        table.insert(7)

        #expect(table.body(7, upTo: 7) != nil)
        #expect(table.body(7, upTo: 6) == nil)
        table.empty(.local, .numbered(7))
        #expect(table.body(7) == nil)
        table.insert(7)
        #expect(table.body(7) != nil)
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
            #expect(edited.status == 200 && shown.body == edited.body && shown.header("ETag") == edited.header("ETag"))
        }
    }

    /// Edits that wait at the same time share a transaction.
    @Test(.overAFile("commits are counted: edits of other lanes share none"))
    func `when many edit a task at once, the last one is what everybody is shown`() async throws {
        let board = try TestBoard()
        let id = try await board.task("{\"title\": \"a\"}").id
        var shared = 0

        for round in 0..<150 {
            let commits = board.files.activity.commits.count
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
            if board.files.activity.commits.count < commits + 6 { shared += 1 }

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

extension TaskChange {
    fileprivate static func numbered(_ number: Int, revision: Revision) -> TaskChange {
        TaskChange(account: .local, id: .numbered(number), revision: revision)
    }
}

extension BodyTable {
    /// Puts in a body of 100 bytes, each the number, with the number as its revision.
    fileprivate mutating func insert(_ number: Int) {
        let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
        insert(body, .numbered(number, revision: Revision(number)))
    }

    fileprivate func append(
        _ account: AccountKey, _ id: ID, to bytes: inout [UInt8], upTo revision: Revision = .max
    ) -> Revision? {
        lend(account, id, upTo: revision) { bytes.append(contentsOf: $0) }
    }

    fileprivate func body(_ number: Int, upTo revision: Revision = .max) -> [UInt8]? {
        var body: [UInt8] = []
        return append(.local, .numbered(number), to: &body, upTo: revision).map { _ in body }
    }

    /// True if the table finds what ``insert(_:)`` put in.
    fileprivate func holds(_ number: Int) -> Bool {
        body(number, upTo: Revision(number)) == [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
    }
}
