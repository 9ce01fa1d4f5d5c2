import TestSupport
import Testing

@testable import Kanban

/// Tasks that come back. It is 2026-11-18 in UTC.
struct TaskSuccessionTests {
    private let board = ValueBoard()

    @discardableResult
    private func task(
        _ rule: String, due: String, from: Recurrence.Start = .due, zone: String? = nil
    ) throws -> TaskItem {
        let recurrence = RecurrenceEdit(rule: rule, from: from, timeZone: .some(zone))
        return try board.createTask(
            id: nil, title: "Rent", TaskEdit(body: "Pay", dueDate: .some(DueDate(due)), recurrence: .some(recurrence)))
    }

    private func complete(_ task: TaskItem) throws -> TaskItem? {
        let done = try board.moveTask(task.id, TaskMove(status: .done))
        board.now = board.now.adding(milliseconds: 1_000)
        return try board.successor(of: done)
    }

    private func reopen(_ task: TaskItem) throws -> TaskItem {
        try board.moveTask(task.id, TaskMove(status: .todo))
    }

    private func task(_ id: ID) throws -> TaskItem { try #require(board.task(id)) }

    /// The due dates of a series whose tasks are completed one after another.
    private func dates(_ first: TaskItem, count: Int) throws -> [String] {
        var dates: [String] = []
        var last = first
        while dates.count < count, let next = try complete(last) {
            dates.append(next.dueDate?.text ?? "")
            last = next
        }
        return dates
    }

    @Test func `an id of a name is that of RFC 9562`() {
        let dns = ID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")

        #expect(dns.map { ID(name: "www.example.com", in: $0).description } == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
        let long = String(repeating: "a", count: 200)
        #expect(dns.map { ID(name: long, in: $0).description } == "fe30bfa6-ef90-59b3-b108-118411d0f0ab")
    }

    @Test func `a completed task hands its rule on to a successor at the end of todo`() throws {
        let first = try task("FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", due: "2027-01-31")
        try board.task("Other")

        let next = try #require(try complete(first))

        #expect(first.series == Series(id: first.id, occurrence: 1, start: .day(try Day.parse("2027-01-31"))))
        let done = try task(first.id)
        #expect(done.status == .done && done.recurrence == nil && done.dueDate == first.dueDate)
        #expect(next.id == ID(name: "2", in: first.id) && next.title == "Rent" && next.body == "Pay")
        #expect(next.dueDate?.text == "2027-02-28" && next.status == .todo && next.recurrence == first.recurrence)
        #expect(next.series?.occurrence == 2 && next.series?.id == first.id && next.completedAt == nil)
        #expect(board.titles() == ["Other", "Rent"])
        #expect(board.history(of: first.id, since: 0).map(\.action) == [.created, .moved])
        #expect(board.history(of: next.id, since: 0).map(\.action) == [.created])
    }

    @Test func `a short month and a change of clocks shift nothing that comes after`() throws {
        let end = try task("FREQ=MONTHLY;SKIP=BACKWARD", due: "2027-01-31")
        #expect(try dates(end, count: 4) == ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"])

        // In Berlin 02:30 does not exist on 2027-03-28.
        let night = try task("FREQ=DAILY", due: "2027-03-27T01:30:00Z", zone: "Europe/Berlin")
        #expect(
            try dates(night, count: 3) == [
                "2027-03-28T01:30:00.000Z", "2027-03-29T00:30:00.000Z", "2027-03-30T00:30:00.000Z",
            ])
    }

    @Test func `what was missed is passed over, from the due date or from the completion`() throws {
        let day = board.now.description.prefix(10)
        #expect(day == "2026-11-18")

        #expect(try complete(task("FREQ=WEEKLY", due: "2026-10-01"))?.dueDate?.text == "2026-11-19")
        #expect(try complete(task("FREQ=DAILY", due: "2026-11-18"))?.dueDate?.text == "2026-11-19")
        #expect(try complete(task("FREQ=DAILY", due: "2026-12-24"))?.dueDate?.text == "2026-12-25")
        #expect(
            try complete(task("FREQ=DAILY;INTERVAL=3", due: "2026-12-24", from: .completion))?.dueDate?.text
                == "2026-11-21")
        #expect(
            try complete(task("FREQ=DAILY;INTERVAL=3", due: "2026-11-01T09:00:00Z", from: .completion))?.dueDate?.text
                == "2026-11-21T09:00:00.000Z")
    }

    @Test func `a rule without a zone has that of the account`() throws {
        // 15:00 in UTC is the next day in Seoul.
        board.now = try #require(Timestamp(rfc3339: "2026-11-18T16:00:00Z"))
        #expect(try complete(task("FREQ=DAILY", due: "2026-11-01"))?.dueDate?.text == "2026-11-19")
        _ = try board.updateSettings { $0.timeZone = "Asia/Seoul" }
        #expect(try complete(task("FREQ=DAILY", due: "2026-11-01"))?.dueDate?.text == "2026-11-20")
        #expect(try complete(task("FREQ=DAILY", due: "2026-11-01", zone: "UTC"))?.dueDate?.text == "2026-11-19")
    }

    @Test func `a series ends by COUNT and UNTIL, and its last task keeps the rule`() throws {
        #expect(try dates(task("FREQ=DAILY;COUNT=3", due: "2026-12-01"), count: 9) == ["2026-12-02", "2026-12-03"])
        #expect(try dates(task("FREQ=DAILY;UNTIL=20261202", due: "2026-12-01"), count: 9) == ["2026-12-02"])
        let last = try task("FREQ=DAILY;COUNT=1", due: "2026-12-01")
        #expect(try complete(last) == nil)
        #expect(try reopen(last).recurrence == last.recurrence)
    }

    @Test func `reopening removes a successor that nobody touched, and completing makes it again`() throws {
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        let next = try #require(try complete(first))

        let reopened = try reopen(first)

        #expect(reopened.recurrence == first.recurrence && reopened.dueDate == first.dueDate)
        let removed = try task(next.id)
        #expect(removed.deletedAt != nil && removed.recurrence == nil)
        board.now = board.now.adding(milliseconds: 86_400_000)
        let again = try #require(try complete(first))
        #expect(again.id == next.id && again.deletedAt == nil && again.recurrence == first.recurrence)
        #expect(again.series == next.series && again.dueDate == next.dueDate)
        #expect(try reopen(first).recurrence != nil && task(next.id).deletedAt != nil)
    }

    @Test func `a successor that somebody touched stays, even in the same millisecond`() throws {
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        let done = try board.updateTask(first.id, TaskEdit(status: .done))
        let next = try #require(try board.successor(of: done))
        _ = try board.updateTask(next.id, TaskEdit(title: "Mine"))

        #expect(try reopen(first).recurrence == nil)
        #expect(try task(next.id).deletedAt == nil && task(next.id).recurrence != nil)
        // Its own rule is another series.
        let edit = TaskEdit(recurrence: .some(RecurrenceEdit(rule: "FREQ=WEEKLY")))
        let own = try board.updateTask(first.id, edit)
        #expect(own.series?.id != first.series?.id && own.series?.occurrence == 1)
        #expect(try complete(own)?.id != next.id)
    }

    @Test func `a repeated replacement changes nothing more`() throws {
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        var edit = TaskEdit(status: .done, dueDate: .some(first.dueDate))
        edit.recurrence = first.recurrence.map(RecurrenceEdit.init)
        let done = try board.putTask(first.id, title: "Rent", edit).task

        let again = try board.putTask(first.id, title: "Rent", edit).task

        #expect(done.recurrence == nil && again.recurrence == nil && again.series == first.series)
        #expect(board.tasks(TaskQuery()).count == 2)
        // Reopened with its rule in the body, the successor goes as well.
        edit.status = .todo
        #expect(try board.putTask(first.id, title: "Rent", edit).task.recurrence == first.recurrence)
        #expect(board.tasks(TaskQuery()).count == 1)
    }

    @Test func `an old copy that reopens a task begins no second series`() throws {
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        let next = try #require(try complete(first))
        _ = try board.updateTask(next.id, TaskEdit(body: "Note"))
        var copy = TaskEdit(status: .todo, dueDate: .some(first.dueDate))
        copy.recurrence = first.recurrence.map(RecurrenceEdit.init)

        let reopened = try board.putTask(first.id, title: "Rent", copy).task

        #expect(reopened.status == .todo && reopened.recurrence == nil && reopened.series == first.series)
        #expect(try task(next.id).recurrence == first.recurrence)
        // The same after further occurrences.
        _ = try complete(first)
        let third = try #require(try complete(next))
        #expect(try board.putTask(first.id, title: "Rent", copy).task.recurrence == nil)
        #expect(try task(third.id).recurrence == first.recurrence)
        // Another rule is another series.
        _ = try complete(first)
        copy.recurrence = .some(RecurrenceEdit(rule: "FREQ=WEEKLY"))
        #expect(try board.putTask(first.id, title: "Rent", copy).task.series?.id != first.series?.id)
    }

    @Test func `an edit of the rule of a completed task goes where the rule is`() throws {
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        let next = try #require(try complete(first))
        let third = try #require(try complete(next))
        let base = first.revision
        func edit(_ recurrence: RecurrenceEdit) throws -> MutationOutcome {
            try board.perform(
                Mutation(.patchTask(TaskEdit(recurrence: .some(recurrence))), on: first.id, base: base),
                own: OwnRevisions(after: board.revision))
        }

        let outcome = try edit(RecurrenceEdit(rule: "FREQ=WEEKLY"))

        #expect(outcome.status == .merged && outcome.conflicts.map(\.member) == ["recurrence"])
        #expect(try task(first.id).recurrence == nil && task(next.id).recurrence == nil)
        #expect(try task(third.id).recurrence?.rule == "FREQ=WEEKLY" && task(third.id).series?.id == first.series?.id)
        #expect(board.history(of: third.id, since: 0).map(\.action) == [.created, .updated])
        _ = try edit(RecurrenceEdit(timeZone: .some("Asia/Seoul")))
        #expect(try task(third.id).recurrence?.timeZone == "Asia/Seoul")
        #expect(try edit(RecurrenceEdit(rule: "FREQ=WEEKLY")).status == .unchanged)
        // A whole copy shows no rule; that does not end the series.
        var copy = TaskEdit(title: "Rent", status: .done, dueDate: .some(first.dueDate), recurrence: .some(nil))
        copy.isWhole = true
        _ = try board.updateTask(first.id, copy)
        #expect(try task(third.id).recurrence?.rule == "FREQ=WEEKLY")
    }

    @Test func `a task is reopened without its rule when the edit says so, but not by a whole copy`() throws {
        for isWhole in [false, true] {
            let first = try task("FREQ=DAILY", due: "2026-12-01")
            let next = try #require(try complete(first))
            var edit = TaskEdit(status: .todo, recurrence: .some(nil))
            edit.isWhole = isWhole

            #expect(try board.updateTask(first.id, edit).recurrence == (isWhole ? first.recurrence : nil))
            #expect(try task(next.id).deletedAt != nil)
        }
    }

    @Test func `a skip moves the due date, once for each occurrence`() throws {
        let first = try task("FREQ=WEEKLY;COUNT=2", due: "2026-12-01")

        let skipped = try board.skipTask(first.id, TaskSkip(occurrence: 1))

        #expect(skipped.dueDate?.text == "2026-12-08" && skipped.status == .todo && skipped.series?.occurrence == 2)
        #expect(try board.skipTask(first.id, TaskSkip(occurrence: 1)) == skipped)
        #expect(throws: BoardError.self) { try board.skipTask(first.id, TaskSkip()) }
        // Completed on another device meanwhile.
        let daily = try task("FREQ=DAILY", due: "2026-12-01")
        _ = try complete(daily)
        #expect(try board.skipTask(daily.id, TaskSkip(occurrence: 1)) == task(daily.id))
        #expect(throws: BoardError.self) { try board.skipTask(daily.id, TaskSkip()) }
        #expect(throws: BoardError.self) { try board.skipTask(board.task().id, TaskSkip()) }
    }

    @Test func `deleting ends a series, and restoring brings the rule back`() throws {
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        try board.removeTask(first.id)
        #expect(board.tasks(TaskQuery()).isEmpty)

        let restored = try board.restoreTask(first.id)

        #expect(restored.recurrence == first.recurrence)
        #expect(try complete(restored) != nil)
    }

    @Test func `a recurrence needs a due date, and a rule`() throws {
        func code(_ body: () throws -> Void) -> (Fault.Code, String)? {
            do { try body() } catch BoardError.invalid(let faults) {
                return faults.first.map { ($0.code, $0.pointer) }
            } catch {}
            return nil
        }
        let rule = TaskEdit(recurrence: .some(RecurrenceEdit(rule: "FREQ=DAILY")))
        let revision = board.revision
        var named = rule
        named.category = .named("New")
        #expect(
            code { _ = try board.createTask(id: nil, title: "A", named) }! == (.recurrenceWithoutDue, "#/recurrence"))
        #expect(board.revision == revision)
        let plain = try board.task()
        #expect(code { _ = try board.updateTask(plain.id, rule) }! == (.recurrenceWithoutDue, "#/recurrence"))
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        #expect(
            code { _ = try board.updateTask(first.id, TaskEdit(dueDate: .some(nil))) }!
                == (.recurrenceWithoutDue, "#/dueDate"))
        let part = TaskEdit(recurrence: .some(RecurrenceEdit(timeZone: .some("Asia/Seoul"))))
        #expect(code { _ = try board.updateTask(plain.id, part) }! == (.required, "#/recurrence/rule"))
        #expect(try board.updateTask(first.id, part).recurrence?.timeZone == "Asia/Seoul")
        let both = TaskEdit(dueDate: .some(nil), recurrence: .some(nil))
        #expect(try board.updateTask(first.id, both).recurrence == nil)
    }

    @Test func `a due date that is not a date of the rule restarts the dates`() throws {
        let first = try task("FREQ=MONTHLY;SKIP=BACKWARD", due: "2027-01-31")
        let short = try board.updateTask(first.id, TaskEdit(dueDate: .some(DueDate("2027-02-28"))))
        #expect(short.series?.start.text == "2027-01-31")
        let moved = try board.updateTask(first.id, TaskEdit(dueDate: .some(DueDate("2027-02-10"))))
        #expect(moved.series?.start.text == "2027-02-10")
        #expect(try complete(moved)?.dueDate?.text == "2027-03-10")
    }

    @Test func `a task that is made done has a successor`() throws {
        let edit = TaskEdit(
            status: .done, category: .named("Home"), dueDate: .some(DueDate("2026-12-01")),
            recurrence: .some(RecurrenceEdit(rule: "FREQ=DAILY")))
        let done = try board.createTask(id: nil, title: "Rent", edit)

        let next = try #require(try board.successor(of: done))

        #expect(done.recurrence == nil && next.recurrence != nil && next.categoryID == done.categoryID)
        #expect(next.categoryID != nil && next.dueDate?.text == "2026-12-02")
    }

    @Test func `ids that are used up are passed over`() throws {
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        let next = try #require(try complete(first))
        _ = try reopen(first)
        board.purge(next.id)

        let third = try #require(try complete(first))
        #expect(third.id == ID(name: "3", in: first.id) && third.recurrence != nil && third.series?.occurrence == 3)
        #expect(try reopen(first).recurrence != nil && task(third.id).deletedAt != nil)
    }

    @Test func `a device may send the successor that it made itself`() throws {
        let first = try task("FREQ=DAILY", due: "2026-12-01")
        let own = ID(name: "2", in: first.id)
        let edit = TaskEdit(
            dueDate: .some(DueDate("2026-12-02")), recurrence: .some(RecurrenceEdit(rule: "FREQ=DAILY")))
        func create() throws -> MutationOutcome {
            try board.perform(
                Mutation(.createTask(title: "Rent", edit), on: own), own: OwnRevisions(after: board.revision))
        }

        #expect(try create().status == .applied)
        let next = try #require(try complete(first))
        #expect(next.id == own && next.series?.id == first.id && next.series?.occurrence == 2)
        #expect(try create().status == .unchanged)
        #expect(board.tasks(TaskQuery()).count == 2)
    }
}
