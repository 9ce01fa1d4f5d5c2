import JSON
import Kanban
import KanbanRows
import KanbanWire

extension Transaction {
    /// Performs an edit, appends it to the outbox and returns the steps that undo it; none if it changes nothing.
    /// - Throws: ``KanbanError``.
    @discardableResult
    func edit(_ mutation: StoredMutation, policy: Kanban.Mutation.Policy? = nil) throws -> [UndoStep] {
        if mutation.op == .restore, try isOwnTrash(mutation.resource) { return try restoreOwn(mutation) }
        if mutation.op == .delete { try forgetEmptiedIDs() }
        let mutation = try withoutOwnTrash(mutation)
        // What is brought back was nobody's: all that another device wrote of it is newer.
        let base = try seenRevision(of: mutation.resource) ?? (mutation.op == .put ? 0 : nil)
        let before = try Before(mutation, self)
        let policy = try policy ?? policyOfDeletion(mutation)
        let outcome = try performOrRefuse(mutation)
        guard outcome.status != .unchanged else { return [] }
        try noteWritten(mutation.resource, from: before.value, to: outcome.value)
        var trace: OutboxTrace?
        if try mutation.op != .delete || !forgetUnsentCreation(of: mutation.resource) {
            trace = try append(mutation, base: mutation.op == .create ? nil : base, policy: policy)
        }
        return try before.inverse(of: mutation, outcome, self).map { step in
            var step = step
            step.trace = trace
            return step
        }
    }

    /// A category that was made here and never sent may become another device's of the same name, which is not deleted with it.
    private func policyOfDeletion(_ mutation: StoredMutation) throws -> Kanban.Mutation.Policy? {
        guard mutation.op == .delete, mutation.resource.type == .category,
            let shadow = try shadow(of: mutation.resource), shadow.value == nil
        else { return nil }
        return .reject
    }

    /// Makes something as if the server had made it, at this revision: no edit waits, and there is nothing to undo.
    func fill(_ resource: ResourceKey, _ value: JSON, at revision: Revision) throws {
        isEditing = false
        defer { isEditing = true }
        _ = try performOrRefuse(StoredMutation(.create, resource, value))
        if let made = try self.value(of: resource) { try put(made.with(revision)) }
    }

    private func performOrRefuse(_ mutation: StoredMutation) throws -> MutationOutcome {
        do {
            // Stricter than the server, which merges categories of one name: the new one would vanish before the user's eyes.
            if mutation.op == .create, mutation.resource.type == .category,
                let name = mutation.value["name"]?.stringValue?.trimmed,
                try rows.category(named: name) != nil
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
            // As the server does: faults that only the board can find are reported as well.
            let references = Reference.all(in: mutation.value, of: mutation.resource.type)
            let more = try rows.faults(of: references, from: mutation.resource.id, besides: faults)
            throw KanbanError(.invalid(faults + more), of: mutation.resource.type)
        } catch let error as BoardError {
            throw KanbanError(error, of: mutation.resource.type)
        }
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
                    let id = member.value.stringValue.flatMap({ ID($0) }), try isOwnTrash(.task(id))
                else { return member }
                return JSON.Member("place", "last")
            })
        return sent
    }

    /// Restores what was made and deleted here before a push. The server gets it as something new.
    private func restoreOwn(_ mutation: StoredMutation) throws -> [UndoStep] {
        let resource = mutation.resource
        _ = try performOrRefuse(StoredMutation(.restore, resource))
        try run(
            "INSERT OR REPLACE INTO shadow (type, id, value) VALUES (?1, ?2, NULL)", .text(resource.type.rawValue),
            .id(resource.id))
        _ = try append(StoredMutation(.create, resource, try draft(of: resource)), base: nil, policy: nil)
        switch resource.type {
        case .task where mutation.value != .null && mutation.value != [:]:
            try edit(StoredMutation(.move, resource, mutation.value))
        case .category:
            // The server does not know that these were of the category.
            var query = TaskQuery()
            query.categoryIDs = [resource.id]
            let mine: JSON = ["categoryId": .init(optional: resource.id?.description)]
            for id in try rows.taskIDs(query) {
                let base = try seenRevision(of: .task(id))
                _ = try append(StoredMutation(.patch, .task(id), mine), base: base, policy: nil)
            }
        default: break
        }
        // Without a trace: the undo is no taking back of the creation, but puts it into the trash again.
        return [try step(StoredMutation(.delete, resource))]
    }

    /// The category that a reference means, and the steps that undo its creation, if there was none of this name.
    func resolve(_ category: CategoryRef) throws -> (id: ID, made: [UndoStep]) {
        switch category {
        case .id(let id):
            return (try rows.connection.categoryID(id.id), [])
        case .named(let name):
            if let known = try rows.category(named: name.trimmed) { return (known.id, []) }
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
        ) { try $0.id() }.first
    }
}
