/// How long deleted things, and answers kept for repeated requests, are stored.
package struct Retention: Sendable {
    /// How long a deleted task stays in the trash.
    package var trashDays = 30
    /// How long deletions stay in the change feed; never shorter than the trash.
    package var tombstoneDays = 90
    package var historyDays = 365
    /// How long an image is stored that nothing refers to.
    package var imageDays = 30
    /// How long the answer of an `Idempotency-Key` is kept.
    package var answerHours = 24
    /// How long the result of a mutation is kept.
    package var mutationDays = 30

    package init() {}
}
