import Kanban

/// What a transaction of a lane does with its jobs.
extension Lane {
    /// A body wrote something and threw: what is beside it in the transaction must be written again without it.
    struct Apart: Error {
        /// Of its job in ``Turn/done``.
        let index: Int
    }

    /// The outcome of jobs that ran.
    enum Settlement {
        case answered
        /// Nothing was written. Each part must run in a transaction of its own.
        case apart([ArraySlice<any LaneJob>])
        /// Another transaction locked their account for too long.
        case later([any LaneJob])
    }

    /// What the running transaction has of its jobs.
    struct Turn {
        /// Their bodies ran.
        var done: [any LaneJob] = []
        /// The time was over before their bodies ran.
        var rest: [any LaneJob] = []
        /// Their accounts are locked by others.
        var held: [any LaneJob] = []
        /// How many sessions and tokens of the locked accounts have ended.
        var endings: [AccountKey: Int64] = [:]
        /// The commit; `nil` when it wrote nothing.
        var sent: CommitMarks.Mark?
        var end = ContinuousClock.now
        var isMixed = false
    }
}
