import JSON
import Kanban
import KanbanRows
import KanbanWire

/// A mutation that undoes an edit.
struct UndoStep: Sendable {
    var mutation: StoredMutation
    /// The values after the edit: a member with another value was changed by another device since.
    var expected: JSON
    /// Where the edit is, while it is unsent.
    var trace: OutboxTrace?
    /// For the deletion of a category, and its restoration: why the user's edit made it.
    var creation: Creation?

    enum Creation: String, Sendable {
        case asked
        /// For a task that named it. It goes with the task only while nobody else needs it.
        case onTheWay
    }

    var json: JSON {
        [
            "op": .string(mutation.op.rawValue), "type": .string(mutation.resource.type.rawValue),
            "id": mutation.resource.id.map { .string($0.description) } ?? .null, "value": mutation.value,
            "expected": expected, "trace": trace?.json ?? .null, "creation": .init(optional: creation?.rawValue),
        ]
    }

    init(_ mutation: StoredMutation, expected: JSON = .null) {
        self.mutation = mutation
        self.expected = expected
    }

    init?(_ json: JSON) {
        guard let op = json["op"]?.stringValue.flatMap(MutationOp.init(rawValue:)),
            let type = json["type"]?.stringValue.flatMap(ResourceType.init(rawValue:))
        else { return nil }
        let resource = ResourceKey(type: type, id: json["id"]?.stringValue.flatMap { ID($0) })
        self.init(StoredMutation(op, resource, json["value"] ?? .null), expected: json["expected"] ?? .null)
        trace = json["trace"].flatMap(OutboxTrace.init)
        creation = json["creation"]?.stringValue.flatMap(Creation.init(rawValue:))
    }
}

extension Transaction {
    /// The step that performs this mutation, unless another device changes what the mutation would.
    func step(_ mutation: StoredMutation) throws -> UndoStep {
        UndoStep(mutation, expected: try touched(by: mutation))
    }

    /// What a resource has now where a mutation would change it; of one to delete, all.
    private func touched(by mutation: StoredMutation) throws -> JSON {
        switch mutation.op {
        case .create, .put, .restore: return .null
        case .delete: return try draft(of: mutation.resource)
        case .skip: return ["dueDate": try value(of: mutation.resource)?.json["dueDate"] ?? .null]
        case .move, .patch:
            guard let now = try value(of: mutation.resource)?.json else { return .null }
            // The position is expected only once another device moved the task: the server gives one to own moves, too.
            let names = mutation.value.flatMembers.map(\.name).filter { mutation.op == .patch || $0 == "status" }
            return JSON(flat: names.map { JSON.Member($0, now[flat: $0]) })
        }
    }
}

/// The state before an edit that its inverse needs.
struct Before {
    var value: Change.Value?
    /// The task above.
    var predecessor: ID?

    init(_ mutation: StoredMutation, _ transaction: Transaction) throws {
        value = try transaction.value(of: mutation.resource)
        if case .task(let task) = value, task.deletedAt == nil {
            predecessor = try transaction.predecessor(of: task)
        }
    }

    /// Call it after the edit.
    func inverse(of mutation: StoredMutation, _ outcome: MutationOutcome, _ transaction: Transaction) throws
        -> [UndoStep]
    {
        let resource = mutation.resource
        switch (mutation.op, value) {
        case (.create, _), (.put, nil):
            var step = try transaction.step(StoredMutation(.delete, resource))
            if resource.type == .category { step.creation = .asked }
            return [step]
        case (.restore, _):
            return [try transaction.step(StoredMutation(.delete, resource))]
        case (.delete, .task(let task)):
            return [UndoStep(StoredMutation(.restore, resource, .object(placing(task))))]
        case (.delete, _):
            return [UndoStep(StoredMutation(.restore, resource))]
        case (.move, .task(let task)):
            return [try transaction.step(back(task))]
        case (_, let before?):
            return try patches(mutation, from: before, to: outcome.value).map { patch in
                var step = try transaction.step(patch)
                // The task gets the rule back from its successor with the step before.
                if case .task(let task) = outcome.value, let next = try transaction.rows.successor(of: task) {
                    step.expected = JSON(
                        flat: step.expected.flatMembers.map {
                            $0.name == "recurrence" ? .init($0.name, next.recurrence?.json ?? .null) : $0
                        })
                }
                return step
            }
        default:
            return []
        }
    }

    private func placing(_ task: TaskItem) -> [JSON.Member] {
        [predecessor.map { JSON.Member("after", .string($0.description)) } ?? JSON.Member("place", "first")]
    }

    /// To the column and the place that a task had.
    private func back(_ task: TaskItem) -> StoredMutation {
        StoredMutation(
            .move, .task(task.id), .object([JSON.Member("status", .string(task.status.name))] + placing(task)))
    }

    /// Sets changed members back. A change of column becomes a move to the old place.
    private func patches(
        _ mutation: StoredMutation, from before: Change.Value, to after: Change.Value
    ) -> [StoredMutation] {
        let resource = mutation.resource
        var old: [JSON.Member] = []
        var move: StoredMutation?
        let after = after.json
        for member in before.json.objectMembers ?? [] where Self.editable.contains(member.name) {
            guard let now = after[member.name], now != member.value else { continue }
            // The rule goes to a successor and comes back by itself.
            if member.name == "recurrence", mutation.value["recurrence"] == nil { continue }
            if member.name == "status", case .task(let task) = before {
                move = back(task)
            } else {
                old.append(member.name == "custom" ? .init("custom", now.patch(to: member.value)) : member)
            }
        }
        let patch = old.isEmpty ? nil : StoredMutation(.patch, resource, .object(old))
        // The members are set while the task is open: a rule of a task that is done is with its successor.
        let isDone = if case .task(let task) = before { task.status == .done } else { false }
        return (isDone ? [patch, move] : [move, patch]).compactMap(\.self)
    }

    private static let editable = Set(
        TaskItem.members.filter(\.isInBodies).map(\.text) + Kanban.Category.members.map(\.text)
            + DDay.members.map(\.text) + Settings.members.map(\.text))
}

extension JSON {
    /// The merge patch (RFC 7396) that makes `other` of this object, as far as the members of the object itself go.
    func patch(to other: JSON) -> JSON {
        let (mine, theirs) = (objectMembers ?? [], other.objectMembers ?? [])
        let removed = mine.filter { other[$0.name] == nil }.map { Member($0.name, .null) }
        return .object(removed + theirs.filter { self[$0.name] != $0.value })
    }
}

extension JSON {
    init(optional text: String?) {
        self = text.map { .string($0) } ?? .null
    }
}
