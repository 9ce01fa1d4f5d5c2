import JSON
import Kanban

/// The `op` of a mutation. Its value is the body of the REST call of the same name; that of a new task may say when it was made and
/// done.
package enum MutationOp: String, CaseIterable {
    case create, put, patch, move, delete, restore, skip

    /// The types that it applies to; callers check this first.
    package func isPossible(with type: ResourceType) -> Bool {
        switch (self, type) {
        case (_, .task): true
        case (.move, _), (.skip, _), (_, .image): false
        case (let op, .settings): op == .patch
        case (_, .category), (_, .dday): true
        }
    }

    /// Reads the value.
    /// - Throws: like the REST call, with pointers into the value.
    package func operation(
        of type: ResourceType, on target: ID?, value: JSON, defaultTitle: () throws -> String
    ) throws -> (Mutation.Operation, ID?) {
        switch type {
        case .task: try ofTask(target, value, defaultTitle)
        case .category: try ofCategory(target, value)
        case .dday: try ofDDay(target, value)
        case .settings: (.patchSettings(try NounBodies.patch(value, id: nil)), nil)
        case .image: throw impossible(of: .image)
        }
    }

    private func ofTask(
        _ target: ID?, _ value: JSON, _ defaultTitle: () throws -> String
    ) throws -> (Mutation.Operation, ID?) {
        switch self {
        case .create:
            let body = try TaskBodies.whole(value, id: target, keepsTimes: true)
            return (.createTask(title: try body.title ?? defaultTitle(), body.edit), target ?? body.id)
        case .put:
            let body = try TaskBodies.whole(value, id: target)
            return (.putTask(title: try body.title ?? defaultTitle(), body.edit), target)
        case .patch:
            return (.patchTask(try TaskBodies.patch(value, id: try known(target), defaultTitle: defaultTitle)), target)
        case .move: return (.moveTask(try TaskBodies.move(value)), target)
        case .skip: return (.skipTask(value.isNull ? TaskSkip() : try TaskBodies.skip(value)), target)
        case .delete: return (.deleteTask, target)
        case .restore:
            return (.restoreTask(value.isNull ? .last : try TaskBodies.restore(value)), target)
        }
    }

    private func ofCategory(_ target: ID?, _ value: JSON) throws -> (Mutation.Operation, ID?) {
        switch self {
        case .create:
            let body = try NounBodies<Kanban.Category>.whole(value, id: target)
            return (.createCategory(body.edit), target ?? body.id)
        case .put: return (.putCategory(try NounBodies.whole(value, id: target).edit), target)
        case .patch: return (.patchCategory(try NounBodies.patch(value, id: try known(target))), target)
        case .delete: return (.deleteCategory, target)
        case .restore: return (.restoreCategory, try restored(target, value))
        case .move, .skip: throw impossible(of: .category)
        }
    }

    private func ofDDay(_ target: ID?, _ value: JSON) throws -> (Mutation.Operation, ID?) {
        switch self {
        case .create:
            let body = try NounBodies<DDay>.whole(value, id: target)
            return (.createDDay(body.edit), target ?? body.id)
        case .put: return (.putDDay(try NounBodies.whole(value, id: target).edit), target)
        case .patch: return (.patchDDay(try NounBodies.patch(value, id: try known(target))), target)
        case .delete: return (.deleteDDay, target)
        case .restore: return (.restoreDDay, try restored(target, value))
        case .move, .skip: throw impossible(of: .dday)
        }
    }

    /// What has no place in a column is restored without a value, or with an empty object.
    private func restored(_ target: ID?, _ value: JSON) throws -> ID? {
        if !value.isNull { try Members.requireNone(in: value) }
        return target
    }

    private func impossible(of type: ResourceType) -> BoardError {
        .invalid("#/op", .invalidValue, impossibility(of: type))
    }

    /// The fault of one that is not possible with the type.
    func impossibility(of type: ResourceType) -> String {
        "There is no \(rawValue) of \(type == .settings ? "settings" : "a \(type.noun)")."
    }

    private func known(_ target: ID?) throws -> ID {
        guard let target else { throw BoardError.invalid("#", .required, "id must be given.") }
        return target
    }
}
