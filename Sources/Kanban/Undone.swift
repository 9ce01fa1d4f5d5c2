/// Thrown out of a write to undo it, with what it would have returned: a dry run.
package struct Undone<Outcome: Sendable>: Error {
    package let outcome: Outcome

    package init(_ outcome: Outcome) {
        self.outcome = outcome
    }
}
