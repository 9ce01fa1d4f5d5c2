import JSON

/// One line of a task's history.
package struct HistoryEntry: Hashable, Sendable {
    package enum Action: String, Sendable {
        case created, updated, moved, deleted, restored
    }

    /// A member before and after, as the API shows it.
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
