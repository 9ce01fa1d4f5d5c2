import JSON
import TestSupport
import Testing

@testable import Kanban

struct TaskRulesTests {
    private let board = ValueBoard()

    @Test func `a new task goes to the end of its column, with a history that begins`() throws {
        try board.task("first")
        let task = try board.task("second")

        #expect(board.titles() == ["first", "second"])
        #expect(task.createdAt == board.now && task.revision == board.revision)
        #expect(task.memberRevisions == MemberRevisions(all: task.revision))
        #expect(board.history(of: task.id, since: 0).map(\.action) == [.created])
    }

    @Test func `a new task in done is completed`() throws {
        #expect(try board.task(status: .done).completedAt == board.now)
        #expect(try board.task(status: .doing).completedAt == nil)
    }

    @Test func `an id is used once, even after its task was purged`() throws {
        _ = try board.createTask(id: id(1), title: "a", TaskEdit())
        try board.removeTask(id(1))
        board.purge(id(1))

        #expect(throws: BoardError.alreadyExists(.task)) {
            try board.createTask(id: id(1), title: "b", TaskEdit())
        }
        #expect(throws: BoardError.deleted(.task)) { try board.putTask(id(1), title: "b", TaskEdit()) }
    }

    @Test func `a category that does not exist refuses the task, and a named one is created`() throws {
        #expect(throws: BoardError.self) { try board.task(category: .id(id(9))) }
        #expect(board.revision == 0)

        let task = try board.task(category: .named("Work"))
        let other = try board.task(category: .named("WORK"))

        #expect(board.categories().map(\.name) == ["Work"])
        #expect(task.categoryID == board.categories()[0].id && other.categoryID == task.categoryID)
    }

    @Test func `an edit names in the history what it changed, and gives those members its revision`() throws {
        let old = try board.task("old")
        board.now.milliseconds += 5

        let new = try board.updateTask(old.id, TaskEdit(title: "new", body: ""))

        #expect(board.lastChange() == ["title"])
        #expect(board.state.history.last?.sessionID == board.session)
        #expect(new.memberRevisions[.title] == new.revision && new.memberRevisions[.body] == old.revision)
        #expect(new.updatedAt == board.now && new.createdAt == old.createdAt)
    }

    @Test func `an edit that changes nothing writes nothing`() throws {
        let task = try board.task("same")

        #expect(try board.updateTask(task.id, TaskEdit(title: "same", status: .todo)) == task)
        #expect(board.revision == task.revision)
    }

    @Test func `a letter in another spelling is a change`() throws {
        let task = try board.task("e\u{301}")

        let new = try board.updateTask(task.id, TaskEdit(title: "\u{e9}"))

        #expect(new.revision > task.revision && new.title.unicodeScalars.count == 1)
    }

    @Test func `another column is its end, and its entry is a move`() throws {
        try board.task("there", status: .doing)
        let task = try board.task("moved")

        _ = try board.updateTask(task.id, TaskEdit(status: .doing))

        #expect(board.titles(.doing) == ["there", "moved"])
        #expect(board.state.history.last?.action == .moved)
    }

    @Test func `entering done sets the completion, editing keeps it, and leaving clears it`() throws {
        let task = try board.task()
        let done = try board.updateTask(task.id, TaskEdit(status: .done))
        board.now.milliseconds += 5
        let edited = try board.updateTask(task.id, TaskEdit(title: "b", status: .done))
        let left = try board.updateTask(task.id, TaskEdit(status: .todo))

        #expect(done.completedAt != nil && edited.completedAt == done.completedAt)
        #expect(left.completedAt == nil)
    }

    @Test func `a failed precondition changes nothing and shows what is there`() throws {
        let task = try board.task("a")
        let stale = Precondition(match: .oneOf([task.revision + 7]))

        #expect(throws: BoardError.stale(current: .task(task))) {
            try board.updateTask(task.id, TaskEdit(title: "b"), if: stale)
        }
        #expect(throws: BoardError.stale(current: .task(task))) { try board.removeTask(task.id, if: stale) }
        #expect(throws: BoardError.stale(current: nil)) {
            try board.putTask(id(1), title: "new", TaskEdit(), if: Precondition(match: .any))
        }
        #expect(board.titles() == ["a"] && board.revision == task.revision)
    }

    @Test func `putting makes a task where none is, and replaces one that lives`() throws {
        let made = try board.putTask(id(1), title: "a", TaskEdit(body: "x"))
        let replaced = try board.putTask(id(1), title: "b", TaskEdit(body: ""))

        #expect(made.isNew && !replaced.isNew)
        #expect(replaced.task.title == "b" && replaced.task.body == "")
        #expect(replaced.task.createdAt == made.task.createdAt)
    }

    @Test func `a task in the trash is not found, and comes back at the end of its column`() throws {
        let task = try board.task("a")
        try board.task("b")
        try board.removeTask(task.id)

        #expect(throws: BoardError.notFound(.task)) { try board.updateTask(task.id, TaskEdit(title: "x")) }
        #expect(throws: BoardError.notFound(.task)) { try board.removeTask(task.id) }

        let restored = try board.restoreTask(task.id)

        #expect(restored.deletedAt == nil && board.titles() == ["b", "a"])
        #expect(board.state.history.suffix(2).map(\.action) == [.deleted, .restored])
        #expect(throws: BoardError.notFound(.task)) { try board.restoreTask(task.id) }
    }

    @Test func `a restored task goes where it is wanted, without a category that is gone`() throws {
        let task = try board.task("a", category: .named("Work"))
        let neighbour = try board.task("b")
        try board.removeTask(task.id)
        try board.removeCategory(try #require(task.categoryID))

        let restored = try board.restoreTask(task.id, at: .before(neighbour.id))

        #expect(board.titles() == ["a", "b"])
        #expect(restored.categoryID == nil)
    }
}
