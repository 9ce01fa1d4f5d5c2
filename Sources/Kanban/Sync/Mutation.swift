import JSON

/// One edit that a client made on its own copy and now sends in.
package struct Mutation: Sendable {
    /// What becomes of a member that somebody else changed since.
    package enum Policy: String, Sendable, CaseIterable {
        /// Yours is applied, for you are the later writer.
        case merge
        /// Theirs stays, the rest of yours is applied.
        case keep
        /// Nothing of yours is applied.
        case reject
    }

    /// What it does, with the value read and checked.
    package enum Operation: Sendable {
        case createTask(title: String, TaskEdit)
        case putTask(title: String, TaskEdit)
        case patchTask(TaskEdit)
        case moveTask(TaskMove)
        case deleteTask
        case restoreTask(TaskMove.Place)
        case createCategory(name: String, color: String?, emoji: String?, image: ID?)
        case putCategory(name: String, color: String?, emoji: String?, image: ID?)
        case patchCategory(@Sendable (inout Category) -> Void)
        case deleteCategory
        case createDDay(DDay.Contents)
        case putDDay(DDay.Contents)
        case patchDDay(@Sendable (inout DDay.Contents) -> Void)
        case deleteDDay
        case patchSettings(@Sendable (inout Settings) throws -> Void)
    }

    package var operation: Operation
    /// Whose; `nil` for settings, and for what is created under an id of the server's making.
    package var target: ID?
    /// The revision of the client's copy; `nil`: the last to arrive wins.
    package var base: Revision?
    package var policy: Policy

    package init(_ operation: Operation, on target: ID?, base: Revision? = nil, policy: Policy = .merge) {
        self.operation = operation
        self.target = target
        self.base = base
        self.policy = policy
    }
}

/// What became of a mutation that was right in itself.
package struct MutationOutcome: Hashable, Sendable {
    package enum Status: String, Sendable {
        /// As the client wanted it.
        case applied
        /// Applied, but not all of it, or over somebody else's change.
        case merged
        /// There was nothing to change.
        case unchanged
        /// Not applied.
        case conflict
    }

    package var status: Status
    /// Of the resource now; `nil` when it is gone without a trace of when.
    package var revision: Revision?
    /// The resource now.
    package var value: Change.Value
    package var conflicts: [MemberConflict]

    package init(
        _ status: Status, revision: Revision?, value: Change.Value, conflicts: [MemberConflict] = []
    ) {
        self.status = status
        self.revision = revision
        self.value = value
        self.conflicts = conflicts
    }
}

/// A member that somebody else changed since the client's copy, to something other than the client wants.
package struct MemberConflict: Hashable, Sendable {
    package var member: String
    /// Its value in the client's copy, from the history; null where none is kept.
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

/// Which revisions are a client's own, within one request: those are never somebody else's change. A client that lost
/// an answer sends its whole outbox again, so the revisions of repeated mutations count as well.
package struct OwnRevisions: Sendable {
    /// The account's revision before the transaction: what comes after it is all of this request.
    private let began: Revision
    /// Of earlier requests and transactions.
    private var earlier: [ClosedRange<Revision>] = []

    package init(after began: Revision) {
        self.began = began
    }

    /// A mutation that was applied by an earlier request or transaction made these.
    package mutating func add(_ revisions: ClosedRange<Revision>) {
        earlier.append(revisions)
    }

    package func contains(_ revision: Revision) -> Bool {
        revision > began || earlier.contains { $0.contains(revision) }
    }
}

/// The view of a client on what happened since its copy.
struct Baseline {
    let base: Revision?
    let own: OwnRevisions

    /// Whether somebody else made this revision, and the client did not know.
    func isForeign(_ revision: Revision) -> Bool {
        guard let base else { return false }
        return revision > base && !own.contains(revision)
    }
}
