import JSON

/// What mutations do to categories, D-days and settings. Those have one revision for all of their members and no
/// history: whoever changed one since may have changed any, and what a member was before is not known.
extension BoardWriter {
    func mutateCategory(
        _ id: ID, _ mutation: Mutation, since baseline: Baseline, _ edit: @escaping (inout Category) -> Void
    ) throws -> MutationOutcome {
        guard let old = try category(id) else { return try gone(.category, try categoryEverExisted(id)) }
        var wanted = old
        edit(&wanted)
        return try merge(old, wanted, mutation, since: baseline) { try updateCategory(id, edit) }
    }

    func mutateDDay(
        _ id: ID, _ mutation: Mutation, since baseline: Baseline, _ edit: @escaping (inout DDay.Contents) -> Void
    ) throws -> MutationOutcome {
        guard let old = try dday(id) else { return try gone(.dday, try ddayEverExisted(id)) }
        var wanted = old
        edit(&wanted.contents)
        return try merge(old, wanted, mutation, since: baseline) { try updateDDay(id, edit) }
    }

    func mutateSettings(
        _ mutation: Mutation, since baseline: Baseline, _ edit: @escaping (inout Settings) throws -> Void
    ) throws -> MutationOutcome {
        let old = try settings()
        var wanted = old
        try edit(&wanted)
        return try merge(old, wanted, mutation, since: baseline) { try updateSettings(edit) }
    }

    func deleteCategory(_ id: ID, _ policy: Mutation.Policy, since baseline: Baseline) throws -> MutationOutcome {
        guard let old = try category(id) else {
            guard try categoryEverExisted(id) else { throw BoardError.notFound(.category) }
            return MutationOutcome(.unchanged, revision: nil, value: .deleted)
        }
        return try delete(old, policy, since: baseline) { try removeCategory(id) }
    }

    func deleteDDay(_ id: ID, _ policy: Mutation.Policy, since baseline: Baseline) throws -> MutationOutcome {
        guard let old = try dday(id) else {
            guard try ddayEverExisted(id) else { throw BoardError.notFound(.dday) }
            return MutationOutcome(.unchanged, revision: nil, value: .deleted)
        }
        return try delete(old, policy, since: baseline) { try removeDDay(id) }
    }

    private func gone(_ type: ResourceType, _ everExisted: Bool) throws -> MutationOutcome {
        guard everExisted else { throw BoardError.notFound(type) }
        return MutationOutcome(.conflict, revision: nil, value: .deleted)
    }

    private func delete(
        _ old: some Mergeable, _ policy: Mutation.Policy, since baseline: Baseline, _ remove: () throws -> Void
    ) throws -> MutationOutcome {
        if policy == .reject, baseline.isForeign(old.revision) {
            return MutationOutcome(.conflict, revision: old.revision, value: old.change)
        }
        try remove()
        return MutationOutcome(.applied, revision: try feedState().revision, value: .deleted)
    }

    private func merge<Resource: Mergeable>(
        _ old: Resource, _ wanted: Resource, _ mutation: Mutation, since baseline: Baseline,
        _ update: () throws -> Resource
    ) throws -> MutationOutcome {
        var conflicts: [MemberConflict] = []
        if baseline.isForeign(old.revision) {
            for (theirs, yours) in zip(old.members, wanted.members) where theirs.value != yours.value {
                conflicts.append(
                    MemberConflict(member: theirs.name, base: .null, theirs: theirs.value, yours: yours.value))
            }
        }
        if !conflicts.isEmpty, mutation.policy != .merge {
            let status: MutationOutcome.Status = mutation.policy == .keep ? .unchanged : .conflict
            return MutationOutcome(status, revision: old.revision, value: old.change, conflicts: conflicts)
        }
        let new = try update()
        let isChanged = new.revision != old.revision
        return MutationOutcome(
            !isChanged ? .unchanged : conflicts.isEmpty ? .applied : .merged, revision: new.revision,
            value: new.change, conflicts: conflicts)
    }
}

/// A resource with one revision for all of its members.
private protocol Mergeable {
    var revision: Revision { get }
    var change: Change.Value { get }
    /// Those that a user can change, as the API shows them.
    var members: [JSON.Member] { get }
}

extension Category: Mergeable {
    fileprivate var change: Change.Value { .category(self) }
    fileprivate var members: [JSON.Member] {
        [.init("name", .string(name)), .init("color", .text(color)), .init("emoji", .text(emoji))]
    }
}

extension DDay: Mergeable {
    fileprivate var change: Change.Value { .dday(self) }
    fileprivate var members: [JSON.Member] {
        [
            .init("title", .string(title)), .init("date", .string(date.description)),
            .init("repeats", .string(repeats.rawValue)), .init("color", .text(color)), .init("emoji", .text(emoji)),
        ]
    }
}

extension Settings: Mergeable {
    fileprivate var change: Change.Value { .settings(self) }
    fileprivate var members: [JSON.Member] {
        [.init("timeZone", .text(timeZone)), .init("locale", .text(locale)), .init("custom", custom)]
    }
}

extension JSON {
    fileprivate static func text(_ text: String?) -> JSON {
        text.map { .string($0) } ?? .null
    }
}
