import Kanban

/// Work that waits for its turn. The account with the least running work goes first, then the one that was served least:
/// accounts with many requests must not block the others.
///
/// Fair queueing: each account has a virtual time, which advances by the cost of its work. The average of those that wait
/// is the time of the queue. An account that comes back starts one job before it: it goes before accounts with a backlog,
/// but cannot save up turns, and many accounts that come once cannot keep the others out.
///
/// An account that asks for one thing need not wait either until one of the running jobs ends, each of which may be long: a few
/// more may run than otherwise, which are for such accounts alone.
package struct FairQueue<Element> {
    private let limit: Int
    private let reserve: Int
    private let limitOfOne: Int
    private var waiting: [(ticket: UInt64, account: AccountKey, element: Element)] = []
    private var running: [AccountKey: Int] = [:]
    /// Virtual times of accounts that were served lately.
    private var served: [AccountKey: Int] = [:]
    private var now = 0
    /// The cost of the dearest work since the queue was empty.
    private var dearest = 0
    private var tickets: UInt64 = 0

    /// - Parameters:
    ///   - limit: how many run at a time.
    ///   - reserve: how many more may run, each for an account of which nothing runs and nothing else waits.
    ///   - limitOfOne: how many of one account run at a time.
    package init(limit: Int, reserve: Int = 0, ofOneAccount limitOfOne: Int = .max) {
        self.limit = max(1, limit)
        self.reserve = reserve
        self.limitOfOne = limitOfOne
    }

    /// How many wait.
    package var count: Int { waiting.count }

    package func count(of account: AccountKey) -> Int {
        waiting.count { $0.account == account }
    }

    /// A number for ``remove(_:)``.
    package mutating func makeTicket() -> UInt64 {
        tickets += 1
        return tickets
    }

    package mutating func add(_ element: Element, of account: AccountKey, ticket: UInt64) {
        waiting.append((ticket, account, element))
    }

    /// Removes the work that waits under the ticket; `nil` when it does not wait.
    package mutating func remove(_ ticket: UInt64) -> Element? {
        waiting.firstIndex { $0.ticket == ticket }.map { waiting.remove(at: $0).element }
    }

    /// Removes all work that waits, in its order.
    package mutating func removeWaiting() -> [Element] {
        defer { waiting = [] }
        return waiting.map(\.element)
    }

    /// Takes out what runs next, if there is room. Call ``end(_:)`` when it is done.
    package mutating func next() -> (account: AccountKey, element: Element)? {
        let count = running.values.reduce(0, +)
        guard count < limit + reserve, let place = nextPlace(ofReserve: count >= limit) else { return nil }
        let next = waiting.remove(at: place)
        served[next.account] = start(of: next.account)
        running[next.account, default: 0] += 1
        return (next.account, next.element)
    }

    /// The virtual time of the account. One that was not served lately starts one job before the average.
    private func start(of account: AccountKey) -> Int {
        max(served[account] ?? .min, now - dearest)
    }

    /// Of equal accounts the first in line.
    /// - Parameter ofReserve: of those alone that ask for one thing at a time, and are not far ahead of the average: those with a
    ///   backlog would keep the reserve busy.
    private func nextPlace(ofReserve: Bool) -> Int? {
        var best: (place: Int, running: Int, served: Int)?
        for (place, work) in waiting.enumerated() {
            let running = running[work.account] ?? 0
            guard running < limitOfOne else { continue }
            let served = start(of: work.account)
            if ofReserve {
                guard running == 0, served <= now + dearest, count(of: work.account) == 1 else { continue }
            }
            if let best, (best.running, best.served) <= (running, served) { continue }
            best = (place, running, served)
        }
        return best?.place
    }

    /// Work of the account is done.
    /// - Parameter cost: of its share, in any unit.
    package mutating func end(_ account: AccountKey, cost: Int = 1_000) {
        now += cost / max(1, Set(running.keys).union(waiting.map(\.account)).count)
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
