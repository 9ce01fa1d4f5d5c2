/// Tasks that come back. The rule of a series is always with one task: completing it hands the rule on to a successor, and
/// reopening takes it back. Both run where a change of column is recorded, so that every way to complete a task is the same,
/// on the server and on a device.
extension BoardWriter {
    /// Checks the recurrence of a task that an edit changed, and begins its series. Nothing was written yet.
    /// - Parameter old: `nil` for a new task.
    /// - Throws: ``BoardError/invalid(_:)``.
    func settleRecurrence(of task: inout TaskItem, since old: TaskItem?, _ edit: TaskEdit) throws {
        if let old, try handOn(edit, of: task, since: old) {
            task.recurrence = nil
            // Reopening takes back the rule and nothing else, so it needs the dates of the new due date by then.
            if task.dueDate != old.dueDate { try restart(&task, by: holder(ofRuleOf: old)?.recurrence) }
            return
        }
        if case .some(.some(let part)) = edit.recurrence, task.recurrence == nil, part.rule == nil {
            throw BoardError.invalid("#/recurrence/rule", .required, "rule must be given.")
        }
        guard let recurrence = task.recurrence else { return }
        guard let due = task.dueDate else {
            throw BoardError.invalid(
                edit.recurrence == nil ? "#/dueDate" : "#/recurrence", .recurrenceWithoutDue,
                "A task with a recurrence has a due date.")
        }
        if let old, task.series != nil, try old.recurrence != nil || takenBack(by: task, since: old) != nil {
            guard recurrence != old.recurrence || due != old.dueDate else { return }
            try restart(&task, by: recurrence)
        } else {
            // Never the id of a series that may go on with another task.
            let id = task.series.map { ID(name: $0.id.description, in: task.id) } ?? task.id
            task.series = Series(id: id, occurrence: 1, start: due)
        }
    }

    /// A due date that is not a date of the rule restarts the dates from there.
    private func restart(_ task: inout TaskItem, by recurrence: Recurrence?) throws {
        guard let recurrence, let series = task.series, let due = task.dueDate,
            try !recurrence.falls(on: due, in: series, zone(of: recurrence))
        else { return }
        task.series?.start = due
    }

    /// Hands what an edit of a completed task says of its rule on to the task that has the rule by now.
    /// - Returns: true if the rule stays there: a repeated body must not begin another series.
    private func handOn(_ edit: TaskEdit, of task: TaskItem, since old: TaskItem) throws -> Bool {
        guard old.status == .done, old.recurrence == nil, old.series != nil else { return false }
        let isDone = task.status == .done
        guard let said = edit.recurrence else { return isDone }
        guard let part = said else {
            // A whole body has no rule because the completed task shows none.
            guard !edit.isWhole, let holder = try holder(ofRuleOf: old),
                try isDone || takenBack(by: task, since: old) == nil
            else { return isDone }
            _ = try apply(TaskEdit(recurrence: said), to: holder)
            return true
        }
        guard let holder = try holder(ofRuleOf: old) else { return try isDone && begin(edit, part, after: old) }
        guard isDone else { return try holder.recurrence == task.recurrence && takenBack(by: task, since: old) == nil }
        _ = try apply(TaskEdit(recurrence: said), to: holder)
        return true
    }

    /// Gives a rule to the last task of a series that is over, as to any task. A whole body is repeated, and begins nothing.
    /// - Returns: false if the completed task itself is the last.
    private func begin(_ edit: TaskEdit, _ part: RecurrenceEdit, after task: TaskItem) throws -> Bool {
        guard part.rule != nil else { return false }
        guard !edit.isWhole, let last = try last(ofSeriesOf: task) else { return try wasFollowed(task) }
        _ = try apply(TaskEdit(recurrence: edit.recurrence), to: last)
        return true
    }

    /// True if the rule of a completed task went on to a successor: without one it was taken away before, and a new one counts.
    private func wasFollowed(_ task: TaskItem) throws -> Bool {
        if try follower(of: task, inTrash: true) != nil { return true }
        guard let series = task.series else { return false }
        let id = series.id(of: series.occurrence + 1)
        guard let next = try self.task(id) else { return try taskEverExisted(id) }
        // Reopening put it into the trash without the rule.
        return next.deletedAt == nil || next.recurrence != nil
    }

    /// True if a document repeats the rule of a completed task, which has moved to another one.
    func isHandedOn(_ task: TaskItem, since old: TaskItem) throws -> Bool {
        guard old.status == .done, old.recurrence == nil, task.recurrence != nil, let series = old.series,
            task.series?.id == series.id
        else { return false }
        return try task.status == .done
            ? wasFollowed(old) : holder(ofRuleOf: old) != nil && takenBack(by: task, since: old) == nil
    }

    /// Records a change of a task that was in a series, or is.
    /// - Parameters:
    ///   - madeAt: when a device made it; `nil`: now.
    ///   - endsSeries: True if it takes the rule away, too.
    ///   - changed: the `updatedAt` of the task; `nil`: now.
    func recordStep(
        of task: inout TaskItem, since old: TaskItem, as action: HistoryEntry.Action, at madeAt: Timestamp? = nil,
        endsSeries: Bool = false, changed: Timestamp? = nil
    ) throws {
        if let completedAt = completion(of: task, since: old, at: madeAt),
            let next = try successor(toMakeOf: task, at: completedAt)
        {
            task.recurrence = nil
            try record(&task, since: old, as: action, changed: changed)
            try make(next)
        } else if let next = try takenBack(by: task, since: old) {
            if !endsSeries { task.recurrence = task.recurrence ?? next.recurrence }
            if task.dueDate != old.dueDate { try restart(&task, by: task.recurrence) }
            try record(&task, since: old, as: action, changed: changed)
            var removed = next
            removed.deletedAt = next.deletedAt ?? now
            removed.recurrence = nil
            try record(&removed, since: next, as: next.deletedAt == nil ? .deleted : .updated)
        } else {
            try record(&task, since: old, as: action, changed: changed)
        }
    }

    /// When a task was completed that a change completes, or to which it gives a rule afterwards: of two devices, one may
    /// complete a task to which the other adds a rule, and the order in which the server hears of it must not matter.
    private func completion(of task: TaskItem, since old: TaskItem, at madeAt: Timestamp?) -> Timestamp? {
        guard task.status == .done else { return nil }
        if old.status != .done { return moment(of: madeAt) }
        return task.recurrence == old.recurrence ? nil : task.completedAt ?? now
    }

    /// The successor that gives the rule back to a task that a change reopens: one that nobody changed, or that is in the trash.
    private func takenBack(by task: TaskItem, since old: TaskItem) throws -> TaskItem? {
        guard old.status == .done, task.status != .done, old.recurrence == nil, task.series?.id == old.series?.id,
            task.dueDate != nil, let next = try follower(of: old, inTrash: true), next.recurrence != nil
        else { return nil }
        return next.isUntouched || next.deletedAt != nil ? next : nil
    }

    /// Moves the due date of a task to the next occurrence.
    /// - Parameter skip: which occurrence; for another one nothing is left to do.
    package func skipTask(_ id: ID, _ skip: TaskSkip, if precondition: Precondition = .none) throws -> TaskItem {
        let old = try livingTask(id)
        try precondition.check(old.revision, current: .task(old))
        // Skipped before, or completed.
        if let occurrence = skip.occurrence, let series = old.series,
            occurrence != series.occurrence || old.status == .done && old.recurrence == nil
        {
            return old
        }
        guard let recurrence = old.recurrence, let series = old.series, let due = old.dueDate else {
            throw BoardError.invalid("#", .invalidRecurrence, "The task has no recurrence.")
        }
        guard let next = try recurrence.next(after: due, in: series, at: moment(of: skip.madeAt), zone(of: recurrence))
        else {
            throw BoardError.invalid("#", .invalidRecurrence, "No occurrence follows this one: complete or delete it.")
        }
        var task = old
        task.dueDate = next
        task.series?.occurrence += 1
        try record(&task, since: old, as: .updated)
        return task
    }

    /// When a device did something. It may have been before the server made the task, where a device completed several of a
    /// series before it pushed.
    private func moment(of madeAt: Timestamp?) -> Timestamp { madeAt.map { min($0, now) } ?? now }

    /// The task that a completed one is to be followed by, without its revision; `nil` when the series is over.
    func successor(toMakeOf task: TaskItem, at moment: Timestamp) throws -> TaskItem? {
        guard let recurrence = task.recurrence, var series = task.series, let due = task.dueDate,
            let next = try recurrence.next(after: due, in: series, at: moment, zone(of: recurrence))
        else { return nil }
        var successor = task
        var old: TaskItem?
        repeat {
            series.occurrence += 1
            guard series.occurrence <= (task.series?.occurrence ?? 0) + Series.mostTaken else { return nil }
            successor.id = series.id(of: series.occurrence)
            old = try self.task(successor.id)
            // A device may have made it before it reported the completion.
            if var known = old, known.deletedAt == nil, known.status != .done {
                known.recurrence = recurrence
                known.series = series
                known.dueDate = known.dueDate ?? next
                return known
            }
            // The one that a reopening removed is made again; of a rule that is here, no other can be in the trash.
        } while try old.map { $0.deletedAt == nil } ?? taskEverExisted(successor.id)
        successor.status = .todo
        successor.dueDate = next
        successor.series = series
        successor.completedAt = nil
        successor.createdAt = now
        successor.updatedAt = now
        return successor
    }

    func make(_ next: TaskItem) throws {
        var task = next
        guard let old = try self.task(task.id) else {
            task.position = Position(after: try lastPosition(in: .todo), before: nil)
            task.revision = try nextRevision()
            task.memberRevisions = MemberRevisions(all: task.revision)
            return try add(task)
        }
        guard old.deletedAt != nil else { return try record(&task, since: old, as: .updated) }
        task.position = Position(after: try lastPosition(in: .todo), before: nil)
        try record(&task, since: old, as: .restored)
        task.memberRevisions = MemberRevisions(all: task.revision)
        task.updatedAt = task.createdAt
        try save(task)
    }
}

extension BoardReader {
    /// The task that a completed one was followed by, while it lives. It has the next number that was free when it was made.
    package func successor(of task: TaskItem) throws -> TaskItem? { try follower(of: task, inTrash: false) }

    /// - Parameter inTrash: True if one that was deleted with the rule counts.
    fileprivate func follower(of task: TaskItem, inTrash: Bool) throws -> TaskItem? {
        guard var series = task.series, task.status == .done else { return nil }
        for _ in 0..<Series.mostTaken {
            series.occurrence += 1
            let id = series.id(of: series.occurrence)
            if let next = try self.task(id), next.deletedAt == nil || inTrash && next.isOpenHolder {
                return next.series?.id == series.id ? next : nil
            }
            guard try taskEverExisted(id) else { return nil }
        }
        return nil
    }

    /// The task that has the rule of a completed one by now, if it is not far. It may be in the trash.
    func holder(ofRuleOf task: TaskItem) throws -> TaskItem? {
        try last(ofSeriesOf: task).flatMap { $0.recurrence == nil ? nil : $0 }
    }

    /// The last of those that followed a completed task.
    fileprivate func last(ofSeriesOf task: TaskItem) throws -> TaskItem? {
        var last: TaskItem?
        for _ in 0..<Series.mostTaken {
            guard let next = try follower(of: last ?? task, inTrash: true) else { break }
            last = next
            if next.recurrence != nil { break }
        }
        return last
    }

    /// The zone of days and times of a rule; without one, that of rules that name none.
    package func zone(of recurrence: Recurrence?) throws -> Zone {
        try (recurrence?.timeZone ?? settings().timeZone).flatMap(Zone.init(name:)) ?? defaultZone
    }
}

extension TaskItem {
    /// True if nobody changed the task since a completion made it. Compares its times, which a device knows as well as the
    /// server does.
    fileprivate var isUntouched: Bool { createdAt == updatedAt }

    fileprivate var isOpenHolder: Bool { recurrence != nil && status != .done }

    /// A successor that is changed in the millisecond in which it was made must show that.
    mutating func noteTouch() {
        if isUntouched { updatedAt = updatedAt.adding(milliseconds: 1) }
    }
}

/// Which occurrence is skipped.
package struct TaskSkip: Hashable, Sendable {
    /// `nil`: the one that the task is.
    package var occurrence: Int?
    /// When a device did it; `nil`: now.
    package var madeAt: Timestamp?

    package init(occurrence: Int? = nil) {
        self.occurrence = occurrence
    }
}
