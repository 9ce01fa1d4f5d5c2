/// Slows guessing down: five failures within a minute, for an account or from an address, and nobody gets further
/// there until the oldest of them is a minute ago; not with the right password either, or a guesser would see it.
package struct LogInThrottle: Sendable {
    package enum Key: Hashable, Sendable {
        /// The digest of the folded e-mail address, whether an account has it or not.
        case account([UInt8])
        /// The same, of somebody who is logged in and gives the password again. Counted on its own: strangers that
        /// guess at log-in must not keep the owner from changing it, nor the owner's slips the household from logging in.
        case owner([UInt8])
        /// Where the request came from.
        case address(String)
    }

    package static let most = 5
    package static let window: Duration = .seconds(60)
    /// Above so many keys those that count no more are dropped.
    private static let sweepAbove = 4096

    /// The last failures of each key, at most ``most``, oldest first.
    private var failures: [Key: [ContinuousClock.Instant]] = [:]

    package init() {}

    /// How many keys are remembered.
    package var keyCount: Int { failures.count }

    /// How long to wait until all keys are free; `nil` when they are.
    package func wait(_ keys: [Key], at now: ContinuousClock.Instant) -> Duration? {
        let ends = keys.compactMap { key -> ContinuousClock.Instant? in
            guard let times = failures[key], times.count == Self.most else { return nil }
            return times[0] + Self.window
        }
        guard let end = ends.max(), end > now else { return nil }
        return end - now
    }

    /// Counts a failure for each key.
    package mutating func failed(_ keys: [Key], at now: ContinuousClock.Instant) {
        if failures.count > Self.sweepAbove {
            failures = failures.filter { $0.value.contains { $0 + Self.window > now } }
        }
        for key in keys {
            failures[key, default: []].append(now)
            if failures[key, default: []].count > Self.most { failures[key]?.removeFirst() }
        }
    }
}
