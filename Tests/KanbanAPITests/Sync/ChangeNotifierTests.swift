import Kanban
import KanbanAPI
import Locks
import TestSupport
import Testing

struct ChangeNotifierTests {
    let notifier = ChangeNotifier(grain: .milliseconds(5))
    let later = ContinuousClock.now + .seconds(3_600)

    @Test func `a notification wakes everyone who listens to the account, and nobody else`() async throws {
        let (mine, other) = (AccountKey(number: 1), AccountKey(number: 2))
        let stranger = Task { [notifier, later] in
            let subscription = notifier.subscribe(to: other)
            return await subscription.wait(after: subscription.count, until: later)
        }
        let woken = try await withThrowingTaskGroup { group in
            for _ in 0..<1_000 {
                group.addTask {
                    let subscription = notifier.subscribe(to: mine)
                    return await subscription.wait(after: subscription.count, until: later)
                }
            }
            try await until("all wait") { notifier.waiterCount == 1_001 }
            notifier.notify(mine)
            return try await group.reduce(into: 0) { $0 += $1 == .notified ? 1 : 0 }
        }

        #expect(woken == 1_000)
        #expect(notifier.waiterCount == 1)
        stranger.cancel()
        #expect(await stranger.value == .cancelled)
    }

    @Test func `a notification between reading and waiting is not lost, and many are one`() async {
        let subscription = notifier.subscribe(to: .local)
        let seen = subscription.count

        notifier.notify([.local, .local])
        notifier.notify(.local)

        #expect(await subscription.wait(after: seen, until: later) == .notified)
        #expect(await subscription.wait(after: subscription.count, until: .now) == .timeUp)
    }

    @Test func `counts never repeat when listeners come and go`() {
        let first = notifier.subscribe(to: .local)
        notifier.notify(.local)
        let seen = first.count
        withExtendedLifetime(first) {}

        notifier.notify(AccountKey(number: 2))
        notifier.notify(.local)

        #expect(notifier.subscribe(to: .local).count > seen)
    }

    @Test func `each wait lasts its own time, in any order`() async {
        await withTaskGroup { group in
            for delay in [60, 20, 40] {
                group.addTask {
                    let due = ContinuousClock.now + .milliseconds(delay)
                    let subscription = notifier.subscribe(to: .local)
                    #expect(await subscription.wait(after: subscription.count, until: due) == .timeUp)
                    #expect(ContinuousClock.now >= due)
                }
            }
        }
    }

    @Test func `closing wakes everyone for good`() async throws {
        let waiting = Task { [notifier, later] in
            let subscription = notifier.subscribe(to: .local)
            return await subscription.wait(after: subscription.count, until: later)
        }
        try await until("it waits") { notifier.waiterCount == 1 }

        notifier.close()

        #expect(await waiting.value == .closed)
        let subscription = notifier.subscribe(to: .local)
        #expect(await subscription.wait(after: subscription.count, until: later) == .closed)
    }

    @Test func `one who wants to be called is called at each notification and at the end, for as long as it listens`() {
        let calls = Locked(0)
        let other = Locked(0)
        let stays = notifier.subscribe(to: .local) { calls.withLock { $0 += 1 } }
        var leaves: ChangeNotifier.Subscription? = notifier.subscribe(to: .local) { other.withLock { $0 += 1 } }

        notifier.notify(.local)
        notifier.notify(AccountKey(number: 2))
        withExtendedLifetime(leaves) {}
        leaves = nil
        notifier.notify(.local)
        notifier.close()

        #expect(calls.withLock { $0 } == 3)
        #expect(other.withLock { $0 } == 1)
        #expect(stays.isClosed)
    }

    @Test func `one that is cancelled before it waits does not wait`() async {
        let task = Task { [notifier, later] in
            // A cancelled sleep returns at once, which is what this waits for.
            try? await Task.sleep(for: .seconds(3_600))
            let subscription = notifier.subscribe(to: .local)
            return await subscription.wait(after: subscription.count, until: later)
        }
        task.cancel()

        #expect(await task.value == .cancelled)
        #expect(notifier.waiterCount == 0)
    }
}
