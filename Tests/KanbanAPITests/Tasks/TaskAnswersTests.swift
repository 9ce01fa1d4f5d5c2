import Kanban
import Testing

@testable import KanbanAPI

struct TaskAnswersTests {
    @Test func `the table finds what was put in last, and stays within its bound`() {
        var table = AnswerTable(limit: 100 * 148)

        for number in 0..<5_000 { table.insert(entry(number, commits: 1)) }
        let found = (0..<5_000).filter { table.entry(.local, ID(high: 0, low: UInt64($0))) != nil }

        #expect(found.last == 4_999)
        #expect(found.count == table.count && table.count > 50 && table.count <= 100)
    }

    @Test func `a table with room enough keeps nearly all`() {
        var table = AnswerTable(limit: 1 << 30)

        for number in 0..<20_000 { table.insert(entry(number, commits: 1)) }
        let right = (0..<20_000).filter { table.entry(.local, ID(high: 0, low: UInt64($0)))?.revision == Revision($0) }

        #expect(right.count > 18_500 && right.count == table.count)
    }

    @Test func `the tasks of two accounts with one id are two`() {
        var table = AnswerTable(limit: 1 << 20)

        table.insert(entry(7, commits: 1))

        #expect(table.entry(AccountKey(number: 99), ID(high: 0, low: 7)) == nil)
    }

    @Test func `an answer that was replaced meanwhile is not confirmed`() {
        var table = AnswerTable(limit: 1 << 20)
        let old = entry(7, commits: 1)
        table.insert(old)
        table.insert(entry(7, commits: 5))

        table.confirm(old, at: 9)

        #expect(table.entry(.local, ID(high: 0, low: 7))?.commits == 5)
    }

    private func entry(_ number: Int, commits: UInt64) -> AnswerTable.Entry {
        AnswerTable.Entry(
            account: .local, id: ID(high: 0, low: UInt64(number)), revision: Revision(number),
            body: [UInt8](repeating: 32, count: 100), commits: commits)
    }
}
