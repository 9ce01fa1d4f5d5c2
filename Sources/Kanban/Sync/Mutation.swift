import JSON

/// One offline edit of a client.
package struct Mutation: Sendable {
    /// What happens to a member that somebody else changed in the meantime.
    package enum Policy: String, Sendable, CaseIterable {
        /// The client's value is applied: the last writer wins.
        case merge
        /// The server's value stays; the rest of the edit is applied.
        case keep
        /// Nothing of the edit is applied.
        case reject
    }

    /// The operation, with its parsed and checked value.
    package enum Operation: Sendable {
        case createTask(title: String, TaskEdit)
        case putTask(title: String, TaskEdit)
        case patchTask(TaskEdit)
        case moveTask(TaskMove)
        case skipTask(TaskSkip)
        case deleteTask
        case restoreTask(TaskMove.Place)
        case createCategory(Edit<Category>)
        case putCategory(Edit<Category>)
        case patchCategory(Edit<Category>)
        case deleteCategory
        case restoreCategory
        case createDDay(Edit<DDay>)
        case putDDay(Edit<DDay>)
        case patchDDay(Edit<DDay>)
        case deleteDDay
        case restoreDDay
        case patchSettings(Edit<Settings>)
    }

    package var operation: Operation
    /// The id of the resource; `nil` for settings, and for a creation under an id of the server.
    package var target: ID?
    /// The revision of the client's copy; `nil`: the last writer wins.
    package var base: Revision?
    package var policy: Policy
    /// When the client made it, by its clock; `nil`: now.
    package var madeAt: Timestamp?

    package init(
        _ operation: Operation, on target: ID?, base: Revision? = nil, policy: Policy = .merge,
        madeAt: Timestamp? = nil
    ) {
        self.operation = operation
        self.target = target
        self.base = base
        self.policy = policy
        self.madeAt = madeAt
    }
}

/// The outcome of a valid mutation.
package struct MutationOutcome: Hashable, Sendable {
    package enum Status: String, Sendable {
        /// Applied as the client sent it.
        case applied
        /// Applied in part, or over somebody else's change.
        case merged
        /// There was nothing to change.
        case unchanged
        /// Not applied.
        case conflict
    }

    package var status: Status
    /// The current revision of the resource; `nil` when it is gone and the revision of its deletion is unknown.
    package var revision: Revision?
    /// The resource now.
    package var value: Change.Value
    package var conflicts: [MemberConflict]
    /// Of a task of a series: the one that followed it when it was completed.
    package var successor: [TaskItem?] = []

    package init(
        _ status: Status, revision: Revision?, value: Change.Value, conflicts: [MemberConflict] = []
    ) {
        self.status = status
        self.revision = revision
        self.value = value
        self.conflicts = conflicts
    }
}

/// A member that somebody else changed since the client's copy, to another value than the client's.
package struct MemberConflict: Hashable, Sendable {
    package var member: String
    /// The value in the client's copy, from the history; null where the history has none.
    package var base: JSON
    package var theirs: JSON
    package var yours: JSON

    package init(member: String, base: JSON, theirs: JSON, yours: JSON) {
        self.member = member
        self.base = base
        self.theirs = theirs
        self.yours = yours
    }
}

/// The revisions that the client of a request made itself; they are never somebody else's change. A client that lost an
/// answer sends its whole outbox again, so the revisions of repeated mutations count as well.
package struct OwnRevisions: Sendable {
    /// The account's revision before the transaction: all later ones are of this request.
    private let began: Revision
    /// Revisions of earlier requests and transactions.
    private var earlier: [ClosedRange<Revision>] = []

    package init(after began: Revision) {
        self.began = began
    }

    /// Adds the revisions of a mutation of an earlier request or transaction.
    package mutating func add(_ revisions: ClosedRange<Revision>) {
        earlier.append(revisions)
    }

    package func contains(_ revision: Revision) -> Bool {
        revision > began || earlier.contains { $0.contains(revision) }
    }
}

/// The client's copy, and which later revisions are its own.
struct Baseline {
    let base: Revision?
    let own: OwnRevisions

    /// True if somebody else made this revision after the client's copy.
    func isForeign(_ revision: Revision) -> Bool {
        guard let base else { return false }
        return revision > base && !own.contains(revision)
    }
}
