/// Limits the attempts of each key within a sliding window: wrong passwords of an account, sign-ups of an address.
///
/// At the limit, further attempts are rejected until the oldest attempt has left the window; with the right password,
/// too, or a guesser could tell it from wrong ones.
package struct AttemptThrottle: Sendable {
    package enum Key: Hashable, Sendable {
        /// The digest of the folded e-mail address, whether an account has it or not.
        case account([UInt8])
        /// The same, for a logged-in caller who gives the password again. It has its own count: strangers' guesses at
        /// log-in must not keep the owner from changing the password, and the owner's typing errors must not block
        /// log-ins.
        case owner([UInt8])
        /// The network of the request.
        case address(String)
    }

    /// At least as many keys are kept before those without attempts in the window are dropped.
    private static let fewKeys = 4096

    private let most: Int
    private let window: Duration
    /// The last attempts of each key, at most ``most``, oldest first.
    private var attempts: [Key: [ContinuousClock.Instant]] = [:]
    private var sweepAbove = Self.fewKeys

    package init(most: Int, within window: Duration = .seconds(60)) {
        self.most = most
        self.window = window
    }

    /// The number of keys in memory.
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
        if attempts.count > sweepAbove {
            attempts = attempts.filter { $0.value.contains { $0 + window > now } }
            // Or every attempt would look at all keys, while as many are within the window.
            sweepAbove = max(Self.fewKeys, attempts.count * 2)
        }
        for key in keys {
            attempts[key, default: []].append(now)
            if attempts[key, default: []].count > most { attempts[key]?.removeFirst() }
        }
    }

    /// Counts an attempt unless it has to wait.
    /// - Returns: the time to wait; `nil` for an allowed attempt.
    package mutating func attempt(_ keys: [Key], at now: ContinuousClock.Instant) -> Duration? {
        if let wait = wait(keys, at: now) { return wait }
        count(keys, at: now)
        return nil
    }
}
