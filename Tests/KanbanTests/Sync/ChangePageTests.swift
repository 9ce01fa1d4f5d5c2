import TestSupport
import Testing

@testable import Kanban

struct ChangePageTests {
    private let board = ValueBoard()

    private func revisions(_ page: ChangePage) -> [Revision] { page.changes.map(\.revision) }

    @Test func `each resource comes once, in its latest state, page by page`() throws {
        let a = try board.task("a")
        try board.task("b")
        let work = try board.createCategory(id: nil, name: "Work")
        _ = try board.updateTask(a.id, TaskEdit(title: "A"))

        let first = try board.changePage(after: nil, limit: 2)
        let second = try board.changePage(after: first.cursor, limit: 2)

        #expect(revisions(first) == [2, 3] && first.hasMore)
        #expect(revisions(second) == [4] && !second.hasMore)
        #expect(second.cursor.revision == board.revision)
        #expect(first.changes.last?.value == .category(work))
    }

    @Test func `a deletion is reported to clients that knew the resource`() throws {
        let task = try board.task()
        let before = try board.changePage(after: nil, limit: 10).cursor
        try board.removeTask(task.id)

        #expect(try board.changePage(after: before, limit: 10).changes.map(\.value) == [.deleted])
        #expect(try board.changePage(after: nil, limit: 10).changes.isEmpty)
    }

    @Test func `a page ends with the change that filled it`() throws {
        for _ in 0..<5 { try board.task() }
        var left = 3

        let page = try board.changePage(after: nil, limit: 100) { _ in
            left -= 1
            return left > 0
        }

        #expect(revisions(page) == [1, 2, 3] && page.hasMore && page.cursor.revision == 3)
    }

    @Test func `a page of more than one step has no gap`() throws {
        for _ in 0..<450 { try board.task() }

        let page = try board.changePage(after: nil, limit: 420)

        #expect(revisions(page) == Array(1...420) && page.hasMore)
    }

    @Test func `a cursor before purged tombstones has expired, unless its first walk began after`() throws {
        for _ in 0..<4 { try board.task() }
        let old = try board.changePage(after: Cursor(epoch: 1, revision: 0), limit: 2).cursor
        board.purgeTombstones()

        #expect(throws: CursorError.expired) { try board.changePage(after: old, limit: 2) }
        let walk = try board.changePage(after: nil, limit: 2).cursor
        #expect(walk.walkBegan == 4)
        #expect(revisions(try board.changePage(after: walk, limit: 2)) == [3, 4])
    }

    @Test func `a new history expires every cursor`() throws {
        try board.task()
        let cursor = try board.changePage(after: nil, limit: 1).cursor
        board.eraseBoard()

        #expect(throws: CursorError.expired) { try board.changePage(after: cursor, limit: 1) }
    }
}
