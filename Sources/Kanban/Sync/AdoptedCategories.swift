extension Mutation {
    /// The same mutation, with the existing categories in place of new ones whose names were taken.
    package func replacing(categories: [ID: ID]) -> Mutation {
        guard !categories.isEmpty else { return self }
        func replaced(_ edit: TaskEdit) -> TaskEdit {
            guard case .id(let id) = edit.category, let other = categories[id] else { return edit }
            var edit = edit
            edit.category = .id(other)
            return edit
        }
        var mutation = self
        switch operation {
        case .createTask(let title, let edit): mutation.operation = .createTask(title: title, replaced(edit))
        case .putTask(let title, let edit): mutation.operation = .putTask(title: title, replaced(edit))
        case .patchTask(let edit): mutation.operation = .patchTask(replaced(edit))
        case .putCategory, .patchCategory, .deleteCategory, .restoreCategory:
            if let target, let other = categories[target] { mutation.target = other }
        case .moveTask, .skipTask, .deleteTask, .restoreTask, .createCategory, .createDDay, .putDDay, .patchDDay,
            .deleteDDay,
            .restoreDDay, .patchSettings:
            break
        }
        return mutation
    }
}

extension Reference {
    /// As ``Mutation/replacing(categories:)``.
    func replacing(categories: [ID: ID]) -> Reference {
        guard kind == .category, let other = categories[id] else { return self }
        return Reference(member: member, kind: kind, id: other)
    }
}

extension SentMutation {
    /// The existing category with the same name, in place of a new one; `nil` when the category was created.
    func adopted(by result: MutationResult) -> ID? {
        guard case .success(let mutation) = mutation, case .createCategory = mutation.operation,
            case .done(let outcome) = result, !result.isFailure, case .category(let category) = outcome.value,
            let target = mutation.target, category.id != target
        else { return nil }
        return category.id
    }
}
