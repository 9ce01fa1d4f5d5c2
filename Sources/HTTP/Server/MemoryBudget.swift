import Locks
import Sockets
import Synchronization

/// One budget for all bytes that the server holds for clients: heads and bodies being read, answers not yet taken.
///
/// Each holder has a share of it. When there is no room, the connection that has waited longest for its client goes
/// first: of the same holder when its share is short, else of the holder that has most. What still finds no room is
/// refused before its memory is taken.
package final class MemoryBudget: Sendable {
    /// The owner of a share.
    package enum Holder: Hashable, Sendable {
        case account(Int64)
        /// Of clients without an account.
        case address(String)
    }

    /// What one connection holds.
    // Unchecked because all that changes is behind the lock of the budget.
    final class Claim: @unchecked Sendable {
        fileprivate let holder: Holder
        fileprivate let evict: @Sendable () -> Void
        fileprivate var bytes = 0
        /// Since when the connection waits for its client to send or take something; `nil` while the server works.
        fileprivate var waitsSince: Instant?
        fileprivate var isEvicted = false

        /// - Parameter evict: ends the connection; called on any thread.
        init(of holder: Holder, evict: @escaping @Sendable () -> Void) {
            self.holder = holder
            self.evict = evict
        }
    }

    private struct State {
        var total = 0
        var shares: [Holder: Share] = [:]

        struct Share {
            var bytes = 0
            var claims: [ObjectIdentifier: Claim] = [:]
        }

        mutating func change(_ claim: Claim, by bytes: Int) {
            total += bytes
            claim.bytes += bytes
            let name = ObjectIdentifier(claim)
            shares[claim.holder, default: Share()].bytes += bytes
            shares[claim.holder]?.claims[name] = claim.bytes > 0 ? claim : nil
            if shares[claim.holder]?.claims.isEmpty ?? false { shares[claim.holder] = nil }
        }

        /// Takes out the claim of the holder that waits longest, if that is long enough.
        mutating func evictOne(of holder: Holder, besides asking: Claim?, waitingBefore latest: Instant) -> Claim? {
            let waiting = shares[holder]?.claims.values.filter { $0 !== asking && ($0.waitsSince ?? latest) < latest }
            guard let victim = waiting?.min(by: { ($0.waitsSince ?? latest) < ($1.waitsSince ?? latest) }) else {
                return nil
            }
            change(victim, by: -victim.bytes)
            victim.isEvicted = true
            return victim
        }
    }

    /// Bytes of a body or an answer up to which nothing is held: the limits of connections bound them.
    static let unnoticed = 4 << 10
    /// Room in its share that a holder needs for another request.
    private static let oneAnswer = 64 << 10

    private let whole: Int
    private let share: Int
    /// In nanoseconds. A connection that waits for its client for less is on its way.
    private let evictionTime: Int64
    private let state = Locked(State())
    /// The total, for a look without the lock.
    private let held = Atomic<Int>(0)

    /// - Parameters:
    ///   - whole: bytes for all clients together.
    ///   - share: bytes for one. Something larger is let in when its holder has nothing else.
    ///   - evictionTime: see ``Limits``.
    package init(whole: Int, share: Int, evictionTime: Duration) {
        self.whole = whole
        self.share = share
        self.evictionTime = evictionTime.inNanoseconds
    }

    /// Bytes held now, for the metrics.
    package var bytesHeld: Int { held.load(ordering: .relaxed) }

    /// Changes what a connection holds.
    /// - Parameter waitsSince: since when it waits for its client; `nil` when it does not.
    /// - Returns: false when there is no room for more; then it holds what it held.
    func hold(_ bytes: Int, for claim: Claim, waitsSince: Instant? = nil, now: Instant = .now) -> Bool {
        let (isHeld, evicted) = state.withLock { state -> (Bool, [Claim]) in
            claim.waitsSince = waitsSince
            guard !claim.isEvicted else { return (false, []) }
            let more = bytes - claim.bytes
            var evicted: [Claim] = []
            if more > 0 {
                evicted = makeRoom(for: more, of: claim.holder, besides: claim, &state, now)
                let own = state.shares[claim.holder]?.bytes ?? 0
                guard own + more <= share || own == claim.bytes, state.total + more <= whole else {
                    held.store(state.total, ordering: .relaxed)
                    return (false, evicted)
                }
            }
            state.change(claim, by: more)
            held.store(state.total, ordering: .relaxed)
            return (true, evicted)
        }
        for victim in evicted { victim.evict() }
        return isHeld
    }

    /// True if the holder's share has room for another request.
    func admits(_ holder: Holder, now: Instant = .now) -> Bool {
        // Then no share can be short.
        if held.load(ordering: .relaxed) + Self.oneAnswer <= share { return true }
        let (hasRoom, evicted) = state.withLock { state -> (Bool, [Claim]) in
            var evicted: [Claim] = []
            while (state.shares[holder]?.bytes ?? 0) + Self.oneAnswer > share {
                guard let victim = state.evictOne(of: holder, besides: nil, waitingBefore: now + -evictionTime) else {
                    return (false, evicted)
                }
                evicted.append(victim)
            }
            held.store(state.total, ordering: .relaxed)
            return (true, evicted)
        }
        for victim in evicted { victim.evict() }
        return hasRoom
    }

    private func makeRoom(
        for more: Int, of holder: Holder, besides asking: Claim, _ state: inout State, _ now: Instant
    ) -> [Claim] {
        var evicted: [Claim] = []
        let latest = now + -evictionTime
        while let own = state.shares[holder]?.bytes, own > asking.bytes, own + more > share,
            let victim = state.evictOne(of: holder, besides: asking, waitingBefore: latest)
        {
            evicted.append(victim)
        }
        while state.total + more > whole, let most = state.shares.max(by: { $0.value.bytes < $1.value.bytes }),
            most.key == holder || most.value.bytes > (state.shares[holder]?.bytes ?? 0) + more,
            let victim = state.evictOne(of: most.key, besides: asking, waitingBefore: latest)
        {
            evicted.append(victim)
        }
        return evicted
    }
}
