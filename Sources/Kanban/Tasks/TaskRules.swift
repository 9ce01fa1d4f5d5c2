import JSON

/// The rules of tasks. Each runs inside one transaction, so check and write cannot race.
extension BoardWriter {
    /// Creates a task at the end of its column.
    /// - Throws: ``BoardError/alreadyExists(_:)`` when the id was ever used.
    package func createTask(id: ID?, title: String, _ edit: TaskEdit) throws -> TaskItem {
        if let id, try taskEverExisted(id) { throw BoardError.alreadyExists(.task) }
        let status = edit.status ?? .todo
        var task = TaskItem(
            id: id ?? makeID(), title: title, body: edit.body ?? "", status: status,
            categoryID: try edit.category.flatMap(resolve), dueDate: edit.dueDate ?? nil,
            position: Position(after: try lastPosition(in: status), before: nil), createdAt: now, updatedAt: now,
            completedAt: status == .done ? now : nil, revision: 0)
        // A new category takes its revision first.
        task.revision = try nextRevision()
        task.memberRevisions = TaskItem.MemberRevisions(all: task.revision)
        try add(task)
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
        if let title = edit.title { task.title = title }
        if let body = edit.body { task.body = body }
        if let category = edit.category { task.categoryID = try resolve(category) }
        if let dueDate = edit.dueDate { task.dueDate = dueDate }
        if let status = edit.status, status != old.status {
            task.enter(status, at: now)
            task.position = Position(after: try lastPosition(in: status), before: nil)
        }
        guard TaskMember.allCases.contains(where: { task.differs(from: old, in: $0) }) else { return old }
        try record(&task, since: old, as: task.status == old.status ? .updated : .moved)
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
            if let known = try category(foldedName: CaseFolding.fold(name)) { return known.id }
            return try createCategory(id: nil, name: name, faultsAt: "#/categoryName").id
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
    /// Moves to another column. Entering `done` sets `completedAt`; leaving it clears it.
    mutating func enter(_ status: TaskStatus, at now: Timestamp) {
        self.status = status
        completedAt = status == .done ? completedAt ?? now : nil
    }

    /// Whether the API shows the member otherwise, byte for byte: `==` of String compares canonically equivalent texts as
    /// equal.
    func differs(from other: TaskItem, in member: TaskMember) -> Bool {
        switch member {
        case .title: !title.isSpelled(like: other.title)
        case .body: !body.isSpelled(like: other.body)
        case .status: status != other.status
        case .categoryID: categoryID != other.categoryID
        case .dueDate: dueDate != other.dueDate
        case .position: !position.text.isSpelled(like: other.position.text)
        }
    }

    /// The member as the API shows it.
    package subscript(member: TaskMember) -> JSON {
        switch member {
        case .title: .string(title)
        case .body: .string(body)
        case .status: .string(status.name)
        case .categoryID: categoryID.map { .string($0.description) } ?? .null
        case .dueDate: dueDate.map { .string($0.text) } ?? .null
        case .position: .string(position.text)
        }
    }
}
