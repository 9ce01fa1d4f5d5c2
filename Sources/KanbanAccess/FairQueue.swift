import Kanban

/// Work that waits for its turn. Accounts without running work go first, otherwise the order counts: an account with
/// many requests must not block the others.
package struct FairQueue<Element> {
    private let limit: Int
    private let limitOfOne: Int
    private var waiting: [(ticket: UInt64, account: AccountKey, element: Element)] = []
    private var running: [AccountKey: Int] = [:]
    private var tickets: UInt64 = 0

    /// - Parameters:
    ///   - limit: how many run at a time.
    ///   - limitOfOne: how many of one account run at a time.
    package init(limit: Int, ofOneAccount limitOfOne: Int = .max) {
        self.limit = max(1, limit)
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
        guard running.values.reduce(0, +) < limit,
            let place = waiting.firstIndex(where: { running[$0.account] == nil })
                ?? waiting.firstIndex(where: { running[$0.account, default: 0] < limitOfOne })
        else { return nil }
        let next = waiting.remove(at: place)
        running[next.account, default: 0] += 1
        return (next.account, next.element)
    }

    /// Work of the account is done.
    package mutating func end(_ account: AccountKey) {
        running[account] = running[account].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}
