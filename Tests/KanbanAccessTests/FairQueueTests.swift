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
