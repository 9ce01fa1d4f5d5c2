import JSON

/// One entry of a task's history.
package struct HistoryEntry: Hashable, Sendable {
    package enum Action: String, Sendable, CaseIterable {
        case created, updated, moved, deleted, restored
    }

    /// The values of a member before and after, as the API shows them.
    package struct MemberChange: Hashable, Sendable {
        package var member: String
        package var from: JSON
        package var to: JSON

        package init(member: String, from: JSON, to: JSON) {
            self.member = member
            self.from = from
            self.to = to
        }
    }

    package var taskID: ID
    package var revision: Revision
    package var at: Timestamp
    package var action: Action
    package var changes: [MemberChange]
    /// The session that did it; `nil` in open mode and for the server itself.
    package var sessionID: ID?

    package init(
        taskID: ID, revision: Revision, at: Timestamp, action: Action, changes: [MemberChange], sessionID: ID?
    ) {
        self.taskID = taskID
        self.revision = revision
        self.at = at
        self.action = action
        self.changes = changes
        self.sessionID = sessionID
    }
}

/// A query of the history of all tasks, newest first.
package struct HistoryQuery: Hashable, Sendable {
    /// The last entry of the page before.
    package struct Anchor: Hashable, Sendable {
        package var at: Timestamp
        package var revision: Revision

        package init(at: Timestamp, revision: Revision) {
            self.at = at
            self.revision = revision
        }
    }

    package var actions = Set(HistoryEntry.Action.allCases)
    /// Entries of this time and later.
    package var since: Timestamp?
    package var after: Anchor?
    package var limit: Int

    package init(limit: Int) {
        self.limit = limit
    }
}

/// An entry in the history of all tasks.
package struct TitledHistoryEntry: Hashable, Sendable {
    package var entry: HistoryEntry
    /// The title that the task has now; `nil` for a task that was purged.
    package var title: String?

    package init(_ entry: HistoryEntry, title: String?) {
        self.entry = entry
        self.title = title
    }
}
