import JSON
import Kanban
import KanbanRows

extension KanbanBoard {
    /// Saves what a form changed: the members that differ between the draft that it began with and the one that it has now. All
    /// others stay as they are by now, because another device may have changed them meanwhile. Where it changed the same member, the
    /// form's value is saved, and a `merged` issue has both.
    @discardableResult
    public func edit(_ id: KanbanID, from before: TaskDraft, to draft: TaskDraft) async throws -> KanbanTask {
        try await change("edit task") {
            try $0.save(id, from: before, to: draft)
        } returning: {
            try $0.shownTask(id)
        }
    }
}

extension Transaction {
    fileprivate func save(_ id: KanbanID, from before: TaskDraft, to draft: TaskDraft) throws -> [UndoStep] {
        let (before, draft) = (try byNow(before), try byNow(draft))
        let now = try rows.draft(of: id).members
        let steps = try patch(id, from: before, to: draft)
        let saved = try rows.draft(of: id).members
        let unseen = before.members.changed(to: draft.members).flatMembers.compactMap { member -> JSON.Member? in
            let (was, mine) = (before.members[member.name] ?? .null, saved[member.name] ?? .null)
            return [was, mine].contains(now[member.name] ?? .null) ? nil : .init(member.name, mine)
        }
        if !unseen.isEmpty {
            let resource = ResourceKey.task(id.id)
            try add(.outdone(unseen, by: now, of: resource, try self.draft(of: resource), isApplied: true))
        }
        return steps
    }

    /// The draft with the id that its category has by now: a form may be open while the server gives it another.
    private func byNow(_ draft: TaskDraft) throws -> TaskDraft {
        guard case .id(let id)? = draft.category else { return draft }
        var draft = draft
        draft.category = .id(KanbanID(try rows.connection.categoryID(id.id)))
        return draft
    }
}

extension TaskDraft {
    /// The members with the category. One that is given by its name has no id yet: its name stands for it.
    fileprivate var members: JSON {
        var members = json
        switch category {
        case .id(let id): members["categoryId"] = .string(id.description)
        case .named(let name): members["categoryId"] = .string(name)
        case nil: members["categoryId"] = .null
        }
        return members
    }
}
