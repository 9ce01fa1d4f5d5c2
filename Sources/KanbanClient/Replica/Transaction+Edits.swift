import JSON
import Kanban
import KanbanRows
import KanbanWire

extension Transaction {
    /// Performs an edit, appends it to the outbox and returns the steps that undo it; none if it changes nothing.
    /// - Parameter base: what the device knows of the server, where that is newer than the row.
    /// - Throws: ``KanbanError``.
    @discardableResult
    func edit(
        _ mutation: StoredMutation, policy: Kanban.Mutation.Policy? = nil, base newer: Revision? = nil
    ) throws -> [UndoStep] {
        if mutation.op == .restore, let id = mutation.resource.id, let steps = try restoreOwn(id, mutation.value) {
            return steps
        }
        let mutation = try withoutOwnTrash(mutation)
        let base = try seenRevision(of: mutation.resource).map { max($0, newer ?? $0) }
        let before = try Before(mutation, self)
        let outcome = try performOrRefuse(mutation)
        guard outcome.status != .unchanged else { return [] }
        try noteWritten(mutation.resource, from: before.value, to: outcome.value)
        var trace: OutboxTrace?
        if try !forgetsUnsentCreation(mutation) {
            trace = try append(mutation, base: mutation.op == .create ? nil : base, policy: policy)
        }
        if mutation.op == .restore, let id = mutation.resource.id { try returnToFormerCategory(id) }
        return try before.inverse(of: mutation, outcome, self).map { step in
            var step = step
            step.trace = trace
            return step
        }
    }

    private func forgetsUnsentCreation(_ mutation: StoredMutation) throws -> Bool {
        guard mutation.op == .delete, [.task, .category].contains(mutation.resource.type) else { return false }
        return try forgetUnsentCreation(of: mutation.resource)
    }

    private func performOrRefuse(_ mutation: StoredMutation) throws -> MutationOutcome {
        do {
            // Stricter than the server, which merges categories of one name: the new one would vanish before the user's eyes.
            if mutation.op == .create, mutation.resource.type == .category,
                let name = mutation.value["name"]?.stringValue?.trimmed,
                try rows.category(foldedName: CaseFolding.fold(name)) != nil
            {
                throw KanbanError.invalid([Fault(pointer: "#/name", code: "name_taken")])
            }
            let outcome = try perform(mutation)
            guard outcome.status != .conflict else {
                if case .task(let task) = outcome.value { throw KanbanError.conflict(KanbanTask(task)) }
                throw KanbanError.notFound
            }
            return outcome
        } catch BoardError.alreadyExists(.task) {
            let task = try mutation.resource.id.flatMap { try rows.task($0) }
            throw KanbanError.conflict(task.map { KanbanTask($0) })
        } catch BoardError.invalid(let faults) {
            // As the server does: those that only the board can find are told as well.
            let references = Reference.all(in: mutation.value, of: mutation.resource.type)
            let more = try rows.faults(of: references, from: mutation.resource.id, besides: faults)
            throw KanbanError(BoardError.invalid(faults + more))
        } catch let error as BoardError {
            throw KanbanError(error)
        }
    }

    /// A task that was created and deleted here before a push: the server never hears of it.
    private func ownTrash(_ id: ID) throws -> TaskItem? {
        guard let task = try rows.task(id), task.deletedAt != nil, task.revision.isOptimistic,
            try shadow(of: .task(id)) == nil
        else { return nil }
        return task
    }

    /// The same move without a neighbour that the server never hears of. Beside a deleted task means last.
    private func withoutOwnTrash(_ mutation: StoredMutation) throws -> StoredMutation {
        guard mutation.op == .move || mutation.op == .restore, let members = mutation.value.objectMembers else {
            return mutation
        }
        var sent = mutation
        sent.value = .object(
            try members.map { member in
                guard member.name == "before" || member.name == "after",
                    let id = member.value.stringValue.flatMap({ ID($0) }), try ownTrash(id) != nil
                else { return member }
                return JSON.Member("place", "last")
            })
        return sent
    }

    /// Restores a task that was created and deleted here before a push. The server gets it as a new one.
    private func restoreOwn(_ id: ID, _ place: JSON) throws -> [UndoStep]? {
        guard let task = try ownTrash(id) else { return nil }
        try rows.erase(task: id)
        var members: [JSON.Member] = [
            .init("title", .string(task.title)), .init("body", .string(task.body)),
            .init("status", .string(task.status.name)), .init("dueDate", task[.dueDate]),
        ]
        let former = try takeFormerCategory(of: id)
        if let category = task.categoryID ?? former, try rows.category(category) != nil {
            members.append(.init("categoryId", .string(category.description)))
        }
        // Not as if it had never been made: it goes back to the trash.
        let deletion = try edit(StoredMutation(.create, .task(id), .object(members))).map { UndoStep($0.mutation) }
        if !place.isNull { try edit(StoredMutation(.move, .task(id), place)) }
        return deletion
    }

    /// The category that a reference means, and the steps that undo its creation, if there was none of this name.
    func resolve(_ category: CategoryRef) throws -> (id: ID, made: [UndoStep]) {
        switch category {
        case .id(let id):
            return (try rows.connection.categoryID(id.id), [])
        case .named(let name):
            if let known = try rows.category(foldedName: CaseFolding.fold(name.trimmed)) { return (known.id, []) }
            let id = rows.makeID()
            do {
                let made = try edit(StoredMutation(.create, .category(id), ["name": .string(name)]))
                return (id, made.map { $0.of(.onTheWay) })
            } catch KanbanError.invalid(let faults) {
                throw KanbanError.invalid(
                    faults.map { Fault(pointer: $0.pointer == "#/name" ? "#/categoryName" : $0.pointer, code: $0.code) }
                )
            }
        }
    }

    /// The task above this one in its column.
    func predecessor(of task: TaskItem) throws -> ID? {
        guard let position = try rows.position(before: task.position, in: task.status) else { return nil }
        return try all(
            """
            SELECT id FROM tasks WHERE account = 1 AND status = ?1 AND position = ?2 AND deleted_at IS NULL LIMIT 1
            """, .integer(Int64(task.status.rawValue)), .text(position.text)
        ) { try $0.id(0) }.first
    }
}
