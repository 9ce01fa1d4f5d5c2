import Kanban

/// The rate limit of an account, or of an address without one.
package struct RateLimit: Hashable, Sendable {
    /// The sustained rate: requests a second, at least 1.
    package var perSecond: Int
    /// The burst: requests at once after a pause, at least 1.
    package var burst: Int

    package static let standard = RateLimit(perSecond: 50, burst: 200)

    package init(perSecond: Int, burst: Int) {
        self.perSecond = max(1, perSecond)
        self.burst = max(1, burst)
    }
}

/// A GCRA (generic cell rate algorithm) for each key. It stores one instant: when the full burst is available again.
package struct RateLimiter: Sendable {
    package enum Key: Hashable, Sendable {
        case account(AccountKey)
        case address(String)
    }

    /// The result of one request.
    package struct Verdict: Hashable, Sendable {
        package var isAllowed: Bool
        /// Requests left at once, of those at all servers together when they are spread evenly.
        package var remaining: Int
        /// The time until the next request is allowed; zero if it is now.
        package var untilNext: Duration
    }

    package let limit: RateLimit
    /// Servers that share the limit.
    private var servers = 1
    private var cost: Duration
    private var full: Duration
    private var fullAt: [Key: ContinuousClock.Instant] = [:]
    private var sweepAbove = 65_536

    package init(_ limit: RateLimit) {
        self.limit = limit
        cost = .seconds(1) / limit.perSecond
        full = cost * limit.burst
    }

    /// Leaves this server its part of the limit, where as many servers answer the same callers. Each allows one request at
    /// once at least.
    package mutating func share(among servers: Int) {
        self.servers = max(1, servers)
        // The whole cost of each request is borne here, while a bucket fills up as fast as before.
        cost = .seconds(1) / limit.perSecond * self.servers
        full = max(cost, .seconds(1) / limit.perSecond * limit.burst)
    }

    /// Counts one request, if it is allowed.
    package mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> Verdict {
        let owed = max(.zero, (fullAt[key] ?? now) - now)
        guard owed + cost <= full else {
            return Verdict(isAllowed: false, remaining: 0, untilNext: owed + cost - full)
        }
        sweep(at: now)
        fullAt[key] = now + owed + cost
        let left = full - owed - cost
        return Verdict(
            isAllowed: true, remaining: Int(left / cost) * servers, untilNext: max(.zero, cost - left))
    }

    /// Forgets keys with a full burst when there are many keys.
    private mutating func sweep(at now: ContinuousClock.Instant) {
        guard fullAt.count > sweepAbove else { return }
        fullAt = fullAt.filter { $0.value > now }
        sweepAbove = max(65_536, fullAt.count * 2)
    }
}
