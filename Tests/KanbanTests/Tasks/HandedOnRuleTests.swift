import JSON
import TestSupport
import Testing

@testable import Kanban

/// What is done to a completed task and to its successor, in the order in which two devices are heard. It is 2026-11-18 in UTC.
struct HandedOnRuleTests {
    private let board = ValueBoard()

    private func edit(_ rule: String) -> TaskEdit { TaskEdit(recurrence: .some(RecurrenceEdit(rule: rule))) }

    private func task(_ rule: String? = "FREQ=DAILY", due: String = "2026-12-01") throws -> TaskItem {
        var edit = rule.map { self.edit($0) } ?? TaskEdit()
        edit.dueDate = .some(DueDate(due))
        return try board.createTask(id: nil, title: "Rent", edit)
    }

    private func task(_ id: ID) throws -> TaskItem { try #require(board.task(id)) }

    /// Completes a task and returns its successor.
    private func complete(_ task: TaskItem) throws -> TaskItem? {
        let done = try board.moveTask(task.id, TaskMove(status: .done))
        board.now = board.now.adding(milliseconds: 1_000)
        return try board.successor(of: done)
    }

    private func push(
        _ operation: Mutation.Operation, on task: TaskItem, _ policy: Mutation.Policy = .merge,
        at madeAt: Timestamp? = nil
    ) throws -> MutationOutcome {
        try board.perform(
            Mutation(operation, on: task.id, base: task.revision, policy: policy, madeAt: madeAt),
            own: OwnRevisions(after: board.revision))
    }

    /// The dates, rules and columns of a board, without the order.
    private func shown() -> Set<String> {
        Set(
            board.state.tasks.values.map {
                "\($0.status) \($0.dueDate?.text ?? "") \($0.recurrence?.rule ?? "") \($0.series?.occurrence ?? 0)"
                    + " \($0.deletedAt != nil)"
            })
    }

    // MARK: - A rule that comes after the completion

    @Test func `a rule that a done task gets makes its successor, as if it had been there`() throws {
        var boards: [Set<String>] = []
        for isDoneFirst in [true, false] {
            let plain = try task(nil, due: "2026-11-10")
            let ticked = board.now
            let tick = Mutation.Operation.moveTask(TaskMove(status: .done))
            if isDoneFirst { _ = try push(tick, on: plain, at: ticked) }
            board.now = board.now.adding(milliseconds: 3 * 86_400_000)
            let outcome = try push(.patchTask(edit("FREQ=DAILY")), on: plain)
            if !isDoneFirst { _ = try push(tick, on: plain, at: ticked) }

            #expect(outcome.status == .applied && (outcome.successor.first.flatMap(\.self) != nil) == isDoneFirst)
            let next = try #require(try board.successor(of: task(plain.id)))
            #expect(next.id == ID(name: "2", in: plain.id) && next.recurrence?.rule == "FREQ=DAILY")
            #expect(try next.dueDate?.text == "2026-11-19" && task(plain.id).recurrence == nil)
            boards.append(shown())
            for task in board.state.tasks.values { board.purge(task.id) }
            board.now = ticked
        }
        #expect(boards[0] == boards[1])
    }

    @Test func `a series that is over goes on when its rule does`() throws {
        let last = try task("FREQ=DAILY;COUNT=1")
        #expect(try complete(last) == nil)

        let done = try board.updateTask(last.id, edit("FREQ=DAILY;COUNT=2"))

        let next = try #require(try board.successor(of: done))
        #expect(done.recurrence == nil && next.series?.id == last.series?.id && next.dueDate?.text == "2026-12-02")
        // The last again: a rule without a further date stays with it.
        #expect(try complete(next) == nil)
        #expect(try task(next.id).recurrence?.rule == "FREQ=DAILY;COUNT=2")
        _ = try board.updateTask(last.id, edit("FREQ=DAILY;COUNT=3"))
        #expect(try board.successor(of: task(next.id))?.series?.occurrence == 3)
    }

    @Test func `a rule that was taken away before the completion counts when it comes back`() throws {
        let first = try task()
        // Its successor was there before.
        _ = try complete(first)
        _ = try board.moveTask(first.id, TaskMove(status: .todo))
        _ = try board.updateTask(first.id, TaskEdit(recurrence: .some(nil)))
        #expect(try complete(first) == nil)

        let done = try board.updateTask(first.id, edit("FREQ=WEEKLY"))

        #expect(try board.successor(of: done)?.dueDate?.text == "2026-12-08")
        #expect(done.series?.id != first.series?.id)
        let revision = board.revision
        #expect(try board.updateTask(first.id, edit("FREQ=WEEKLY")) == done && board.revision == revision)
    }

    @Test func `a repeated body begins no series beside a successor that has its own by now`() throws {
        let first = try task()
        let next = try #require(try complete(first))
        _ = try board.updateTask(next.id, TaskEdit(recurrence: .some(nil)))
        _ = try board.updateTask(next.id, edit("FREQ=WEEKLY"))
        var body = edit("FREQ=DAILY")
        (body.status, body.dueDate, body.isWhole) = (.done, .some(first.dueDate), true)

        #expect(try board.putTask(first.id, title: "Rent", body).task.recurrence == nil)
        #expect(board.tasks(TaskQuery()).count == 2)
    }

    // MARK: - Stopping

    @Test(arguments: [
        (Mutation.Policy.merge, MutationOutcome.Status.merged, nil),
        (.keep, .unchanged, "FREQ=DAILY"), (.reject, .conflict, "FREQ=DAILY"),
    ])
    func `what one device stops is stopped, even if another one ticked it`(
        policy: Mutation.Policy, status: MutationOutcome.Status, rule: String?
    ) throws {
        let first = try task()
        let next = try #require(try complete(first))

        let outcome = try push(.patchTask(TaskEdit(recurrence: .some(nil))), on: first, policy)

        #expect(outcome.status == status && outcome.conflicts.map(\.member) == ["recurrence"])
        #expect(outcome.conflicts.map { $0.theirs["rule"] } == ["FREQ=DAILY"])
        #expect(try task(next.id).recurrence?.rule == rule && task(next.id).deletedAt == nil)
    }

    @Test func `stopping a completed task stops its series, wherever its rule is`() throws {
        let first = try task()
        let second = try #require(try complete(first))
        let third = try #require(try complete(second))
        let stop = TaskEdit(recurrence: .some(nil))

        let done = try board.updateTask(first.id, stop)

        #expect(try done.status == .done && task(third.id).recurrence == nil && task(third.id).status == .todo)
        let revision = board.revision
        _ = try board.updateTask(first.id, stop)
        #expect(board.revision == revision)
        // In the trash, too: a restored copy would repeat again.
        let other = try task()
        let next = try #require(try complete(other))
        try board.removeTask(next.id)
        _ = try board.updateTask(other.id, stop)
        #expect(try board.restoreTask(next.id).recurrence == nil)
        // Reopened at once, beside a successor that somebody changed.
        let last = try task()
        let changed = try #require(try complete(last))
        _ = try board.updateTask(changed.id, TaskEdit(title: "Mine"))
        let open = try board.updateTask(last.id, TaskEdit(status: .todo, recurrence: .some(nil)))
        #expect(try open.recurrence == nil && task(changed.id).recurrence == nil)
    }

    @Test func `a later rule goes to the last task of a series that was stopped`() throws {
        let first = try task()
        let next = try #require(try complete(first))
        _ = try board.updateTask(next.id, TaskEdit(recurrence: .some(nil)))

        #expect(try push(.patchTask(edit("FREQ=WEEKLY")), on: first).status == .merged)

        let own = try task(next.id)
        #expect(own.recurrence?.rule == "FREQ=WEEKLY" && own.series?.occurrence == 1)
        let revision = board.revision
        #expect(try push(.patchTask(edit("FREQ=WEEKLY")), on: first).status == .unchanged && board.revision == revision)
        // Done by now, without the rule.
        _ = try board.updateTask(next.id, TaskEdit(recurrence: .some(nil)))
        #expect(try complete(next) == nil)
        #expect(board.tasks(TaskQuery()).count == 2)
    }

    // MARK: - A successor in the trash

    @Test func `reopening takes the rule back from the trash`() throws {
        let first = try task()
        let next = try #require(try complete(first))
        _ = try board.updateTask(next.id, edit("FREQ=WEEKLY"))
        try board.removeTask(next.id)
        let deletedAt = try task(next.id).deletedAt

        let reopened = try board.moveTask(first.id, TaskMove(status: .todo))

        #expect(reopened.recurrence?.rule == "FREQ=WEEKLY" && reopened.series?.id == first.series?.id)
        #expect(try task(next.id).recurrence == nil && task(next.id).deletedAt == deletedAt)
        #expect(try board.restoreTask(next.id).recurrence == nil)
        // It is the next one, and open already.
        #expect(try complete(reopened)?.id == next.id)
        #expect(board.tasks(TaskQuery()).filter { $0.recurrence != nil }.map(\.id) == [next.id])
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2]])
    func `deleting, restoring and reopening leave one open occurrence with the rule`(order: [Int]) throws {
        let first = try task()
        let next = try #require(try complete(first))

        for step in order {
            switch step {
            case 0: _ = try push(.deleteTask, on: next)
            case 1: _ = try push(.moveTask(TaskMove(status: .todo)), on: first)
            default: _ = try push(.restoreTask(.last), on: next)
            }
        }

        #expect(board.tasks(TaskQuery()).filter { $0.recurrence != nil && $0.status == .todo }.count == 1)
    }

    @Test func `a deleted task that was done has no rule to give back`() throws {
        let first = try task("FREQ=DAILY;COUNT=2")
        let last = try #require(try complete(first))
        #expect(try complete(last) == nil)
        try board.removeTask(last.id)

        #expect(try board.moveTask(first.id, TaskMove(status: .todo)).recurrence == nil)
        #expect(try task(last.id).recurrence != nil)
    }

    // MARK: - Another due date

    @Test(arguments: [true, false])
    func `a due date that was moved while the task was done restarts the dates`(isAtOnce: Bool) throws {
        // A Thursday, and the Saturday after it.
        let first = try task("FREQ=WEEKLY", due: "2026-12-03")
        _ = try complete(first)
        var move = TaskEdit(dueDate: .some(DueDate("2026-12-05")))
        if isAtOnce { move.status = .todo }
        _ = try board.updateTask(first.id, move)

        let reopened = try board.updateTask(first.id, TaskEdit(status: .todo))

        #expect(reopened.recurrence?.rule == "FREQ=WEEKLY" && reopened.series?.start.text == "2026-12-05")
        #expect(try complete(reopened)?.dueDate?.text == "2026-12-12")
    }
}
