import JSON
import Kanban

/// The `op` of a mutation. Its value is the body of the REST call of the same name.
package enum MutationOp: String, CaseIterable {
    case create, put, patch, move, delete, restore

    /// The types that it applies to; callers check this first.
    package func isPossible(with type: ResourceType) -> Bool {
        switch (self, type) {
        case (_, .task): true
        case (.move, _), (.restore, _), (_, .image): false
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
        case .settings: (.patchSettings(try SettingsBody.patch(value)), nil)
        case .image: throw impossible(of: .image)
        }
    }

    private func ofTask(
        _ target: ID?, _ value: JSON, _ defaultTitle: () throws -> String
    ) throws -> (Mutation.Operation, ID?) {
        switch self {
        case .create:
            let body = try TaskBodies.whole(value, id: target)
            return (.createTask(title: try body.title ?? defaultTitle(), body.edit), target ?? body.id)
        case .put:
            let body = try TaskBodies.whole(value, id: target)
            return (.putTask(title: try body.title ?? defaultTitle(), body.edit), target)
        case .patch:
            return (.patchTask(try TaskBodies.patch(value, id: try known(target), defaultTitle: defaultTitle)), target)
        case .move: return (.moveTask(try TaskBodies.move(value)), target)
        case .delete: return (.deleteTask, target)
        case .restore:
            return (.restoreTask(value.isNull ? .last : try TaskBodies.restore(value)), target)
        }
    }

    private func ofCategory(_ target: ID?, _ value: JSON) throws -> (Mutation.Operation, ID?) {
        switch self {
        case .create:
            let body = try CategoryBodies.whole(value, id: target)
            return (
                .createCategory(name: body.name, color: body.color, emoji: body.emoji, image: body.image),
                target ?? body.id
            )
        case .put:
            let body = try CategoryBodies.whole(value, id: target)
            return (.putCategory(name: body.name, color: body.color, emoji: body.emoji, image: body.image), target)
        case .patch: return (.patchCategory(try CategoryBodies.patch(value, id: try known(target))), target)
        case .delete: return (.deleteCategory, target)
        case .move, .restore: throw impossible(of: .category)
        }
    }

    private func ofDDay(_ target: ID?, _ value: JSON) throws -> (Mutation.Operation, ID?) {
        switch self {
        case .create:
            let body = try DDayBodies.whole(value, id: target)
            return (.createDDay(body.contents), target ?? body.id)
        case .put: return (.putDDay(try DDayBodies.whole(value, id: target).contents), target)
        case .patch: return (.patchDDay(try DDayBodies.patch(value, id: try known(target))), target)
        case .delete: return (.deleteDDay, target)
        case .move, .restore: throw impossible(of: .dday)
        }
    }

    private func impossible(of type: ResourceType) -> BoardError {
        .invalid("#/op", .invalidValue, "There is no \(rawValue) of a \(type.rawValue).")
    }

    private func known(_ target: ID?) throws -> ID {
        guard let target else { throw BoardError.invalid("#", .required, "id must be given.") }
        return target
    }
}
