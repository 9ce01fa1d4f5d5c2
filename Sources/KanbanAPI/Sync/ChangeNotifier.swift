import Dispatch
import Kanban
import Locks

/// Wakes subscribers when something of an account changed, without saying what.
///
/// It holds no changes: the store keeps them in order, and a subscriber reads on from its own cursor. Notifications are
/// counted, and a subscriber passes the last count that it saw when it waits. So a notification between reading and waiting
/// is never lost, and several become one while the subscriber is busy.
package final class ChangeNotifier: Sendable {
    /// Why a wait ended.
    package enum Wake: Hashable, Sendable {
        /// There was a notification.
        case notified
        case timeUp
        /// The server stops: there will be no more notifications.
        case closed
        /// The waiting task was cancelled.
        case cancelled
    }

    private struct Waiter {
        let continuation: UnsafeContinuation<Wake, Never>
        let due: ContinuousClock.Instant
    }

    private struct Entry {
        /// The number of the last notification.
        var count: UInt64
        var subscriptions = 0
        var waiting: [UInt64: Waiter] = [:]
        /// Callbacks, by the numbers of their subscriptions.
        var callbacks: [UInt64: @Sendable () -> Void] = [:]
    }

    private struct State {
        /// The notifications of all accounts together, so that the count of an account never repeats.
        var count: UInt64 = 0
        var entries: [AccountKey: Entry] = [:]
        var nextNumber: UInt64 = 0
        var isClosed = false
        /// When the timer fires next; `nil` when nobody waits.
        var nextLook: ContinuousClock.Instant?
    }

    /// Time-outs are late by up to this much, so that thousands of waiters share one timer.
    private let grain: Duration
    private let state = Locked(State())
    private let clock = DispatchQueue(label: "kanbase.change-notifier")

    package init(grain: Duration = .milliseconds(250)) {
        self.grain = grain
    }

    /// Wakes all subscribers of these accounts. Call it after the commit and before its answers.
    package func notify(_ accounts: [AccountKey]) {
        for account in accounts { notify(account) }
    }

    package func notify(_ account: AccountKey) {
        let notified = state.withLock { state -> Entry? in
            state.count += 1
            guard let index = state.entries.index(forKey: account) else { return nil }
            state.entries.values[index].count = state.count
            let entry = state.entries.values[index]
            state.entries.values[index].waiting = [:]
            return entry
        }
        guard let notified else { return }
        for onNotify in notified.callbacks.values { onNotify() }
        for waiter in notified.waiting.values { waiter.continuation.resume(returning: .notified) }
    }

    /// Wakes all subscribers of all accounts.
    package func notifyAll() {
        for account in state.withLock({ Array($0.entries.keys) }) { notify(account) }
    }

    /// Wakes all subscribers. No notification follows.
    package func close() {
        let entries = state.withLock { state in
            state.isClosed = true
            let entries = Array(state.entries.values)
            for key in state.entries.keys { state.entries[key]?.waiting = [:] }
            return entries
        }
        for onNotify in entries.flatMap(\.callbacks.values) { onNotify() }
        for waiter in entries.flatMap(\.waiting.values) { waiter.continuation.resume(returning: .closed) }
    }

    /// - Parameter onNotify: called at each notification and when the notifier is closed, on the thread that notifies. It
    ///   must not block, and must not call the notifier.
    package func subscribe(to account: AccountKey, onNotify: (@Sendable () -> Void)? = nil) -> Subscription {
        let number = state.withLock { state in
            state.nextNumber += 1
            state.entries[account, default: Entry(count: state.count)].subscriptions += 1
            state.entries[account]?.callbacks[state.nextNumber] = onNotify
            return state.nextNumber
        }
        return Subscription(notifier: self, account: account, number: number)
    }

    /// The accounts that somebody is subscribed to.
    package var subscribedAccounts: [AccountKey] {
        state.withLock { Array($0.entries.keys) }
    }

    /// The number of waiters, for tests.
    package var waiterCount: Int {
        state.withLock { $0.entries.values.reduce(0) { $0 + $1.waiting.count } }
    }

    /// A subscription to the changes of an account; it ends when it is released.
    package final class Subscription: Sendable {
        private let notifier: ChangeNotifier
        private let account: AccountKey
        private let number: UInt64

        fileprivate init(notifier: ChangeNotifier, account: AccountKey, number: UInt64) {
            self.notifier = notifier
            self.account = account
            self.number = number
        }

        deinit {
            notifier.leave(account, number)
        }

        /// The number of notifications. Read it before the store: later commits raise it.
        package var count: UInt64 {
            notifier.count(of: account)
        }

        /// The server stops: there will be no more notifications.
        package var isClosed: Bool {
            notifier.state.withLock { $0.isClosed }
        }

        /// Returns at the first notification after `seen`; at once when there was one already.
        package func wait(after seen: UInt64, until due: ContinuousClock.Instant) async -> Wake {
            await notifier.wait(account, after: seen, until: due)
        }
    }

    private func count(of account: AccountKey) -> UInt64 {
        state.withLock { $0.entries[account]?.count ?? $0.count }
    }

    private func leave(_ account: AccountKey, _ number: UInt64) {
        state.withLock { state in
            state.entries[account]?.callbacks[number] = nil
            state.entries[account]?.subscriptions -= 1
            if state.entries[account]?.subscriptions == 0 { state.entries[account] = nil }
        }
    }

    // MARK: - Waiting

    private func wait(_ account: AccountKey, after seen: UInt64, until due: ContinuousClock.Instant) async -> Wake {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            // An unsafe continuation, because it is smaller and a server may hold thousands. The code that removes a
            // waiter from the list resumes it, once.
            await withUnsafeContinuation { continuation in
                let waiter = Waiter(continuation: continuation, due: due)
                if let wake = begin(waiter, number, account, after: seen) { continuation.resume(returning: wake) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.entries[account]?.waiting.removeValue(forKey: number) }
            waiter?.continuation.resume(returning: .cancelled)
        }
    }

    /// Adds the waiter, unless there is nothing to wait for.
    private func begin(_ waiter: Waiter, _ number: UInt64, _ account: AccountKey, after seen: UInt64) -> Wake? {
        let (wake, look) = state.withLock { state -> (Wake?, ContinuousClock.Instant?) in
            if state.isClosed { return (.closed, nil) }
            // Cancelled before it was added: the cancellation handler has run already and found nothing.
            if Task.isCancelled { return (.cancelled, nil) }
            if state.entries[account]?.count != seen { return (.notified, nil) }
            state.entries[account]?.waiting[number] = waiter
            guard state.nextLook.map({ waiter.due < $0 }) ?? true else { return (nil, nil) }
            state.nextLook = waiter.due
            return (nil, waiter.due)
        }
        if let look { schedule(look) }
        return wake
    }

    private func schedule(_ look: ContinuousClock.Instant) {
        let delay = max(.zero, look - .now)
        let nanoseconds = delay.components.seconds * 1_000_000_000 + delay.components.attoseconds / 1_000_000_000
        clock.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in self?.lookAtClock(look) }
    }

    /// Wakes the waiters whose time is up, and schedules the next look.
    private func lookAtClock(_ look: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let (due, next) = state.withLock { state -> ([Waiter], ContinuousClock.Instant?) in
            // An earlier look was scheduled in the meantime; that one continues.
            guard state.nextLook == look else { return ([], nil) }
            var due: [Waiter] = []
            var earliest: ContinuousClock.Instant?
            for account in Array(state.entries.keys) {
                for (number, waiter) in state.entries[account]?.waiting ?? [:] {
                    if waiter.due <= now {
                        due.append(waiter)
                        state.entries[account]?.waiting[number] = nil
                    } else {
                        earliest = min(earliest ?? waiter.due, waiter.due)
                    }
                }
            }
            state.nextLook = earliest.map { max($0, now + grain) }
            return (due, state.nextLook)
        }
        for waiter in due { waiter.continuation.resume(returning: .timeUp) }
        if let next { schedule(next) }
    }
}
