import JSON

/// Mutations of categories, D-days and settings.
extension BoardWriter {
    /// Creates a category, unless one has the name: the same category created on two devices becomes one.
    func createCategory(
        id: ID?, name: String, color: String?, emoji: String?, image: ID?, _ policy: Mutation.Policy
    ) throws -> MutationOutcome {
        let isNew = try id.map { try !categoryEverExisted($0) } ?? true
        guard isNew, let holder = try category(foldedName: CaseFolding.fold(name)) else {
            return .applied(try createCategory(id: id, name: name, color: color, emoji: emoji, image: image))
        }
        let status: MutationOutcome.Status
        var conflicts: [MemberConflict] = []
        switch policy {
        case .merge: status = .merged
        case .keep: status = .unchanged
        case .reject:
            status = .conflict
            conflicts.append(
                MemberConflict(member: "name", base: .null, theirs: .string(holder.name), yours: .string(name)))
        }
        return MutationOutcome(status, revision: holder.revision, value: .category(holder), conflicts: conflicts)
    }

    func mutateCategory(
        _ id: ID, _ mutation: Mutation, since baseline: Baseline, _ edit: @escaping (inout Category) -> Void
    ) throws -> MutationOutcome {
        guard let old = try category(id) else { return try gone(.category, try categoryEverExisted(id)) }
        var wanted = old
        edit(&wanted)
        return try merge(old, wanted, mutation, since: baseline) { new in try updateCategory(id) { $0 = new } }
    }

    func mutateDDay(
        _ id: ID, _ mutation: Mutation, since baseline: Baseline, _ edit: @escaping (inout DDay.Contents) -> Void
    ) throws -> MutationOutcome {
        guard let old = try dday(id) else { return try gone(.dday, try ddayEverExisted(id)) }
        var wanted = old
        edit(&wanted.contents)
        return try merge(old, wanted, mutation, since: baseline) { new in
            try updateDDay(id) { $0 = new.contents }
        }
    }

    func mutateSettings(
        _ mutation: Mutation, since baseline: Baseline, _ edit: @escaping (inout Settings) throws -> Void
    ) throws -> MutationOutcome {
        let old = try settings()
        var wanted = old
        try edit(&wanted)
        return try merge(old, wanted, mutation, since: baseline) { new in try updateSettings { $0 = new } }
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
        if policy == .reject, try isForeign(old, since: baseline) {
            return MutationOutcome(.conflict, revision: old.revision, value: old.change)
        }
        try remove()
        return MutationOutcome(.applied, revision: try feedState().revision, value: .deleted)
    }

    private func merge<Resource: Mergeable>(
        _ old: Resource, _ wanted: Resource, _ mutation: Mutation, since baseline: Baseline,
        _ update: (Resource) throws -> Resource
    ) throws -> MutationOutcome {
        let contested = try conflicts(old, wanted, since: baseline)
        let conflicts = contested.map(\.conflict)
        var wanted = wanted
        switch mutation.policy {
        case .merge: break
        case .keep: for (member, _) in contested { member.copy(&wanted, old) }
        case .reject where conflicts.isEmpty: break
        case .reject:
            return MutationOutcome(.conflict, revision: old.revision, value: old.change, conflicts: conflicts)
        }
        let new = try update(wanted)
        let isChanged = new.revision != old.revision
        return MutationOutcome(
            !isChanged ? .unchanged : conflicts.isEmpty ? .applied : .merged, revision: new.revision,
            value: new.change, conflicts: conflicts)
    }
}
