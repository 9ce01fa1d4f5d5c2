import JSON
import Kanban
import KanbanWire

// What is wrong with what a user typed, before it is saved: the faults of the rules, with words. Nothing is saved, and the board
// is not asked: a name that is taken or a category that is gone is reported when it is saved.

extension NewTask {
    /// Empty when it can be made.
    public func validate() -> [Fault] {
        .of(.task) {
            _ = try TaskBodies.whole(.object((json(in: .en).objectMembers ?? []) + named(category)), id: id.id)
        }
    }
}

extension TaskDraft {
    /// Empty when it can be saved.
    public func validate() -> [Fault] {
        .of(.task) { _ = try TaskBodies.whole(.object((json.objectMembers ?? []) + named(category))) }
    }
}

extension NewCategory {
    public func validate() -> [Fault] { draft.validate() }
}

extension CategoryDraft {
    public func validate() -> [Fault] {
        .of(.category) { _ = try NounBodies<Kanban.Category>.whole(json) }
    }
}

extension NewDDay {
    public func validate() -> [Fault] { draft.validate() }
}

extension DDayDraft {
    public func validate() -> [Fault] {
        .of(.dday) { _ = try NounBodies<Kanban.DDay>.whole(json) }
    }
}

extension SettingsDraft {
    public func validate() -> [Fault] {
        .of(.settings) {
            var settings = Settings(revision: 0)
            try NounBodies<Settings>.patch(patch(of: SettingsDraft()), id: nil)(&settings)
        }
    }
}

/// The name of a category that is to be made on the way.
private func named(_ category: CategoryRef?) -> [JSON.Member] {
    guard case .named(let name)? = category else { return [] }
    return [JSON.Member("categoryName", .string(name))]
}

extension [Fault] {
    /// The faults that the rules find.
    fileprivate static func of(_ type: ResourceType, _ read: () throws -> Void) -> [Fault] {
        do {
            try read()
        } catch BoardError.invalid(let faults) {
            return faults.map { Fault($0, of: type) }
        } catch {
            // Reading throws nothing else.
            return [Fault(pointer: "#", code: "invalid_value")]
        }
        return []
    }
}
