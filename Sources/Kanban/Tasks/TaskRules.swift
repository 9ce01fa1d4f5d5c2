import JSON

/// The rules of tasks. Each runs inside one transaction, so check and write cannot race.
extension BoardWriter {
    /// Creates a task at the end of its column. Times that it brings along are never in the future, and it is not done before it
    /// was made.
    /// - Throws: ``BoardError/alreadyExists(_:)`` when the id was ever used.
    package func createTask(id: ID?, title: String, _ edit: TaskEdit) throws -> TaskItem {
        if let id, try taskEverExisted(id) { throw BoardError.alreadyExists(.task) }
        let status = edit.status ?? .todo
        let createdAt = min(edit.createdAt ?? edit.completedAt ?? now, now)
        var task = TaskItem(
            id: id ?? makeID(), title: title, status: status,
            position: Position(after: try lastPosition(in: status), before: nil), createdAt: createdAt,
            updatedAt: now,
            completedAt: status == .done ? min(max(edit.completedAt ?? createdAt, createdAt), now) : nil, revision: 0)
        edit.set(&task)
        var next: TaskItem?
        if edit.recurrence != nil {
            try settleRecurrence(of: &task, since: nil, edit)
            next = status == .done ? try successor(toMakeOf: task, at: now) : nil
            if next != nil { task.recurrence = nil }
        }
        task.categoryID = try edit.category.flatMap(resolve)
        // A new category takes its revision first.
        task.revision = try nextRevision()
        task.memberRevisions = MemberRevisions(all: task.revision)
        try add(task)
        if var next {
            next.categoryID = task.categoryID
            try make(next)
        }
        return task
    }

    /// Edits the living task and returns it. Changes nothing when no member changes.
    package func updateTask(_ id: ID, _ edit: TaskEdit, if precondition: Precondition = .none) throws -> TaskItem {
        let old = try livingTask(id)
        try precondition.check(old.revision, current: .task(old))
        return try apply(edit, to: old)
    }

    /// Replaces all members of the task; creates it when it does not exist.
    package func putTask(
        _ id: ID, title: String, _ edit: TaskEdit, if precondition: Precondition = .none
    ) throws -> (task: TaskItem, isNew: Bool) {
        if let old = try task(id), old.deletedAt == nil {
            try precondition.check(old.revision, current: .task(old))
            var edit = edit
            edit.title = title
            return (try apply(edit, to: old), false)
        }
        guard try !taskEverExisted(id) else { throw BoardError.deleted(.task) }
        try precondition.check(nil, current: nil)
        return (try createTask(id: id, title: title, edit), true)
    }

    /// Moves the task to the trash.
    package func removeTask(_ id: ID, if precondition: Precondition = .none) throws {
        let old = try livingTask(id)
        try precondition.check(old.revision, current: .task(old))
        var task = old
        task.deletedAt = now
        try record(&task, since: old, as: .deleted)
    }

    /// Restores the task from the trash, to a place in its column as for a move. A deleted category becomes null.
    /// - Throws: ``BoardError/notFound(_:)`` when it is not in the trash; ``BoardError/invalid(_:)`` when the neighbour
    ///   never existed or is the task itself.
    package func restoreTask(
        _ id: ID, at place: TaskMove.Place = .last, if precondition: Precondition = .none
    ) throws -> TaskItem {
        guard let old = try task(id), old.deletedAt != nil else { throw BoardError.notFound(.task) }
        try precondition.check(old.revision, current: .task(old))
        var task = old
        task.deletedAt = nil
        task.position = try self.place(in: gap(for: place, in: task.status, moving: id), of: task.status, moving: id)
        if let category = task.categoryID, try self.category(category) == nil { task.categoryID = nil }
        try record(&task, since: old, as: .restored)
        return task
    }

    /// Edits the living task, as it stands.
    func apply(_ edit: TaskEdit, to old: TaskItem) throws -> TaskItem {
        var task = old
        edit.set(&task)
        if let status = edit.status, status != old.status {
            task.enter(status, at: old.time(of: edit.madeAt, at: now))
            task.position = Position(after: try lastPosition(in: status), before: nil)
        }
        if old.series != nil || edit.recurrence != nil { try settleRecurrence(of: &task, since: old, edit) }
        if let category = edit.category { task.categoryID = try resolve(category) }
        guard TaskMember.allCases.contains(where: { task.differs(from: old, in: $0) }) else { return old }
        let action: HistoryEntry.Action = task.status == old.status ? .updated : .moved
        if task.series == nil {
            try record(&task, since: old, as: action)
        } else {
            let endsSeries = !edit.isWhole && edit.recurrence == .some(nil)
            try recordStep(of: &task, since: old, as: action, at: edit.madeAt, endsSeries: endsSeries)
        }
        return task
    }

    /// The category's id. Creates a named category that does not exist.
    private func resolve(_ choice: TaskEdit.CategoryChoice) throws -> ID? {
        switch choice {
        case .none:
            return nil
        case .id(let id):
            guard try category(id) != nil else {
                throw BoardError.invalid("#/categoryId", .unknownCategory, "There is no category with this id.")
            }
            return id
        case .named(let name):
            if let known = try category(named: name) { return known.id }
            return try createCategory(id: nil, faultsAt: "#/categoryName") { $0.name = name }.id
        }
    }

    /// Gives the changed task the next revision and writes it with a history entry.
    /// - Parameter changed: when it was changed; `nil`: now.
    func record(
        _ task: inout TaskItem, since old: TaskItem, as action: HistoryEntry.Action, changed: Timestamp? = nil
    ) throws {
        let revision = try nextRevision()
        var changes: [HistoryEntry.MemberChange] = []
        for member in TaskMember.allCases where task.differs(from: old, in: member) {
            task.memberRevisions[member] = revision
            changes.append(.init(member: member.rawValue, from: old[member], to: task[member]))
        }
        task.revision = revision
        task.updatedAt = changed ?? now
        if task.series != nil { task.noteTouch() }
        try save(task)
        try append(
            HistoryEntry(
                taskID: task.id, revision: revision, at: now, action: action, changes: changes, sessionID: session))
    }
}

extension BoardReader {
    /// The task, unless it is in the trash.
    /// - Throws: ``BoardError/notFound(_:)``.
    package func livingTask(_ id: ID) throws -> TaskItem {
        guard let task = try task(id), task.deletedAt == nil else { throw BoardError.notFound(.task) }
        return task
    }
}

extension TaskItem {
    /// When a device did something to the task: never before the task was made, and never in the future.
    func time(of madeAt: Timestamp?, at now: Timestamp) -> Timestamp {
        madeAt.map { min(max($0, createdAt), now) } ?? now
    }

    /// Moves to another column. Entering `done` sets `completedAt`; leaving it clears it.
    mutating func enter(_ status: TaskStatus, at now: Timestamp) {
        self.status = status
        completedAt = status == .done ? completedAt ?? now : nil
    }
}
