import Testing
import Turns

struct FairQueueTests {
    private let busy = 1
    private let other = 2

    @Test func `accounts of which nothing runs go first, otherwise the order counts`() {
        var queue = FairQueue<Int, String>(limit: 2)
        for name in ["busy 1", "busy 2", "busy 3"] { queue.add(name, of: busy) }
        queue.add("other 1", of: other)

        #expect(queue.next() == "busy 1")
        #expect(queue.next() == "other 1")
        #expect(queue.next() == nil, "two run")
        queue.end(busy, cost: 1)
        #expect(queue.next() == "busy 2")
        queue.end(other, cost: 1)
        #expect(queue.next() == "busy 3")
        #expect(queue.count == 0)
    }

    @Test func `the account that was served least goes first`() {
        var queue = FairQueue<Int, String>(limit: 2)
        for number in 1...8 {
            queue.add("busy \(number)", of: busy)
            queue.add("other \(number)", of: other)
        }
        #expect(queue.next() == "busy 1")
        #expect(queue.next() == "other 1")
        queue.add("stranger", of: 3)

        queue.end(busy, cost: 100)

        #expect(queue.next() == "stranger", "and not the next of those with a backlog")
    }

    @Test func `an account that is long away saves up no turns, and one that is served is not passed over for ever`() {
        var queue = FairQueue<Int, Int>(limit: 1)
        var turns: [Int] = []
        for _ in 1...20 { queue.add(1, of: busy) }
        for number in 2...21 {
            // Each time a new account comes.
            queue.add(number, of: number)
            guard let next = queue.next() else { continue }
            turns.append(next)
            queue.end(next, cost: 10)
        }
        #expect(turns.count { $0 == 1 } >= 2)
    }

    @Test func `no more of one account run than may`() {
        var queue = FairQueue<Int, Int>(limit: 10, ofOneAccount: 2)
        for number in 1...3 { queue.add(number, of: busy) }

        #expect(queue.next() == 1)
        #expect(queue.next() == 2)
        #expect(queue.next() == nil)
        #expect(queue.count == 1)
        queue.end(busy, cost: 1)
        #expect(queue.next() == 3)
    }

    @Test func `a client that comes back does not wait for the jobs of others, but those with a backlog do`() {
        var queue = FairQueue<Int, String>(limit: 2, reserve: 1)
        let greedy = [1, 2, 3, 4]
        for account in greedy {
            for _ in 1...60 { queue.add("\(account)", of: account) }
        }
        var running: [Int] = []
        while let next = queue.next() { running += [Int(next)].compactMap(\.self) }
        #expect(running == Array(greedy.prefix(2)))

        let stranger = 5
        for round in 0..<10 {
            // Jobs of those with a backlog, as many as may run at a time.
            for _ in 0..<12 {
                queue.end(running.removeFirst(), cost: 100)
                while let next = queue.next() { running += [Int(next)].compactMap(\.self) }
            }
            #expect(running.count == 2, "round \(round)")
            queue.add("stranger", of: stranger)
            #expect(queue.next() == "stranger", "round \(round)")
            queue.add("stranger again", of: stranger)
            #expect(queue.next() == nil, "one of an account is enough")
            queue.end(stranger, cost: 10)
            #expect(queue.next() == "stranger again")
            #expect(queue.next() == nil)
            queue.end(stranger, cost: 10)
            // Nor after a job as dear as those of the others.
            queue.add("dear", of: stranger)
            #expect(queue.next() == "dear")
            queue.end(stranger, cost: 100)
            queue.add("cheap", of: stranger)
            #expect(queue.next() == "cheap", "round \(round)")
            queue.end(stranger, cost: 1)
        }
    }

    @Test func `what waits can be taken back, once`() {
        var queue = FairQueue<Int, Int>(limit: 1)
        #expect(queue.add(7, of: busy, ticket: 1) == nil)

        #expect(queue.remove(1) == 7)
        #expect(queue.remove(1) == nil)
        #expect(queue.next() == nil)
    }

    @Test func `all that waits can be taken back, and what runs stays`() {
        var queue = FairQueue<Int, Int>(limit: 1)
        for number in 1...3 { queue.add(number, of: busy) }
        #expect(queue.next() == 1)

        #expect(queue.removeWaiting() == [2, 3])
        #expect(queue.count == 0)
        queue.end(busy, cost: 1)
        #expect(queue.next() == nil)
    }
}

extension FairQueue {
    /// Without a limit of those that wait, and without a ticket to take it back by.
    fileprivate mutating func add(_ element: Element, of account: Account) {
        _ = add(element, of: account, ticket: 0)
    }
}
