import Crypto
import Kanban
import Locks

/// Counts limited attempts for all servers that share the accounts.
package protocol AttemptLedger: Sendable {
    /// Counts an attempt for each key, unless one of them had `most` within the window.
    /// - Parameter counts: false only checks.
    /// - Returns: how long to wait until all keys are free; `nil` for one that is allowed.
    func attempt(
        _ kind: String, _ keys: [[UInt8]], most: Int, within window: Duration, counts: Bool
    ) async throws -> Duration?
}

/// The same in a transaction that is under way.
package protocol AttemptWriter {
    func attempt(_ kind: String, _ keys: [[UInt8]], most: Int, within window: Duration, counts: Bool) throws
        -> Duration?
}

extension AccessStore {
    /// `nil`: only this process serves the accounts, and counts in memory.
    package var attempts: (any AttemptLedger)? { self as? any AttemptLedger }
}

extension AttemptThrottle.Key {
    /// The key in the ledger, from which no network or e-mail address can be read.
    var digest: [UInt8] {
        switch self {
        case .account(let digest): SHA256.digest([0] + digest)
        case .owner(let digest): SHA256.digest([1] + digest)
        case .address(let address): SHA256.digest([2] + Array(address.utf8))
        }
    }
}

/// A limit of attempts: how many of a key within a time. Servers that share the accounts count together.
final class AttemptLimit: Sendable {
    /// Its name in the ledger.
    private let kind: String
    private let most: Int
    private let window: Duration
    private let counted: Locked<AttemptThrottle>

    init(_ kind: String, most: Int, within window: Duration) {
        self.kind = kind
        self.most = most
        self.window = window
        counted = Locked(AttemptThrottle(most: most, within: window))
    }

    /// Counts an attempt unless it has to wait.
    /// - Returns: the time to wait; `nil` for an allowed attempt.
    func attempt(
        _ key: AttemptThrottle.Key, in ledger: (any AttemptLedger)?, at now: ContinuousClock.Instant
    ) async throws -> Duration? {
        guard let ledger else { return attempt(key, at: now) }
        return try await ledger.attempt(kind, [key.digest], most: most, within: window, counts: true)
    }

    /// The same in a transaction that is under way.
    func attempt(
        _ key: AttemptThrottle.Key, in writer: any AccessWriter, at now: ContinuousClock.Instant
    ) throws -> Duration? {
        guard let writer = writer as? any AttemptWriter else { return attempt(key, at: now) }
        return try writer.attempt(kind, [key.digest], most: most, within: window, counts: true)
    }

    private func attempt(_ key: AttemptThrottle.Key, at now: ContinuousClock.Instant) -> Duration? {
        counted.withLock { $0.attempt([key], at: now) }
    }
}

extension AccessService {
    /// Compares a password as ``verify(_:against:counting:for:isKnown:or:)`` does, where other servers count failures, too: of
    /// concurrent guesses at many servers, only those that are counted get a result.
    func verify(
        in ledger: any AttemptLedger, counting keys: [AttemptThrottle.Key], or refusal: AccessError,
        _ compare: () async throws -> (matches: Bool, renewed: String?)
    ) async throws -> String? {
        func attempt(counts: Bool) async throws {
            let wait = try await ledger.attempt(
                "log-in", keys.map(\.digest), most: 5, within: .seconds(60), counts: counts)
            if let wait { throw AccessError.throttled(wait) }
        }
        try await attempt(counts: false)
        let (matches, renewed) = try await compare()
        try await attempt(counts: !matches)
        guard matches else { throw refusal }
        return renewed
    }
}
