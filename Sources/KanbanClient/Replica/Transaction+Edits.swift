import JSON
import Kanban
import KanbanRows
import KanbanWire

extension Transaction {
    /// Performs an edit, appends it to the outbox and returns the steps that undo it; none if it changes nothing.
    /// - Throws: ``KanbanError``.
    @discardableResult
    func edit(_ mutation: StoredMutation, policy: Kanban.Mutation.Policy? = nil) throws -> [UndoStep] {
        if mutation.op == .restore, let id = mutation.resource.id, let steps = try restoreOwn(id, mutation.value) {
            return steps
        }
        let mutation = try withoutOwnTrash(mutation)
        let base = try seenRevision(of: mutation.resource)
        let before = try Before(mutation, self)
        let outcome = try performOrRefuse(mutation)
        guard outcome.status != .unchanged else { return [] }
        var isForgotten = false
        if mutation.op == .delete, mutation.resource.type == .task, let id = mutation.resource.id {
            isForgotten = try forgetUnsentCreation(of: id)
        }
        if !isForgotten { try append(mutation, base: mutation.op == .create ? nil : base, policy: policy) }
        return try before.inverse(of: mutation, outcome, self)
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
        if let category = task.categoryID, try rows.category(category) != nil {
            members.append(.init("categoryId", task[.categoryID]))
        }
        let steps = try edit(StoredMutation(.create, .task(id), .object(members)))
        if !place.isNull { try edit(StoredMutation(.move, .task(id), place)) }
        return steps
    }

    /// The category that a reference means. Creates one of this name if there is none.
    func resolve(_ category: CategoryRef) throws -> ID {
        switch category {
        case .id(let id):
            return try all("SELECT theirs FROM aliases WHERE mine = ?1", .id(id.id)) { try $0.id(0) }.first ?? id.id
        case .named(let name):
            if let known = try rows.category(foldedName: CaseFolding.fold(name.trimmed)) { return known.id }
            let id = rows.makeID()
            do {
                try edit(StoredMutation(.create, .category(id), ["name": .string(name)]))
            } catch KanbanError.invalid(let faults) {
                throw KanbanError.invalid(
                    faults.map { Fault(pointer: $0.pointer == "#/name" ? "#/categoryName" : $0.pointer, code: $0.code) }
                )
            }
            return id
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

/// A mutation that undoes an edit, with the values after the edit: a member with another value was changed by another
/// device since.
struct UndoStep: Sendable {
    var mutation: StoredMutation
    var expected: JSON = .null
    /// The resource that the created one stands for: ids are not reused.
    var replaces: ID?

    var json: JSON {
        [
            "op": .string(mutation.op.rawValue), "type": .string(mutation.resource.type.rawValue),
            "id": mutation.resource.id.map { .string($0.description) } ?? .null, "value": mutation.value,
            "expected": expected, "replaces": .init(optional: replaces?.description),
        ]
    }

    init(_ mutation: StoredMutation, expected: JSON = .null, replaces: ID? = nil) {
        self.mutation = mutation
        self.expected = expected
        self.replaces = replaces
    }

    init?(_ json: JSON) {
        guard let op = json["op"]?.stringValue.flatMap(MutationOp.init(rawValue:)),
            let type = json["type"]?.stringValue.flatMap(ResourceType.init(rawValue:))
        else { return nil }
        let resource = ResourceKey(type: type, id: json["id"]?.stringValue.flatMap { ID($0) })
        self.init(
            StoredMutation(op, resource, json["value"] ?? .null), expected: json["expected"] ?? .null,
            replaces: json["replaces"]?.stringValue.flatMap { ID($0) })
    }
}

/// The state before an edit that its inverse needs.
private struct Before {
    var value: Change.Value?
    /// The task above.
    var predecessor: ID?
    /// The tasks of a category that is deleted.
    var tasks: [ID] = []

    init(_ mutation: StoredMutation, _ transaction: Transaction) throws {
        value = try transaction.value(of: mutation.resource)
        if case .task(let task) = value, task.deletedAt == nil {
            predecessor = try transaction.predecessor(of: task)
        }
        if mutation.op == .delete, mutation.resource.type == .category, let id = mutation.resource.id {
            var query = TaskQuery()
            query.categoryIDs = [id]
            tasks = try transaction.rows.taskIDs(query)
        }
    }

    func inverse(of mutation: StoredMutation, _ outcome: MutationOutcome, _ transaction: Transaction) throws
        -> [UndoStep]
    {
        let resource = mutation.resource
        switch (mutation.op, value) {
        case (.create, _), (.put, nil):
            return [UndoStep(StoredMutation(.delete, resource))]
        case (.restore, _):
            return [UndoStep(StoredMutation(.delete, resource))]
        case (.delete, .task(let task)):
            return [UndoStep(StoredMutation(.restore, resource, .object(placing(task))))]
        case (.delete, .category(let category)):
            let fresh = ResourceKey.category(transaction.rows.makeID())
            let again = StoredMutation(.create, fresh, category.members)
            let mine = JSON.string(fresh.id?.description ?? "")
            return [UndoStep(again, replaces: category.id)]
                + tasks.map {
                    UndoStep(
                        StoredMutation(.patch, .task($0), ["categoryId": mine]), expected: ["categoryId": .null])
                }
        case (.delete, .dday(let dday)):
            let again = StoredMutation(.create, .dday(transaction.rows.makeID()), dday.members)
            return [UndoStep(again, replaces: dday.id)]
        case (.move, .task(let task)):
            guard case .task(let now) = outcome.value else { return [] }
            let expected: JSON = task.status == now.status ? .null : ["status": .string(now.status.name)]
            let place = [JSON.Member("status", .string(task.status.name))] + placing(task)
            return [UndoStep(StoredMutation(.move, resource, .object(place)), expected: expected)]
        case (_, let before?):
            return patches(mutation, from: before, to: outcome.value)
        default:
            return []
        }
    }

    private func placing(_ task: TaskItem) -> [JSON.Member] {
        [predecessor.map { JSON.Member("after", .string($0.description)) } ?? JSON.Member("place", "first")]
    }

    /// Steps that set changed members back. A change of column becomes a move to the old place.
    private func patches(_ mutation: StoredMutation, from before: Change.Value, to after: Change.Value) -> [UndoStep] {
        var old: [JSON.Member] = []
        var new: [JSON.Member] = []
        var steps: [UndoStep] = []
        let after = after.json
        for member in before.json.objectMembers ?? [] where Self.editable.contains(member.name) {
            guard let now = after[member.name], now != member.value else { continue }
            if member.name == "status", case .task(let task) = before {
                let place = [JSON.Member("status", member.value)] + placing(task)
                steps.append(
                    UndoStep(StoredMutation(.move, mutation.resource, .object(place)), expected: ["status": now]))
            } else if member.name == "custom" {
                old.append(.init("custom", now.patch(to: member.value)))
            } else {
                old.append(member)
                new.append(.init(member.name, now))
            }
        }
        if !old.isEmpty {
            steps.insert(
                UndoStep(StoredMutation(.patch, mutation.resource, .object(old)), expected: .object(new)), at: 0)
        }
        return steps
    }

    private static let editable: Set<String> = [
        "title", "body", "status", "categoryId", "dueDate", "name", "color", "emoji", "date", "repeats", "image",
        "timeZone", "locale", "custom",
    ]
}

extension JSON {
    /// The merge patch (RFC 7396) that makes `other` of this object, as far as the members of the object itself go.
    func patch(to other: JSON) -> JSON {
        let (mine, theirs) = (objectMembers ?? [], other.objectMembers ?? [])
        let removed = mine.filter { other[$0.name] == nil }.map { Member($0.name, .null) }
        return .object(removed + theirs.filter { self[$0.name] != $0.value })
    }
}

extension Kanban.Category {
    /// The body of a request that creates an equal category.
    var members: JSON {
        [
            "name": .string(name), "color": .init(optional: color), "emoji": .init(optional: emoji),
            "image": .init(optional: image?.description),
        ]
    }
}

extension DDay {
    var members: JSON {
        [
            "title": .string(title), "date": .string(date.description), "repeats": .string(repeats.rawValue),
            "color": .init(optional: color), "emoji": .init(optional: emoji),
            "image": .init(optional: image?.description),
        ]
    }
}

extension JSON {
    init(optional text: String?) {
        self = text.map { .string($0) } ?? .null
    }
}
