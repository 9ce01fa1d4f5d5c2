import Kanban
import KanbanAPI
import Locks
import TestSupport
import Testing

struct DoorbellTests {
    let doorbell = Doorbell(grain: .milliseconds(5))
    let later = ContinuousClock.now + .seconds(3_600)

    @Test func `a ring wakes everyone who listens to the account, and nobody else`() async throws {
        let (mine, other) = (AccountKey(number: 1), AccountKey(number: 2))
        let stranger = Task { [doorbell, later] in
            let subscription = doorbell.subscribe(to: other)
            return await subscription.wait(after: subscription.rings, until: later)
        }
        let woken = try await withThrowingTaskGroup { group in
            for _ in 0..<1_000 {
                group.addTask {
                    let subscription = doorbell.subscribe(to: mine)
                    return await subscription.wait(after: subscription.rings, until: later)
                }
            }
            try await until("all wait") { doorbell.waiterCount == 1_001 }
            doorbell.ring(mine)
            return try await group.reduce(into: 0) { $0 += $1 == .rang ? 1 : 0 }
        }

        #expect(woken == 1_000)
        #expect(doorbell.waiterCount == 1)
        stranger.cancel()
        #expect(await stranger.value == .cancelled)
    }

    @Test func `a ring between reading and waiting is not lost, and many are one`() async {
        let subscription = doorbell.subscribe(to: .local)
        let seen = subscription.rings

        doorbell.ring([.local, .local])
        doorbell.ring(.local)

        #expect(await subscription.wait(after: seen, until: later) == .rang)
        #expect(await subscription.wait(after: subscription.rings, until: .now) == .timeUp)
    }

    @Test func `counts never repeat when listeners come and go`() {
        let first = doorbell.subscribe(to: .local)
        doorbell.ring(.local)
        let seen = first.rings
        withExtendedLifetime(first) {}

        doorbell.ring(AccountKey(number: 2))
        doorbell.ring(.local)

        #expect(doorbell.subscribe(to: .local).rings > seen)
    }

    @Test func `each gets its time, whoever waits first`() async {
        await withTaskGroup { group in
            for delay in [60, 20, 40] {
                group.addTask {
                    let due = ContinuousClock.now + .milliseconds(delay)
                    let subscription = doorbell.subscribe(to: .local)
                    #expect(await subscription.wait(after: subscription.rings, until: due) == .timeUp)
                    #expect(ContinuousClock.now >= due)
                }
            }
        }
    }

    @Test func `closing wakes everyone for good`() async throws {
        let waiting = Task { [doorbell, later] in
            let subscription = doorbell.subscribe(to: .local)
            return await subscription.wait(after: subscription.rings, until: later)
        }
        try await until("it waits") { doorbell.waiterCount == 1 }

        doorbell.close()

        #expect(await waiting.value == .closed)
        let subscription = doorbell.subscribe(to: .local)
        #expect(await subscription.wait(after: subscription.rings, until: later) == .closed)
    }

    @Test func `one who wants to be called is called at each ring and at the end, for as long as it listens`() {
        let calls = Locked(0)
        let other = Locked(0)
        let stays = doorbell.subscribe(to: .local) { calls.withLock { $0 += 1 } }
        var leaves: Doorbell.Subscription? = doorbell.subscribe(to: .local) { other.withLock { $0 += 1 } }

        doorbell.ring(.local)
        doorbell.ring(AccountKey(number: 2))
        withExtendedLifetime(leaves) {}
        leaves = nil
        doorbell.ring(.local)
        doorbell.close()

        #expect(calls.withLock { $0 } == 3)
        #expect(other.withLock { $0 } == 1)
        #expect(stays.isClosed)
    }

    @Test func `one that is cancelled before it waits does not wait`() async {
        let task = Task { [doorbell, later] in
            // A cancelled sleep returns at once, which is what this waits for.
            try? await Task.sleep(for: .seconds(3_600))
            let subscription = doorbell.subscribe(to: .local)
            return await subscription.wait(after: subscription.rings, until: later)
        }
        task.cancel()

        #expect(await task.value == .cancelled)
        #expect(doorbell.waiterCount == 0)
    }
}
