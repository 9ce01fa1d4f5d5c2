import JSON
import Kanban
import KanbanRows
import KanbanWire

/// `merged` issues: one for a chain of edits, which holds the newest words of this device. No answer brings back words
/// that a later edit replaced.
extension StoredIssue {
    static func merged(_ edit: OutboxEdit, _ result: SyncResponse.Result, _ draft: JSON) -> StoredIssue {
        let conflicts = result.conflicts.map { conflict -> JSON in
            ["member": .string(conflict.member), "mine": conflict.yours, "theirs": conflict.theirs]
        }
        return StoredIssue(
            kind: .merged, resource: edit.mutation.resource,
            details: [
                .init("conflicts", .array(conflicts)), .init("draft", draft),
                .init("isApplied", .bool(edit.isApplied(by: result))),
            ])
    }

    /// The issue of two values of a member, mine and theirs, where one replaced the other without an edit that could be merged.
    /// - Parameters:
    ///   - draft: the resource as the user wrote it.
    ///   - isApplied: mine stand.
    static func outdone(
        _ mine: [JSON.Member], by theirs: JSON, of resource: ResourceKey, _ draft: JSON? = nil, isApplied: Bool = false
    ) -> StoredIssue {
        let conflicts = mine.map { member -> JSON in
            ["member": .string(member.name), "mine": member.value, "theirs": theirs[flat: member.name]]
        }
        return StoredIssue(
            kind: .merged, resource: resource,
            details: [
                .init("conflicts", .array(conflicts)), .init("draft", draft ?? .object(mine)),
                .init("isApplied", .bool(isApplied)),
            ])
    }

    /// The issue of the same words when the resource is deleted; `nil` when the trash has them.
    func lost(beside trashed: JSON) -> StoredIssue? {
        func words(_ side: String) -> [JSON.Member] {
            (self["conflicts"].arrayValue ?? []).compactMap { conflict in
                guard let member = conflict["member"]?.stringValue, member != "position" else { return nil }
                return JSON.Member(member, conflict[side] ?? .null)
            }
        }
        let mine = words("mine")
        guard mine.contains(where: { trashed[flat: $0.name] != $0.value }) else { return nil }
        return .deleted(resource, JSON(flat: mine), over: JSON(flat: words("theirs")), self["draft"])
    }

    /// My values of the contested members are those that are shown.
    private var isApplied: Bool { self["isApplied"] == true }

    private func conflict(_ member: String) -> JSON? {
        self["conflicts"].arrayValue?.first { $0["member"]?.stringValue == member }
    }

    /// The conflicts, each changed; `nil` removes it.
    private func conflicts(_ change: (_ member: String, _ conflict: JSON) -> JSON?) -> JSON {
        .array(
            (self["conflicts"].arrayValue ?? []).compactMap { conflict in
                change(conflict["member"]?.stringValue ?? "", conflict)
            })
    }

    mutating func set(_ name: String, _ value: JSON) {
        if let index = details.firstIndex(where: { $0.name == name }) {
            details[index].value = value
        } else if !value.isNull {
            details.append(.init(name, value))
        }
    }

    /// Edits of the same chain that were answered later wrote these members again.
    /// - Parameters:
    ///   - shown: the resource with them.
    ///   - edits: those that have no answer yet.
    fileprivate mutating func take(_ edits: [OutboxEdit], _ shown: JSON) {
        let conflicts = conflicts { member, conflict in
            guard edits.contains(where: { $0.mutation.writes(member) }) else { return conflict }
            return conflict.with("mine", shown[flat: member])
        }
        set("conflicts", conflicts)
        set("newestEdit", JSON(Int(edits.map(\.n).max() ?? 0)))
    }

    /// True if an edit was made before this issue came, with its words in view.
    fileprivate func precedes(_ edit: OutboxEdit) -> Bool { self["newestEdit"].intValue ?? 0 >= edit.n }

    /// Leaves to a newer issue of the chain what it has. What they wrote between the two stays: the edit that is applied over
    /// it was made without it.
    fileprivate mutating func leave(to newer: StoredIssue) {
        let conflicts = conflicts { member, conflict in
            guard let same = newer.conflict(member), let mine = same["mine"] else { return conflict }
            return !isApplied || same["theirs"] == conflict["theirs"] ? nil : conflict.with("mine", mine)
        }
        set("conflicts", conflicts)
    }

    /// The user wrote other values while the issue is open. Where the older ones are shown, the new ones are mine from now on.
    /// Where theirs are shown, mine are nowhere else: they stay, and stand against the new ones.
    fileprivate mutating func take(_ after: JSON, insteadOf before: JSON) {
        var draft = self["draft"]
        let conflicts = conflicts { member, conflict in
            let value = after[flat: member]
            guard before[flat: member] != value else { return conflict }
            if isApplied, draft[member] != nil { draft[member] = value }
            return conflict.with(isApplied ? "mine" : "theirs", value)
        }
        set("conflicts", conflicts)
        set("draft", draft)
    }
}

extension StoredMutation {
    /// True if the edit sets the member, as conflicts name it.
    func writes(_ member: String) -> Bool {
        let names = Set(value.flatMembers.map { Spelling($0.name) })
        return switch member {
        case "position": op == .move || op == .restore || names.contains(Spelling("status"))
        default: names.contains(Spelling(member))
        }
    }
}

extension OutboxEdit {
    /// True if the contested members have this edit's values.
    func isApplied(by result: SyncResponse.Result) -> Bool { policy != .keep && result.status != .conflict }
}

extension JSON {
    fileprivate func with(_ name: String, _ value: JSON) -> JSON {
        var changed = self
        changed[name] = value
        return changed
    }
}

extension Transaction {
    /// Adds the issue of an edit that met another device's. Of a place alone there is none: no words are lost, and no app could show
    /// the two.
    func addMerged(_ edit: OutboxEdit, _ result: SyncResponse.Result, _ draft: JSON, shown: JSON) throws {
        guard result.conflicts.contains(where: { $0.member != "position" }) else { return }
        try addMerged(.merged(edit, result, draft), of: edit, shown: shown)
    }

    /// Adds the issue of an edit. The edits that were made since belong to the same chain: this device did not know of the conflict.
    /// - Parameter shown: the resource before the answer, with all edits of this device.
    func addMerged(_ merged: StoredIssue, of edit: OutboxEdit, shown: JSON) throws {
        var issue = merged
        let later = try outbox().filter { $0.n > edit.n && $0.mutation.resource == issue.resource }
        issue.take(later, shown)
        for older in try mergedIssues(of: issue.resource) where older.precedes(edit) {
            var rest = older
            rest.leave(to: issue)
            try save(rest, insteadOf: older)
        }
        try add(issue)
    }

    /// Call it after an edit that changed a resource.
    func noteWritten(_ resource: ResourceKey, from before: Change.Value?, to after: Change.Value?) throws {
        let open = try mergedIssues(of: resource)
        // A deletion writes nothing.
        guard !open.isEmpty, let before = before?.json, after != .deleted, let after = after?.json else { return }
        for old in open {
            var issue = old
            issue.take(after, insteadOf: before)
            try save(issue, insteadOf: old)
        }
    }

    private func mergedIssues(of resource: ResourceKey) throws -> [StoredIssue] {
        try all(
            """
            SELECT id, kind, type, target, details, at FROM issues
            WHERE target = ?1 AND type = ?2 AND kind = 'merged' ORDER BY at, id
            """, .id(resource.id), .text(resource.type.rawValue), decode: StoredIssue.init)
    }

    private func save(_ issue: StoredIssue, insteadOf old: StoredIssue) throws {
        guard JSON.object(issue.details) != .object(old.details) else { return }
        guard issue["conflicts"] == [] else { return try save(issue) }
        touched.insert(.issues)
        try run("DELETE FROM issues WHERE id = ?1", .id(issue.id))
    }

    func save(_ issue: StoredIssue) throws {
        touched.insert(.issues)
        try run("UPDATE issues SET details = ?2 WHERE id = ?1", .id(issue.id), .text(JSON.object(issue.details).text))
    }
}
