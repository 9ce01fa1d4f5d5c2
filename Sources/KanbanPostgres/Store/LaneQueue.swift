import Kanban

/// The waiting jobs of a lane, in the order of their transactions.
struct LaneQueue {
    private var jobs: [any LaneJob] = []
    /// Accounts that another transaction had locked: a transaction of their own waits for the lock. Until this time others go
    /// first.
    private var held: [AccountKey: ContinuousClock.Instant] = [:]
    var isAwake = false
    var isClosed = false

    var count: Int { jobs.count }

    mutating func append(_ job: any LaneJob) {
        jobs.append(job)
    }

    /// Takes the jobs of the next transaction: those of the account that waits longest, and of others beside it. What it
    /// leaves of their jobs moves behind those of other accounts, so that an account with many writes does not delay the
    /// others. The jobs of an account keep their order.
    /// - Parameters:
    ///   - accounts: the most accounts.
    ///   - count: the most jobs.
    mutating func take(accounts limit: Int, atMost count: Int, at now: ContinuousClock.Instant) -> [any LaneJob]? {
        let ready = held.isEmpty ? jobs.first : jobs.first { held[$0.account].map { $0 <= now } ?? true }
        guard let first = (ready ?? jobs.first)?.account else { return nil }
        let limit = held.removeValue(forKey: first) == nil ? limit : 1
        var accounts: Set = [first]
        var (taken, others, behind): ([any LaneJob], [any LaneJob], [any LaneJob]) = ([], [], [])
        for job in jobs {
            if taken.count < count, accounts.count < limit, held[job.account] == nil { accounts.insert(job.account) }
            if !accounts.contains(job.account) {
                others.append(job)
            } else if taken.count < count {
                taken.append(job)
            } else {
                behind.append(job)
            }
        }
        jobs = others + behind
        return taken
    }

    mutating func takeAll() -> [any LaneJob] {
        defer { (jobs, held) = ([], [:]) }
        return jobs
    }

    /// For jobs that a transaction had no time for: they are the first of the next one.
    mutating func putInFront(_ rest: [any LaneJob]) {
        jobs.insert(contentsOf: rest, at: 0)
    }

    /// For jobs whose accounts another transaction has locked. They stay before the account's jobs that came meanwhile, but for
    /// writes of accounts, which have no order.
    /// - Parameter time: until then jobs of other accounts go first.
    mutating func putBehind(_ late: [any LaneJob], until time: ContinuousClock.Instant) {
        let accounts = Set(late.map(\.account)).subtracting([.nobody])
        for account in accounts { held[account] = time }
        let younger = jobs.filter { accounts.contains($0.account) }
        jobs.removeAll { accounts.contains($0.account) }
        jobs += late + younger
    }

    /// True if jobs of other accounts wait.
    func hasOthers(than account: AccountKey) -> Bool {
        jobs.contains { $0.account != account }
    }
}
