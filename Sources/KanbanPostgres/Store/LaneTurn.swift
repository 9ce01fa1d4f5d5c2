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

    /// A transaction whose first statements were sent.
    struct Begun {
        let jobs: [any LaneJob]
        /// `nil` for writes that take the lock of all accounts.
        let rows: Rows?

        struct Rows {
            let locks: LockedAccounts
            let needed: NeededRows
        }

        init(_ jobs: [any LaneJob], on connection: PostgresConnection) throws {
            self.jobs = jobs
            guard jobs[0].account != .nobody else {
                rows = nil
                return
            }
            rows = Rows(
                locks: try LockedAccounts(of: Array(Set(jobs.map(\.account))), on: connection),
                needed: try NeededRows(of: jobs, on: connection))
        }

        func reset() {
            rows?.locks.reset()
            rows?.needed.reset()
        }
    }
}
