import JSON

/// Merges an edit member by member into a task that others may have changed in the meantime.
struct TaskMerge {
    /// The client's values of the members that its edit changes.
    let changes: [(member: TaskMember, yours: JSON)]
    /// The ``changes`` of members that somebody else changed since the client's copy.
    let contested: [(member: TaskMember, yours: JSON)]

    /// - Parameter category: looks up a category by name; `nil` when it does not exist yet.
    init(_ edit: TaskEdit, into task: TaskItem, since baseline: Baseline, category: (String) throws -> ID?) rethrows {
        changes = try edit.wanted(category: category).filter { $0.yours != task[$0.member] }
        contested = changes.filter { baseline.isForeign(task.memberRevisions[$0.member]) }
    }
}

extension TaskItem {
    /// Whether somebody else changed any member since the client's copy.
    func isForeign(since baseline: Baseline) -> Bool {
        TaskMember.allCases.contains { baseline.isForeign(memberRevisions[$0]) }
    }
}

extension TaskEdit {
    /// The members that the edit names, as the API shows them.
    fileprivate func wanted(category: (String) throws -> ID?) rethrows -> [(member: TaskMember, yours: JSON)] {
        var wanted: [(member: TaskMember, yours: JSON)] = []
        if let title { wanted.append((.title, .string(title))) }
        if let body { wanted.append((.body, .string(body))) }
        if let status { wanted.append((.status, .string(status.name))) }
        switch self.category {
        case nil: break
        case .some(.none): wanted.append((.categoryID, .null))
        case .id(let id): wanted.append((.categoryID, .string(id.description)))
        // A category that does not exist yet has no id: show its name.
        case .named(let name):
            wanted.append((.categoryID, .string(try category(name)?.description ?? name)))
        }
        if let dueDate { wanted.append((.dueDate, dueDate.map { .string($0.text) } ?? .null)) }
        return wanted
    }

    /// The edit without some members.
    func without(_ members: some Sequence<TaskMember>) -> TaskEdit {
        var edit = self
        for member in members {
            switch member {
            case .title: edit.title = nil
            case .body: edit.body = nil
            case .status: edit.status = nil
            case .categoryID: edit.category = nil
            case .dueDate: edit.dueDate = nil
            case .position: break
            }
        }
        return edit
    }
}
