import JSON

/// Merges an edit member by member into a task that others may have changed in the meantime.
struct TaskMerge {
    /// The client's values of the members that its edit changes.
    let changes: [(member: TaskMember, yours: JSON)]
    /// The ``changes`` of members that somebody else changed since the client's copy.
    let contested: [(member: TaskMember, yours: JSON)]

    /// - Parameter category: looks up a category by name; `nil` when it does not exist yet.
    init(_ edit: TaskEdit, into task: TaskItem, since baseline: Baseline, category: (String) throws -> ID?) rethrows {
        changes = try edit.wanted(of: task, category: category).filter { $0.yours != task[$0.member] }
        contested = changes.filter { baseline.isForeign(task.memberRevisions[$0.member]) }
    }
}
