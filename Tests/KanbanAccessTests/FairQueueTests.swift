import Kanban
import KanbanAccess
import Testing

struct FairQueueTests {
    private let busy = AccountKey(number: 1)
    private let other = AccountKey(number: 2)

    @Test func `accounts of which nothing runs go first, otherwise the order counts`() {
        var queue = FairQueue<String>(limit: 2)
        for name in ["busy 1", "busy 2", "busy 3"] { queue.add(name, of: busy, ticket: queue.makeTicket()) }
        queue.add("other 1", of: other, ticket: queue.makeTicket())

        #expect(queue.next()?.element == "busy 1")
        #expect(queue.next()?.element == "other 1")
        #expect(queue.next() == nil, "two run")
        queue.end(busy)
        #expect(queue.next()?.element == "busy 2")
        queue.end(other)
        #expect(queue.next()?.element == "busy 3")
        #expect(queue.count == 0)
    }

    @Test func `the account that was served least goes first`() {
        var queue = FairQueue<String>(limit: 2)
        for number in 1...8 {
            queue.add("busy \(number)", of: busy, ticket: queue.makeTicket())
            queue.add("other \(number)", of: other, ticket: queue.makeTicket())
        }
        #expect(queue.next()?.element == "busy 1")
        #expect(queue.next()?.element == "other 1")
        queue.add("stranger", of: AccountKey(number: 3), ticket: queue.makeTicket())

        queue.end(busy, cost: 100)

        #expect(queue.next()?.element == "stranger", "and not the next of those with a backlog")
    }

    @Test func `an account that is long away saves up no turns, and one that is served is not passed over for ever`() {
        var queue = FairQueue<Int64>(limit: 1)
        var turns: [Int64] = []
        for _ in 1...20 { queue.add(1, of: busy, ticket: queue.makeTicket()) }
        for number: Int64 in 2...21 {
            // Each time a new account comes.
            queue.add(number, of: AccountKey(number: number), ticket: queue.makeTicket())
            guard let next = queue.next() else { continue }
            turns.append(next.element)
            queue.end(next.account, cost: 10)
        }
        #expect(turns.count { $0 == 1 } >= 2)
    }

    @Test func `no more of one account run than may`() {
        var queue = FairQueue<Int>(limit: 10, ofOneAccount: 2)
        for number in 1...3 { queue.add(number, of: busy, ticket: queue.makeTicket()) }

        #expect(queue.next()?.element == 1)
        #expect(queue.next()?.element == 2)
        #expect(queue.next() == nil)
        #expect(queue.count(of: busy) == 1)
        queue.end(busy)
        #expect(queue.next()?.element == 3)
    }

    @Test func `who comes back does not wait for the jobs of others, but those with a backlog do`() {
        var queue = FairQueue<String>(limit: 2, reserve: 1)
        let greedy = (1...4).map { AccountKey(number: $0) }
        for account in greedy {
            for number in 1...60 { queue.add("\(account.number) \(number)", of: account, ticket: queue.makeTicket()) }
        }
        var running: [AccountKey] = []
        while let next = queue.next() { running.append(next.account) }
        #expect(running == Array(greedy.prefix(2)))

        let stranger = AccountKey(number: 5)
        for round in 0..<10 {
            // Jobs of those with a backlog, as many as may run at a time.
            for _ in 0..<12 {
                queue.end(running.removeFirst(), cost: 100)
                while let next = queue.next() { running.append(next.account) }
            }
            #expect(running.count == 2, "round \(round)")
            queue.add("stranger", of: stranger, ticket: queue.makeTicket())
            #expect(queue.next()?.element == "stranger", "round \(round)")
            queue.add("stranger again", of: stranger, ticket: queue.makeTicket())
            #expect(queue.next() == nil, "one of an account is enough")
            queue.end(stranger, cost: 10)
            #expect(queue.next()?.element == "stranger again")
            #expect(queue.next() == nil)
            queue.end(stranger, cost: 10)
            // Nor after a job as dear as those of the others.
            queue.add("dear", of: stranger, ticket: queue.makeTicket())
            #expect(queue.next()?.element == "dear")
            queue.end(stranger, cost: 100)
            queue.add("cheap", of: stranger, ticket: queue.makeTicket())
            #expect(queue.next()?.element == "cheap", "round \(round)")
            queue.end(stranger, cost: 1)
        }
    }

    @Test func `what waits can be taken back, once`() {
        var queue = FairQueue<Int>(limit: 1)
        let ticket = queue.makeTicket()
        queue.add(7, of: busy, ticket: ticket)

        #expect(queue.remove(ticket) == 7)
        #expect(queue.remove(ticket) == nil)
        #expect(queue.next() == nil)
    }

    @Test func `all that waits can be taken back, and what runs stays`() {
        var queue = FairQueue<Int>(limit: 1)
        for number in 1...3 { queue.add(number, of: busy, ticket: queue.makeTicket()) }
        #expect(queue.next()?.element == 1)

        #expect(queue.removeWaiting() == [2, 3])
        #expect(queue.count == 0)
        queue.end(busy)
        #expect(queue.next() == nil)
    }
}
