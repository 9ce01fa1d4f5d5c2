/// One mutation of a push, as the client sent it.
package struct SentMutation: Sendable {
    /// The `mutationId`.
    package let id: ID
    /// All other members but `baseRevision`, in canonical form.
    package let content: [UInt8]
    /// SHA-256 of ``content``: tells a repeat from another mutation with the same id. Set by the server.
    package var fingerprint: [UInt8] = []
    /// The pointer to it in the request: `#/mutations/3`.
    package let pointer: String
    /// The parsed mutation, or its faults.
    package let mutation: Result<Mutation, BoardError>
    /// The resources that the value of a task names, and the task's own id.
    let references: [Reference]
    let target: ID?

    package init(
        id: ID, content: [UInt8], pointer: String, mutation: Result<Mutation, BoardError>, references: [Reference],
        target: ID?
    ) {
        self.id = id
        self.content = content
        self.pointer = pointer
        self.mutation = mutation
        self.references = references
        self.target = target
    }
}

/// The result of a mutation of a push.
package enum MutationResult: Sendable {
    case done(MutationOutcome)
    case rejected(BoardError)
    /// Another mutation was sent under this id before.
    case idReused
    /// Another mutation of an atomic request failed.
    case rolledBack
    /// The account has no room for it.
    case beyondQuota(QuotaLimit)

    var isFailure: Bool {
        if case .done(let outcome) = self { outcome.status == .conflict } else { true }
    }
}
