import TestSupport
import Testing

@testable import Kanban

struct CategoryRulesTests {
    private let board = ValueBoard()

    @Test func `a name is taken in any case, by another category alone`() throws {
        let street = try board.createCategory(id: nil, name: "Straße")
        let home = try board.createCategory(id: nil, name: "Home")

        #expect(throws: BoardError.nameTaken(by: street.id)) { try board.createCategory(id: nil, name: "STRASSE") }
        #expect(throws: BoardError.nameTaken(by: street.id)) {
            try board.updateCategory(home.id) { $0.name = "straße" }
        }
        #expect(try board.updateCategory(street.id) { $0.name = "STRASSE" }.name == "STRASSE")
    }

    @Test func `an edit is noted member by member, and one that changes nothing writes nothing`() throws {
        let work = try board.createCategory(id: nil) { category in
            category.name = "Work"
            category.color = "#ff0000"
        }

        let same = try board.updateCategory(work.id) { $0.color = "#ff0000" }
        #expect(same == work && board.revision == work.revision)

        let new = try board.updateCategory(work.id) { $0.color = nil }
        #expect(new.color == nil && new.revision == work.revision + 1)
        #expect(board.lastChange() == ["revision", "color"])
        #expect(board.history(of: work.id, since: 0).isEmpty, "a task may have the same id")
    }

    @Test func `an image must exist`() throws {
        #expect(throws: BoardError.unknownImage) { try board.createCategory(id: nil, name: "Work", image: id(9)) }

        let work = try board.createCategory(id: nil, name: "Work")
        #expect(throws: BoardError.unknownImage) { try board.updateCategory(work.id) { $0.image = id(9) } }
    }

    @Test func `an account has a bounded number of them`() throws {
        for number in 0..<ValueBoard.mostCategories { _ = try board.createCategory(id: nil, name: "\(number)") }

        let error = #expect(throws: BoardError.self) { try board.task(category: .named("one more")) }

        guard case .invalid(let faults) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(faults.map(\.code) == [.tooMany] && faults.map(\.pointer) == ["#/categoryName"])
        #expect(board.countTasks(TaskQuery()) == 0)
    }

    @Test func `the trash has a bounded number of them, and the oldest go first`() throws {
        var made: [Kanban.Category] = []
        for number in 0...ValueBoard.mostCategories {
            made.append(try board.createCategory(id: nil, name: "\(number)"))
            try board.removeCategory(made[number].id)
        }

        #expect(board.categories(inTrash: true).count == ValueBoard.mostCategories)
        #expect(board.category(made[0].id, inTrash: true) == nil && board.categoryEverExisted(made[0].id))
        #expect(board.category(made[1].id, inTrash: true) != nil)
    }

    @Test func `putting makes one, replaces it, and does not bring back a deleted one`() throws {
        let made = try board.putCategory(id(1)) { category in
            category.name = "Work"
            category.color = "#ff0000"
        }
        let replaced = try board.putCategory(id(1)) { category in
            category.name = "Job"
            category.color = nil
            category.emoji = "💼"
        }

        #expect(made.isNew && !replaced.isNew)
        #expect(replaced.category.color == nil && replaced.category.emoji == "💼")

        try board.removeCategory(id(1))
        #expect(throws: BoardError.deleted(.category)) {
            try board.putCategory(id(1)) { $0.name = "Work" }
        }
        #expect(throws: BoardError.alreadyExists(.category)) { try board.createCategory(id: id(1), name: "Work") }
    }

    @Test func `deleting one frees its tasks, in the trash too, each with an entry`() throws {
        let living = try board.task("a", category: .named("Work"))
        let deleted = try board.task("b", category: .named("Work"))
        let other = try board.task("c", category: .named("Home"))
        try board.removeTask(deleted.id)

        try board.removeCategory(try #require(living.categoryID))

        #expect(board.task(living.id)?.categoryID == nil && board.task(deleted.id)?.categoryID == nil)
        #expect(board.task(other.id) == other)
        for task in [living, deleted] {
            #expect(board.history(of: task.id, since: 0).last?.changes.map(\.member) == ["categoryId"])
        }
        #expect(board.category(deleted.categoryID ?? id(0), inTrash: true)?.revision == board.revision, "it comes last")
    }

    @Test func `restoring one gives it back to the tasks that are still without a category`() throws {
        let kept = try board.task("a", category: .named("Work"))
        let work = try #require(kept.categoryID)
        let trashed = try board.task("b", category: .named("Work"))
        let moved = try board.task("c", category: .named("Work"))
        let freedBefore = try board.task("d", category: .named("Work"))
        try board.removeTask(trashed.id)
        _ = try board.updateTask(freedBefore.id, TaskEdit(category: .some(.none)))
        try board.removeCategory(work)
        _ = try board.updateTask(moved.id, TaskEdit(category: .named("Home")))
        _ = try board.updateTask(kept.id, TaskEdit(title: "renamed"))
        _ = try board.restoreTask(trashed.id)
        let freedAfter = try board.task("e")

        let restored = try board.restoreCategory(work)

        #expect(restored.id == work && restored.name == "Work" && restored.deletedAt == nil)
        #expect(board.task(kept.id)?.categoryID == work && board.task(trashed.id)?.categoryID == work)
        #expect(board.task(moved.id)?.categoryID != work && board.task(freedBefore.id)?.categoryID == nil)
        #expect(board.task(freedAfter.id)?.categoryID == nil)
        #expect(throws: BoardError.notFound(.category)) { try board.restoreCategory(work) }
    }

    @Test func `a name that is used meanwhile refuses the restore`() throws {
        let work = try board.createCategory(id: nil, name: "Work")
        try board.removeCategory(work.id)
        let other = try board.createCategory(id: nil, name: "WORK")

        #expect(throws: BoardError.nameTaken(by: other.id)) { try board.restoreCategory(work.id) }

        _ = try board.updateCategory(other.id) { $0.name = "Job" }
        #expect(try board.restoreCategory(work.id).name == "Work")
    }

    @Test func `an edit from before a deletion and a restore is no conflict`() throws {
        let work = try board.createCategory(id: nil, name: "Work")
        try board.removeCategory(work.id)
        _ = try board.restoreCategory(work.id)

        let outcome = try board.perform(
            Mutation(.patchCategory { $0.color = "#ff0000" }, on: work.id, base: work.revision, policy: .reject),
            own: OwnRevisions(after: board.revision))

        #expect(outcome.status == .applied)
    }

    @Test func `a failed precondition shows what is there`() throws {
        let work = try board.createCategory(id: nil, name: "Work")
        let stale = Precondition(match: .oneOf([work.revision + 1]))

        #expect(throws: BoardError.stale(current: .category(work))) { try board.removeCategory(work.id, if: stale) }
        #expect(throws: BoardError.stale(current: .category(work))) {
            try board.updateCategory(work.id, if: stale) { $0.name = "x" }
        }
    }

    @Test func `counts of columns add up to those of categories`() {
        let counts = [
            TaskCount(categoryID: id(1), status: .todo, count: 2),
            TaskCount(categoryID: id(1), status: .done, count: 3),
            TaskCount(categoryID: nil, status: .doing, count: 4),
        ].byCategory()

        #expect(counts[id(1)]?.tasks == 5 && counts[id(1)]?.done == 3)
        #expect(counts[nil]?.tasks == 4 && counts[nil]?.done == 0)
    }
}
