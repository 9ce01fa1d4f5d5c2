import JSON
import Kanban
import KanbanRows
import KanbanWire

/// What a server lost that was restored from a backup.
extension StoredIssue {
    /// - Parameter restored: what the server has of it now; `nil` for nothing.
    static func restoredServer(
        _ value: Change.Value, _ resource: ResourceKey, restored: Change.Value? = nil
    ) -> StoredIssue {
        var draft = JSON.null
        if case .task(let task) = value { draft = task.sentMembers }
        return StoredIssue(
            kind: .restoredServer, resource: resource,
            details: [
                .init("draft", draft), .init("value", value.json.sendable),
                .init("restored", restored?.json.sendable ?? .null),
            ])
    }
}

extension Transaction {
    /// What the edits that wait have changed, as the user sees it.
    func editedValues() throws -> [ResourceKey: Change.Value] {
        try shadows().reduce(into: [:]) { values, shadow in
            if shadow.value != nil { values[shadow.resource] = try value(of: shadow.resource) }
        }
    }

    /// Leaves an issue of what the server no longer has. The edits of it that wait are part of the issue and not sent: they would be
    /// refused, and a second issue with half of the words would stand beside this one.
    /// - Parameter seen: as the user saw what was edited.
    func noteGone(_ value: Change.Value, _ seen: [ResourceKey: Change.Value]) throws {
        let resource = value.resource
        let edits = try edits(of: resource)
        guard var edited = seen[resource], edited.deletedAt == nil,
            // It comes back by itself.
            !edits.contains(where: { $0.mutation.op == .create || $0.mutation.op == .put })
        else { return try add(.restoredServer(value, resource)) }
        for edit in edits { try drop(edit) }
        // A tick gave the rule to a successor that nobody has: with the rule the server makes it again.
        if case (.task(let old), .task(var task)) = (value, edited), task.status == .done, old.status != .done,
            !edits.contains(where: { $0.mutation.value["recurrence"] != nil })
        {
            task.recurrence = old.recurrence
            edited = .task(task)
        }
        try add(.restoredServer(edited, resource))
    }

    /// Brings back what the server lost, but for members that somebody changed since the restore: their words are newer. So it
    /// yields where another device did so first, and this one does not know yet.
    func sendAgain(_ issue: StoredIssue) throws {
        guard let now = try value(of: issue.resource)?.json else {
            try edit(
                StoredMutation(.put, issue.resource, try known(try withCategory(issue["value"]))), policy: .keep)
            return
        }
        guard try isThere(issue.resource) else {
            // The backup has it in its trash, or somebody deleted it since.
            try edit(StoredMutation(.restore, issue.resource))
            let value = try known(try withCategory(issue["value"]))
            try edit(StoredMutation(.patch, issue.resource, value), policy: .keep)
            return
        }
        let differing = issue["value"].flatMembers.filter { now[flat: $0.name] != $0.value }
        guard !issue["restored"].isNull else {
            // Another device brought it back, perhaps with older words.
            if !differing.isEmpty { try add(.outdone(differing, by: now, of: issue.resource)) }
            return
        }
        let lost = JSON(flat: differing.filter { now[flat: $0.name] == issue["restored"][flat: $0.name] })
        let value = try known(try withCategory(lost))
        if value != [:] { try edit(StoredMutation(.patch, issue.resource, value), policy: .keep) }
    }

    /// The value of a task, whose category comes back first if the server lost that, too. Where another category has its
    /// name by now, the task goes there.
    private func withCategory(_ value: JSON) throws -> JSON {
        guard let id = value["categoryId"]?.stringValue.flatMap({ ID($0) }), try rows.category(id) == nil,
            let lost = try rows.connection.issues().first(where: {
                $0.kind == .restoredServer && $0.resource == .category(id)
            })
        else { return value }
        let name = lost["value"]["name"]?.stringValue ?? ""
        if let other = try rows.category(named: name) {
            return value.mergePatched(with: ["categoryId": .string(other.id.description)])
        }
        // Its issue stays: an app may answer one after the other of a list that it read before.
        try sendAgain(lost)
        return value
    }
}
