import JSON

/// Mutations of categories, D-days and settings.
extension BoardWriter {
    /// Creates a category, unless one has the name: the same category created on two devices becomes one.
    func createCategory(
        id: ID?, _ policy: Mutation.Policy, _ edit: Edit<Category>
    ) throws -> MutationOutcome {
        var wanted = Category(id: id ?? ID(high: 0, low: 0), createdAt: now)
        try edit(&wanted)
        let isNew = try id.map { try !categoryEverExisted($0) } ?? true
        guard isNew, let holder = try category(named: wanted.name) else {
            return .applied(try createCategory(id: id, edit))
        }
        let status: MutationOutcome.Status
        var conflicts: [MemberConflict] = []
        switch policy {
        case .merge: status = .merged
        case .keep: status = .unchanged
        case .reject:
            status = .conflict
            conflicts.append(
                MemberConflict(
                    member: "name", base: .null, theirs: .string(holder.name), yours: .string(wanted.name)))
        }
        return MutationOutcome(status, revision: holder.revision, value: .category(holder), conflicts: conflicts)
    }

    func mutateCategory(
        _ id: ID, _ mutation: Mutation, since baseline: Baseline, _ edit: Edit<Category>
    ) throws -> MutationOutcome {
        guard let old = try category(id) else {
            return try gone(.category, categoryEverExisted(id), at: category(id, inTrash: true)?.revision)
        }
        return try merge(old, edit, mutation, since: baseline) { new in try updateCategory(id) { $0 = new } }
    }

    func mutateDDay(
        _ id: ID, _ mutation: Mutation, since baseline: Baseline, _ edit: Edit<DDay>
    ) throws -> MutationOutcome {
        guard let old = try dday(id) else {
            return try gone(.dday, ddayEverExisted(id), at: dday(id, inTrash: true)?.revision)
        }
        return try merge(old, edit, mutation, since: baseline) { new in try updateDDay(id) { $0 = new } }
    }

    func mutateSettings(
        _ mutation: Mutation, since baseline: Baseline, _ edit: Edit<Settings>
    ) throws -> MutationOutcome {
        try merge(settings(), edit, mutation, since: baseline) { new in try updateSettings { $0 = new } }
    }

    func deleteCategory(_ id: ID, _ policy: Mutation.Policy, since baseline: Baseline) throws -> MutationOutcome {
        guard let old = try category(id) else {
            guard try categoryEverExisted(id) else { throw BoardError.notFound(.category) }
            return MutationOutcome(.unchanged, revision: try category(id, inTrash: true)?.revision, value: .deleted)
        }
        return try delete(old, policy, since: baseline) { try removeCategory(id) }
    }

    func restore(category id: ID) throws -> MutationOutcome {
        if let category = try category(id) {
            return MutationOutcome(.unchanged, revision: category.revision, value: .category(category))
        }
        return .applied(try restoreCategory(id))
    }

    func deleteDDay(_ id: ID, _ policy: Mutation.Policy, since baseline: Baseline) throws -> MutationOutcome {
        guard let old = try dday(id) else {
            guard try ddayEverExisted(id) else { throw BoardError.notFound(.dday) }
            return MutationOutcome(.unchanged, revision: try dday(id, inTrash: true)?.revision, value: .deleted)
        }
        return try delete(old, policy, since: baseline) { try removeDDay(id) }
    }

    func restore(dday id: ID) throws -> MutationOutcome {
        if let dday = try dday(id) {
            return MutationOutcome(.unchanged, revision: dday.revision, value: .dday(dday))
        }
        return .applied(try restoreDDay(id))
    }

    /// - Parameter revision: of the deletion, when it is known.
    private func gone(_ type: ResourceType, _ everExisted: Bool, at revision: Revision?) throws -> MutationOutcome {
        guard everExisted else { throw BoardError.notFound(type) }
        return MutationOutcome(.conflict, revision: revision, value: .deleted)
    }

    private func delete(
        _ old: some Noun, _ policy: Mutation.Policy, since baseline: Baseline, _ remove: () throws -> Void
    ) throws -> MutationOutcome {
        // Also by a restore, which changes no member.
        if policy == .reject, baseline.isForeign(old.revision) || old.isForeign(since: baseline) {
            return MutationOutcome(.conflict, revision: old.revision, value: old.change)
        }
        try remove()
        return MutationOutcome(.applied, revision: try feedState().revision, value: .deleted)
    }

    private func merge<Resource: Noun>(
        _ old: Resource, _ edit: Edit<Resource>, _ mutation: Mutation, since baseline: Baseline,
        _ update: (Resource) throws -> Resource
    ) throws -> MutationOutcome {
        var wanted = old
        try edit(&wanted)
        let contested = old.contested(by: wanted, since: baseline)
        let conflicts = try conflicts(
            contested.map { ($0, Resource.members[$0].value(of: wanted).json) }, of: old, since: baseline)
        switch mutation.policy {
        case .merge: break
        case .keep: for index in contested { Resource.members[index].copy(from: old, to: &wanted) }
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
