/// At most so many attempts within a window, for each key: wrong passwords of an account, sign-ups of an address.
///
/// After the last allowed one nobody gets further there until the oldest of them is a window ago; not with the right
/// password either, or a guesser would see it.
package struct AttemptThrottle: Sendable {
    package enum Key: Hashable, Sendable {
        /// The digest of the folded e-mail address, whether an account has it or not.
        case account([UInt8])
        /// The same, of somebody who is logged in and gives the password again. Counted on its own: strangers that
        /// guess at log-in must not keep the owner from changing it, nor the owner's slips the household from logging in.
        case owner([UInt8])
        /// Where the request came from.
        case address(String)
    }

    /// Above so many keys those that count no more are dropped.
    private static let sweepAbove = 4096

    private let most: Int
    private let window: Duration
    /// The last attempts of each key, at most ``most``, oldest first.
    private var attempts: [Key: [ContinuousClock.Instant]] = [:]

    package init(most: Int, within window: Duration = .seconds(60)) {
        self.most = most
        self.window = window
    }

    /// How many keys are remembered.
    package var keyCount: Int { attempts.count }

    /// How long to wait until all keys are free; `nil` when they are.
    package func wait(_ keys: [Key], at now: ContinuousClock.Instant) -> Duration? {
        let ends = keys.compactMap { key -> ContinuousClock.Instant? in
            guard let times = attempts[key], times.count == most else { return nil }
            return times[0] + window
        }
        guard let end = ends.max(), end > now else { return nil }
        return end - now
    }

    /// Counts an attempt for each key.
    package mutating func count(_ keys: [Key], at now: ContinuousClock.Instant) {
        if attempts.count > Self.sweepAbove {
            attempts = attempts.filter { $0.value.contains { $0 + window > now } }
        }
        for key in keys {
            attempts[key, default: []].append(now)
            if attempts[key, default: []].count > most { attempts[key]?.removeFirst() }
        }
    }

    /// Counts an attempt unless it has to wait.
    /// - Returns: how long; `nil` for one that is allowed.
    package mutating func attempt(_ keys: [Key], at now: ContinuousClock.Instant) -> Duration? {
        if let wait = wait(keys, at: now) { return wait }
        count(keys, at: now)
        return nil
    }
}
