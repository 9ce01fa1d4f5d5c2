extension BoardWriter {
    /// Applies a mutation under its policy.
    ///
    /// - Parameter own: the revisions that the same client made, in this request or earlier.
    /// - Throws: ``BoardError`` when the mutation is invalid; then nothing was written.
    package func perform(_ mutation: Mutation, own: OwnRevisions) throws -> MutationOutcome {
        let baseline = Baseline(base: mutation.base, own: own)
        let policy = mutation.policy
        switch mutation.operation {
        case .createTask(let title, let edit):
            return .applied(try createTask(id: mutation.target, title: title, edit))
        case .putTask(let title, let edit):
            return try put(mutation.id(of: .task), title: title, edit, policy, since: baseline)
        case .patchTask(let edit):
            return try mutate(mutation.id(of: .task), edit, policy, since: baseline)
        case .moveTask(let move):
            return try self.move(mutation.id(of: .task), move, policy, since: baseline)
        case .deleteTask:
            return try delete(mutation.id(of: .task), policy, since: baseline)
        case .restoreTask(let place):
            return try restore(mutation.id(of: .task), at: place)

        case .createCategory(let name, let color, let emoji, let image):
            return try createCategory(
                id: mutation.target, name: name, color: color, emoji: emoji, image: image, policy)
        case .putCategory(let name, let color, let emoji, let image):
            let id = try mutation.id(of: .category)
            guard try category(id) != nil || categoryEverExisted(id) else {
                return .applied(try createCategory(id: id, name: name, color: color, emoji: emoji, image: image))
            }
            return try mutateCategory(id, mutation, since: baseline) { category in
                category.name = name
                category.color = color
                category.emoji = emoji
                category.image = image
            }
        case .patchCategory(let edit):
            return try mutateCategory(mutation.id(of: .category), mutation, since: baseline, edit)
        case .deleteCategory:
            return try deleteCategory(mutation.id(of: .category), policy, since: baseline)

        case .createDDay(let contents):
            return .applied(try createDDay(id: mutation.target, contents))
        case .putDDay(let contents):
            let id = try mutation.id(of: .dday)
            guard try dday(id) != nil || ddayEverExisted(id) else {
                return .applied(try createDDay(id: id, contents))
            }
            return try mutateDDay(id, mutation, since: baseline) { $0 = contents }
        case .patchDDay(let edit):
            return try mutateDDay(mutation.id(of: .dday), mutation, since: baseline, edit)
        case .deleteDDay:
            return try deleteDDay(mutation.id(of: .dday), policy, since: baseline)

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

    fileprivate static func applied(_ dday: DDay) -> MutationOutcome {
        MutationOutcome(.applied, revision: dday.revision, value: .dday(dday))
    }
}
