import JSON

/// The merge of an edit into a task that others may have changed meanwhile, member by member.
struct TaskMerge {
    /// What the client wants of each member that its edit names and that differs from what is there.
    let changes: [(member: TaskMember, yours: JSON)]
    /// Those of ``changes`` that somebody else changed since the client's copy.
    let contested: [(member: TaskMember, yours: JSON)]

    /// - Parameter category: the id of the category that the edit names, `nil` when that is not made yet.
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
    /// The members that it names, as the API shows them.
    fileprivate func wanted(category: (String) throws -> ID?) rethrows -> [(member: TaskMember, yours: JSON)] {
        var wanted: [(member: TaskMember, yours: JSON)] = []
        if let title { wanted.append((.title, .string(title))) }
        if let body { wanted.append((.body, .string(body))) }
        if let status { wanted.append((.status, .string(status.name))) }
        switch self.category {
        case nil: break
        case .some(.none): wanted.append((.categoryID, .null))
        case .id(let id): wanted.append((.categoryID, .string(id.description)))
        // One that is not made yet has no id to show: its name stands for it.
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
