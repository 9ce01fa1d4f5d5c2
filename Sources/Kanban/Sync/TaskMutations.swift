import JSON

/// Mutations of tasks. Faults of a mutation are thrown as by the REST operation of the same name.
extension BoardWriter {
    func mutate(_ id: ID, _ edit: TaskEdit, _ policy: Mutation.Policy, since baseline: Baseline) throws
        -> MutationOutcome
    {
        let old: TaskItem
        switch try fate(of: id) {
        case .living(let task): old = task
        case .gone(let revision): return MutationOutcome(.conflict, revision: revision, value: .deleted)
        case .unknown: throw BoardError.notFound(.task)
        }
        let seen = try withItsRule(old, as: edit)
        let merge = try TaskMerge(edit, into: seen, since: baseline) { name in
            try category(named: name)?.id
        }
        var conflicts = try conflicts(merge.contested.map { ($0.member.index, $0.yours) }, of: seen, since: baseline)
        var edit = edit
        if !conflicts.isEmpty {
            switch policy {
            case .merge: break
            case .keep: edit = edit.without(merge.contested.map(\.member))
            case .reject:
                return MutationOutcome(.conflict, revision: old.revision, value: .task(old), conflicts: conflicts)
            }
        }
        // A category that was deleted meanwhile stays away, and the rest of the edit is made.
        if case .id(let id) = edit.category, merge.contested.contains(where: { $0.member == .categoryID }),
            try category(id) == nil, try categoryEverExisted(id)
        {
            edit.category = nil
        }
        // What it says of the rule of a completed task may change another one.
        let revision = old.series != nil && edit.recurrence != nil ? try feedState().revision : nil
        let new = try apply(edit, to: old)
        let isChanged = try new.revision != old.revision || revision.map { try feedState().revision != $0 } ?? false
        // Now the named category has an id.
        if case .named = edit.category,
            let index = conflicts.firstIndex(where: { $0.member == TaskMember.categoryID.rawValue })
        {
            conflicts[index].yours = new[.categoryID]
        }
        return MutationOutcome(new, isChanged: isChanged, conflicts: conflicts)
    }

    /// A completed task with the rule that it handed on, if an edit means that one: the rule that it shows, none, is not what
    /// the edit changes.
    private func withItsRule(_ task: TaskItem, as edit: TaskEdit) throws -> TaskItem {
        guard let said = edit.recurrence, said != nil || !edit.isWhole, task.status == .done, task.recurrence == nil,
            task.series != nil
        else { return task }
        var task = task
        task.recurrence = try holder(ofRuleOf: task)?.recurrence
        return task
    }

    func put(
        _ id: ID, title: String, _ edit: TaskEdit, _ policy: Mutation.Policy, since baseline: Baseline
    ) throws -> MutationOutcome {
        if case .unknown = try fate(of: id) { return .applied(try putTask(id, title: title, edit).task) }
        var edit = edit
        edit.title = title
        return try mutate(id, edit, policy, since: baseline)
    }

    func move(_ id: ID, _ move: TaskMove, _ policy: Mutation.Policy, since baseline: Baseline) throws -> MutationOutcome
    {
        let old: TaskItem
        switch try fate(of: id) {
        case .living(let task): old = task
        case .gone(let revision): return MutationOutcome(.conflict, revision: revision, value: .deleted)
        case .unknown: throw BoardError.notFound(.task)
        }
        func moved() throws -> MutationOutcome {
            let new = try moveTask(id, move)
            guard new.revision != old.revision else { return MutationOutcome(new, since: old) }
            // The target of a move is known only after the move.
            let contested = [TaskMember.status, .position]
                .filter { new[$0] != old[$0] && baseline.isForeign(old.lastChange(of: $0)) }
            let conflicts = try conflicts(contested.map { ($0.index, new[$0]) }, of: old, since: baseline)
            if policy != .merge, !conflicts.isEmpty { throw Unwanted(conflicts: conflicts) }
            return MutationOutcome(new, since: old, conflicts: conflicts)
        }
        do {
            // Only a move that may have to be taken back needs a savepoint, which copies every page that it changes.
            return try policy == .merge ? moved() : nested(moved)
        } catch let move as Unwanted where policy == .reject {
            return MutationOutcome(.conflict, revision: old.revision, value: .task(old), conflicts: move.conflicts)
        } catch let unwanted as Unwanted {
            // Keep the others' position. Apply the column, unless it is contested too.
            let isColumnContested = unwanted.conflicts.contains { $0.member == TaskMember.status.rawValue }
            var edit = TaskEdit(status: isColumnContested ? nil : move.status)
            edit.madeAt = move.madeAt
            return MutationOutcome(try updateTask(id, edit), since: old, conflicts: unwanted.conflicts)
        }
    }

    func skip(_ id: ID, _ skip: TaskSkip) throws -> MutationOutcome {
        switch try fate(of: id) {
        case .living(let old): return MutationOutcome(try skipTask(id, skip), since: old)
        case .gone(let revision): return MutationOutcome(.conflict, revision: revision, value: .deleted)
        case .unknown: throw BoardError.notFound(.task)
        }
    }

    /// The task that a completion made here, when a device sends the one that it made itself; else `nil`.
    func madeTask(_ id: ID) throws -> MutationOutcome? {
        guard let task = try task(id), let series = task.series, series.id != id else { return nil }
        return MutationOutcome(
            .unchanged, revision: task.revision, value: task.deletedAt == nil ? .task(task) : .deleted)
    }

    func delete(_ id: ID, _ policy: Mutation.Policy, since baseline: Baseline) throws -> MutationOutcome {
        switch try fate(of: id) {
        case .unknown: throw BoardError.notFound(.task)
        case .gone(let revision): return MutationOutcome(.unchanged, revision: revision, value: .deleted)
        case .living(let task):
            if policy == .reject, task.isForeign(since: baseline) {
                return MutationOutcome(.conflict, revision: task.revision, value: .task(task))
            }
            try removeTask(id)
            return MutationOutcome(.applied, revision: try feedState().revision, value: .deleted)
        }
    }

    func restore(_ id: ID, at place: TaskMove.Place) throws -> MutationOutcome {
        if case .living(let task) = try fate(of: id) {
            return MutationOutcome(.unchanged, revision: task.revision, value: .task(task))
        }
        return .applied(try restoreTask(id, at: place))
    }

    private func fate(of id: ID) throws -> Fate {
        guard let task = try task(id) else { return try taskEverExisted(id) ? .gone(at: nil) : .unknown }
        return task.deletedAt == nil ? .living(task) : .gone(at: task.revision)
    }
}

extension TaskItem {
    /// The revision of the member's last change. A position belongs to a column, though another column may give the
    /// same text.
    fileprivate func lastChange(of member: TaskMember) -> Revision {
        member == .position ? max(memberRevisions[.position], memberRevisions[.status]) : memberRevisions[member]
    }
}

private enum Fate {
    case living(TaskItem)
    /// In the trash, or purged from it; then the revision of the deletion is unknown.
    case gone(at: Revision?)
    case unknown
}

/// A move that the policy forbids.
private struct Unwanted: Error {
    var conflicts: [MemberConflict]
}

extension MutationOutcome {
    static func applied(_ task: TaskItem) -> MutationOutcome {
        MutationOutcome(.applied, revision: task.revision, value: .task(task))
    }

    /// The outcome of an edit that changed `old` into this task.
    fileprivate init(_ task: TaskItem, since old: TaskItem, conflicts: [MemberConflict] = []) {
        self.init(task, isChanged: task.revision != old.revision, conflicts: conflicts)
    }

    fileprivate init(_ task: TaskItem, isChanged: Bool, conflicts: [MemberConflict]) {
        self.init(
            !isChanged ? .unchanged : conflicts.isEmpty ? .applied : .merged,
            revision: task.revision, value: .task(task), conflicts: conflicts)
    }
}
