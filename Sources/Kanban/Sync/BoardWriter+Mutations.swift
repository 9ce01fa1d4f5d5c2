extension BoardWriter {
    /// Applies a mutation under its policy.
    ///
    /// - Parameter own: the revisions that the same client made, in this request or earlier.
    /// - Throws: ``BoardError`` when the mutation is invalid; then nothing was written.
    package func perform(_ mutation: Mutation, own: OwnRevisions) throws -> MutationOutcome {
        var outcome = try performAlone(mutation, own: own)
        if case .task(let task) = outcome.value, task.series != nil { outcome.successor = [try successor(of: task)] }
        return outcome
    }

    private func performAlone(_ mutation: Mutation, own: OwnRevisions) throws -> MutationOutcome {
        let baseline = Baseline(base: mutation.base, own: own)
        let policy = mutation.policy
        switch mutation.operation {
        case .createTask(let title, let edit):
            if let id = mutation.target, let known = try madeTask(id) { return known }
            return .applied(try createTask(id: mutation.target, title: title, edit))
        case .putTask(let title, var edit):
            edit.madeAt = mutation.madeAt
            return try put(mutation.id(of: .task), title: title, edit, policy, since: baseline)
        case .patchTask(var edit):
            edit.madeAt = mutation.madeAt
            return try mutate(mutation.id(of: .task), edit, policy, since: baseline)
        case .moveTask(var move):
            move.madeAt = mutation.madeAt
            return try self.move(mutation.id(of: .task), move, policy, since: baseline)
        case .skipTask(var skip):
            skip.madeAt = mutation.madeAt
            return try self.skip(mutation.id(of: .task), skip)
        case .deleteTask:
            return try delete(mutation.id(of: .task), policy, since: baseline)
        case .restoreTask(let place):
            return try restore(mutation.id(of: .task), at: place)

        case .createCategory(let edit):
            return try createCategory(id: mutation.target, policy, edit)
        case .putCategory(let edit):
            let id = try mutation.id(of: .category)
            guard try category(id) != nil || categoryEverExisted(id) else {
                return .applied(try createCategory(id: id, edit))
            }
            return try mutateCategory(id, mutation, since: baseline, edit)
        case .patchCategory(let edit):
            return try mutateCategory(mutation.id(of: .category), mutation, since: baseline, edit)
        case .deleteCategory:
            return try deleteCategory(mutation.id(of: .category), policy, since: baseline)
        case .restoreCategory:
            return try restore(category: mutation.id(of: .category))

        case .createDDay(let edit):
            return .applied(try createDDay(id: mutation.target, edit))
        case .putDDay(let edit):
            let id = try mutation.id(of: .dday)
            guard try dday(id) != nil || ddayEverExisted(id) else {
                return .applied(try createDDay(id: id, edit))
            }
            return try mutateDDay(id, mutation, since: baseline, edit)
        case .patchDDay(let edit):
            return try mutateDDay(mutation.id(of: .dday), mutation, since: baseline, edit)
        case .deleteDDay:
            return try deleteDDay(mutation.id(of: .dday), policy, since: baseline)
        case .restoreDDay:
            return try restore(dday: mutation.id(of: .dday))

        case .patchSettings(let edit):
            return try mutateSettings(mutation, since: baseline, edit)
        }
    }
}

extension Mutation {
    /// The target's id. Readers of mutations guarantee that it is set.
    fileprivate func id(of type: ResourceType) throws -> ID {
        guard let target else { throw BoardError.notFound(type) }
        return target
    }
}

extension MutationOutcome {
    static func applied(_ category: Category) -> MutationOutcome {
        MutationOutcome(.applied, revision: category.revision, value: .category(category))
    }

    static func applied(_ dday: DDay) -> MutationOutcome {
        MutationOutcome(.applied, revision: dday.revision, value: .dday(dday))
    }
}
