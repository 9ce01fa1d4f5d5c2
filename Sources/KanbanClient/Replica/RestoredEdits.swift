import JSON
import Kanban
import KanbanRows
import KanbanWire

/// Edits that wait while the server is restored. They are sent without a base, because its revisions began again: the server
/// cannot tell that somebody changed the same member since. The device can: it has what it saw before and what it loaded.
extension Transaction {
    /// Leaves an issue of the members that an edit writes, and somebody changed since the device saw them. Edits older than an hour
    /// yield, as they do without a restore.
    /// - Parameters:
    ///   - old: the server's version that the user saw.
    ///   - mine: the resource as the user sees it with the edits.
    func settleContest(_ resource: ResourceKey, from old: Change.Value, to theirs: Change.Value, _ mine: Change.Value?)
        throws
    {
        // What the backup has is older, and no words of somebody else. Settings tell no time.
        if let seen = old.updatedAt, let now = theirs.updatedAt, now <= seen { return }
        guard theirs != .deleted, let mine = mine?.json.sendable else { return }
        let (before, now) = (old.json, theirs.json)
        let edits = try edits(of: resource)
        let contested = mine.flatMembers.filter { member in
            ![before[flat: member.name], member.value].contains(now[flat: member.name])
                && edits.contains { $0.mutation.writes(member.name) }
        }
        let isSettings = resource.type == .settings
        let yielding = contested.filter { member in !isSettings && isOld(edits.last { $0.mutation.writes(member.name) })
        }
        for (isApplied, members) in [
            (true, contested.filter { !yielding.contains($0) }), (false, yielding),
        ] where !members.isEmpty {
            try add(.outdone(members, by: now, of: resource, mine, isApplied: isApplied))
        }
        for edit in edits { try withdraw(Set(yielding.map(\.name)), from: edit) }
    }

    private func isOld(_ edit: OutboxEdit?) -> Bool {
        edit.map { now.milliseconds - $0.madeAt.milliseconds > PushRequest.freshness } ?? false
    }

    /// Takes members out of an edit that yields; of a move to another column, all.
    private func withdraw(_ names: Set<String>, from edit: OutboxEdit) throws {
        let members = edit.mutation.value.flatMembers
        let rest = members.filter { !names.contains($0.name) }
        guard rest.count < members.count else { return }
        // Under a new id: no step of undo may take out what is left and mean the whole.
        if rest.isEmpty || edit.mutation.op == .move {
            try drop(edit)
        } else {
            try rename(edit, to: rows.makeID(), JSON(flat: rest))
        }
    }
}
