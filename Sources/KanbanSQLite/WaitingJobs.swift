import Kanban

/// The jobs that wait for the writer.
struct WaitingJobs {
    var jobs: [WriteJob] = []
    var isAwake = false
    var isClosed = false

    mutating func take(atMost count: Int) -> [WriteJob] {
        takeTurns()
        guard jobs.count > count else {
            defer { jobs = [] }
            return jobs
        }
        defer { jobs.removeFirst(count) }
        return Array(jobs.prefix(count))
    }

    /// Those that may run while a body of this account is divided. Its own wait for it, and so do those of accounts with
    /// a body that may be divided itself: one at a time is.
    mutating func take(atMost count: Int, during account: AccountKey) -> [WriteJob] {
        takeTurns()
        var held: Set<AccountKey> = [account]
        for job in jobs where job.isAlone { held.insert(job.account) }
        let taken = jobs.lazy.filter { !held.contains($0.account) }.prefix(count)
        let others = Array(taken)
        guard !others.isEmpty else { return [] }
        let identities = Set(others.map(ObjectIdentifier.init))
        jobs.removeAll { identities.contains(ObjectIdentifier($0)) }
        return others
    }

    /// Orders the jobs so that accounts take turns: a single job of an account waits for one job of each other account,
    /// however many those have. The jobs of an account keep their order.
    private mutating func takeTurns() {
        guard let first = jobs.first?.account, jobs.contains(where: { $0.account != first }) else { return }
        var turns: [AccountKey: Int] = [:]
        let numbered = jobs.enumerated().map { place, job in
            defer { turns[job.account, default: 0] += 1 }
            return (turn: turns[job.account] ?? 0, place: place, job: job)
        }
        jobs = numbered.sorted { ($0.turn, $0.place) < ($1.turn, $1.place) }.map(\.job)
    }
}
