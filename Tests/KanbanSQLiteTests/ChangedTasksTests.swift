import Kanban
import TestSupport
import Testing

@testable import KanbanRows
@testable import KanbanSQLite

struct ChangedTasksTests {
    private let tasks: [TaskKey]

    init() {
        var random = SeededRandom(seed: 1)
        tasks = (0..<20_000).map { _ in
            TaskKey(
                account: AccountKey(number: 1), id: ID(high: 7, low: .random(in: 0 ... .max, using: &random)))
        }
    }

    @Test func `a task that changed is told by everyone who knows it from before, however many changed since`() {
        var changed = ChangedTasks()

        for (number, task) in tasks.enumerated() { _ = changed.note([task], in: UInt64(number + 1)) }

        #expect(tasks.enumerated().allSatisfy { changed.contains($1, after: UInt64($0)) })
        #expect(tasks.allSatisfy { !changed.contains($0, after: 20_000) })
    }

    @Test func `hardly any task is taken for changed for the sake of another`() {
        var changed = ChangedTasks()

        let count = changed.note(Array(tasks.prefix(10_000)), in: 5)

        #expect(tasks.prefix(10_000).allSatisfy { changed.contains($0, after: 4) })
        #expect(tasks.suffix(10_000).count { changed.contains($0, after: 4) } < 600)
        #expect(count == 6, "among ten thousand, two share a place")
    }

    @Test func `the same id of another account is another task`() {
        var changed = ChangedTasks()

        _ = changed.note([tasks[0]], in: 5)

        #expect(!changed.contains(TaskKey(account: AccountKey(number: 2), id: tasks[0].id), after: 4))
    }

    @Test func `what changes once in a commit is known from that commit on`() {
        var changed = ChangedTasks()

        #expect(changed.note([tasks[0], tasks[1]], in: 5) == 5)

        #expect(!changed.contains(tasks[0], after: 5))
    }

    @Test(arguments: 2...4)
    func `what changes more often in a commit is not known by the first who changed it`(times: Int) {
        var changed = ChangedTasks()

        #expect(changed.note([tasks[1]] + Array(repeating: tasks[0], count: times), in: 5) == 6)

        #expect(changed.contains(tasks[0], after: 5) && !changed.contains(tasks[0], after: 6))
        #expect(!changed.contains(tasks[1], after: 5))
        // The next commit is the seventh.
        #expect(changed.note([tasks[0]], in: 7) == 7)
        #expect(changed.contains(tasks[0], after: 6) && !changed.contains(tasks[0], after: 7))
    }

    @Test func `when anything may have changed, so may what the same commit made of it`() {
        var changed = ChangedTasks()

        #expect(changed.note(nil, in: 5) == 6)

        #expect(changed.contains(tasks[0], after: 5) && !changed.contains(tasks[0], after: 6))
    }
}
