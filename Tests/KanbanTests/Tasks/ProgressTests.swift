import Kanban
import Testing

struct ProgressTests {
    @Test(arguments: [(0, 0, 0), (3, 0, 0), (3, 1, 33), (3, 2, 66), (200, 199, 99), (3, 3, 100)])
    func `the percentage is rounded down, so that 100 means all`(total: Int, done: Int, percent: Int) {
        #expect(Progress(total: total, done: done).percent == percent)
    }

    @Test func `counts of all categories and columns add up`() {
        let work = ID(high: 0, low: 1)
        let counts = [
            TaskCount(categoryID: nil, status: .todo, count: 2), TaskCount(categoryID: nil, status: .done, count: 3),
            TaskCount(categoryID: work, status: .doing, count: 1), TaskCount(categoryID: work, status: .done, count: 4),
        ]

        #expect(Progress(counts) == Progress(total: 10, done: 7))
    }
}
