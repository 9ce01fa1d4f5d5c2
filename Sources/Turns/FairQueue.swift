/// Work that waits for its turn. The account with the least running work goes first, then the one that was served least:
/// accounts with many requests must not block the others.
///
/// Fair queueing: each account has a virtual time, which advances by the cost of its work. The average of those that wait
/// is the time of the queue. An account that comes back starts one job before it: it goes before accounts with a backlog,
/// but cannot save up turns, and many accounts that come once cannot keep the others out.
///
/// An account that asks for one thing need not wait either until one of the running jobs ends, each of which may be long: a few
/// more may run than otherwise, which are for such accounts alone.
@usableFromInline
package struct FairQueue<Account: Hashable & Sendable, Element>: TurnOrder {
    @usableFromInline let limit: Int
    @usableFromInline let reserve: Int
    @usableFromInline let limitOfOne: Int
    @usableFromInline let mostWaitingOfOne: Int
    @usableFromInline var waiting: [(ticket: UInt64, account: Account, element: Element)] = []
    /// How many of each account wait.
    @usableFromInline var backlogs: [Account: Int] = [:]
    @usableFromInline var running: [Account: Int] = [:]
    /// Virtual times of accounts that were served lately.
    @usableFromInline var served: [Account: Int] = [:]
    @usableFromInline var now = 0
    /// The cost of the dearest work since the queue was empty.
    @usableFromInline var dearest = 0

    /// - Parameters:
    ///   - limit: how many run at a time.
    ///   - reserve: how many more may run, each for an account of which nothing runs and nothing else waits.
    ///   - limitOfOne: how many of one account run at a time.
    ///   - mostWaitingOfOne: how many of one account wait.
    @inlinable
    package init(
        limit: Int, reserve: Int = 0, ofOneAccount limitOfOne: Int = .max, mostWaitingOfOne: Int = .max
    ) {
        self.limit = max(1, limit)
        self.reserve = reserve
        self.limitOfOne = limitOfOne
        self.mostWaitingOfOne = mostWaitingOfOne
    }

    @inlinable
    package var count: Int { waiting.count }

    @inlinable
    func count(of account: Account) -> Int { backlogs[account, default: 0] }

    @inlinable
    mutating func take(at place: Int) -> (ticket: UInt64, account: Account, element: Element) {
        let taken = waiting.remove(at: place)
        backlogs[taken.account] = backlogs[taken.account].flatMap { $0 > 1 ? $0 - 1 : nil }
        return taken
    }

    @inlinable
    var runningCount: Int { running.values.reduce(0, +) }

    @inlinable
    package func hasTurn(for account: Account) -> Bool {
        runningCount < limit && running[account, default: 0] < limitOfOne
    }

    @inlinable
    package mutating func add(_ element: Element, of account: Account, ticket: UInt64) -> Element? {
        guard count(of: account) < mostWaitingOfOne else { return element }
        waiting.append((ticket, account, element))
        backlogs[account, default: 0] += 1
        return nil
    }

    @inlinable
    package mutating func remove(_ ticket: UInt64) -> Element? {
        waiting.firstIndex { $0.ticket == ticket }.map { take(at: $0).element }
    }

    @inlinable
    package mutating func removeWaiting() -> [Element] {
        defer { (waiting, backlogs) = ([], [:]) }
        return waiting.map(\.element)
    }

    @inlinable
    package mutating func next() -> Element? {
        let count = runningCount
        guard count < limit + reserve, let place = nextPlace(ofReserve: count >= limit) else { return nil }
        let next = take(at: place)
        served[next.account] = start(of: next.account)
        running[next.account, default: 0] += 1
        return next.element
    }

    /// The virtual time of the account. One that was not served lately starts one job before the average.
    @inlinable
    func start(of account: Account) -> Int {
        max(served[account] ?? .min, now - dearest)
    }

    /// Of equal accounts the first in line.
    /// - Parameter ofReserve: of those alone that ask for one thing at a time: those with a backlog would keep the reserve busy.
    @inlinable
    func nextPlace(ofReserve: Bool) -> Int? {
        var best: (place: Int, running: Int, served: Int)?
        for (place, work) in waiting.enumerated() {
            let running = running[work.account] ?? 0
            guard running < limitOfOne else { continue }
            let served = start(of: work.account)
            if ofReserve {
                guard running == 0, count(of: work.account) == 1 else { continue }
            }
            if let best, (best.running, best.served) <= (running, served) { continue }
            best = (place, running, served)
        }
        return best?.place
    }

    @inlinable
    package mutating func end(_ account: Account, cost: Int) {
        now += cost / max(1, Set(running.keys).union(backlogs.keys).count)
        dearest = max(dearest, cost)
        served[account] = start(of: account) + cost
        running[account] = running[account].flatMap { $0 > 1 ? $0 - 1 : nil }
        if running.isEmpty, waiting.isEmpty {
            (served, now, dearest) = ([:], 0, 0)
        } else if served.count > 256 {
            // An account that is not ahead of the others starts like one that comes back.
            served = served.filter { $0.value > now - dearest }
        }
    }
}
