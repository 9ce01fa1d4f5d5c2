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
    /// Brings back what the server lost, but for members that somebody changed since the restore: their words are newer.
    func sendAgain(_ issue: StoredIssue) throws {
        guard let now = try value(of: issue.resource)?.json else {
            try edit(StoredMutation(.put, issue.resource, try known(try withCategory(issue["value"]))))
            return
        }
        guard try isThere(issue.resource) else {
            // The backup has it in its trash, or somebody deleted it since.
            try edit(StoredMutation(.restore, issue.resource))
            try edit(StoredMutation(.patch, issue.resource, try known(try withCategory(issue["value"]))))
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
        if value != [:] { try edit(StoredMutation(.patch, issue.resource, value)) }
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
