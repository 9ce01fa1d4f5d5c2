import Kanban
import Testing

@testable import KanbanPostgres

/// The order of the jobs of a lane.
struct LaneQueueTests {
    private final class Job: LaneJob {
        let account: AccountKey
        let name: String
        let session: ID? = nil
        let needs = WriteNeeds()
        let due = ContinuousClock.now

        init(_ name: String) {
            self.name = name
            account = AccountKey(number: Int64(name.utf8.first ?? 0))
        }

        func run(on writer: PostgresBoardWriter) {}
        func fail(_ error: any Error) {}
        func answer() {}
        func answer(failure: any Error) {}
    }

    private let now = ContinuousClock.now

    /// - Parameter names: of jobs; the first letter is the account.
    private func queue(_ names: [String]) -> LaneQueue {
        var queue = LaneQueue()
        for name in names { queue.append(Job(name)) }
        return queue
    }

    private func names(_ jobs: [any LaneJob]?) -> [String]? {
        jobs?.compactMap { ($0 as? Job)?.name }
    }

    @Test func `what is too much of an account goes behind the others`() {
        var queue = queue(["a1", "a2", "b1", "a3"])

        #expect(names(queue.take(accounts: 1, atMost: 2, at: now)) == ["a1", "a2"])
        #expect(names(queue.take(accounts: 16, atMost: 64, at: now)) == ["b1", "a3"])
        #expect(queue.take(accounts: 16, atMost: 64, at: now) == nil)
    }

    @Test func `a held account goes alone and behind the others, in its order`() {
        var queue = queue(["a1", "b1"])
        let taken = queue.take(accounts: 16, atMost: 64, at: now) ?? []
        queue.append(Job("a2"))
        queue.append(Job("c1"))

        queue.putBehind(taken.filter { $0.account == Job("a").account }, until: now)

        #expect(names(queue.take(accounts: 16, atMost: 64, at: now)) == ["c1"])
        #expect(names(queue.take(accounts: 16, atMost: 64, at: now)) == ["a1", "a2"])
    }

    @Test func `while others wait, a held account rests`() {
        var queue = queue(["a1"])
        let taken = queue.take(accounts: 16, atMost: 64, at: now) ?? []
        queue.putBehind(taken, until: now + .seconds(1))
        queue.append(Job("b1"))

        #expect(names(queue.take(accounts: 16, atMost: 64, at: now)) == ["b1"])
        queue.append(Job("b2"))
        #expect(names(queue.take(accounts: 16, atMost: 64, at: now + .seconds(1))) == ["a1"])
        queue.putBehind(taken, until: now + .seconds(2))
        #expect(names(queue.take(accounts: 16, atMost: 64, at: now + .seconds(1))) == ["b2"])
        // With nothing else to do the lane waits for the lock.
        #expect(names(queue.take(accounts: 16, atMost: 64, at: now + .seconds(1))) == ["a1"])
    }
}
