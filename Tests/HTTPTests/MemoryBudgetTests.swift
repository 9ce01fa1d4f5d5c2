import Locks
import Sockets
import Testing

@testable import HTTP

struct MemoryBudgetTests {
    private let budget = MemoryBudget(whole: 1_000, share: 400, evictionTime: .milliseconds(500))
    private let now = Instant(nanoseconds: 60_000_000_000)
    private let evicted = Locked<[String]>([])

    private func claim(_ name: String, of number: Int64) -> MemoryBudget.Claim {
        MemoryBudget.Claim(of: .account(number)) { [evicted] in evicted.withLock { $0.append(name) } }
    }

    private func hold(_ bytes: Int, _ claim: MemoryBudget.Claim, waits seconds: Int64? = nil) -> Bool {
        budget.hold(bytes, for: claim, waitsSince: seconds.map { now + $0 * -1_000_000_000 }, now: now)
    }

    private var names: [String] { evicted.withLock { $0 } }

    @Test func `one holder has its share, and another one too`() {
        let (first, second, other) = (claim("first", of: 1), claim("second", of: 1), claim("other", of: 2))

        #expect(hold(300, first))
        #expect(!hold(101, second))
        #expect(hold(100, second))
        #expect(hold(400, other))
        #expect(budget.bytesHeld == 800)
    }

    @Test func `what is larger than a share is let in when its holder has nothing else`() {
        let (large, small) = (claim("large", of: 1), claim("small", of: 1))

        #expect(hold(900, large))
        #expect(!hold(1, small))
        #expect(hold(0, large) && hold(1, small) && !hold(900, large))
    }

    @Test func `all together have the whole`() {
        for number in 1...2 { #expect(hold(400, claim("\(number)", of: Int64(number)))) }

        #expect(!hold(201, claim("third", of: 3)))
        #expect(hold(200, claim("fourth", of: 4)))
    }

    @Test func `when a share is short, its connection that waits longest goes first`() {
        let (busy, long, longer) = (claim("busy", of: 1), claim("long", of: 1), claim("longer", of: 1))
        #expect(hold(100, busy) && hold(150, long, waits: 5) && hold(150, longer, waits: 9))
        #expect(hold(100, claim("other", of: 2), waits: 20))

        #expect(hold(120, claim("new", of: 1)))
        #expect(names == ["longer"])
        #expect(!hold(160, longer))
        #expect(budget.bytesHeld == 470)
    }

    @Test func `a connection that waits for a moment is not slow`() {
        let (first, new) = (claim("first", of: 1), claim("new", of: 1))
        #expect(budget.hold(300, for: first, waitsSince: now + -100_000_000, now: now))

        #expect(!hold(200, new))
        #expect(names.isEmpty)
    }

    @Test func `when all is taken, those go first who have most`() {
        for number in 1...2 {
            #expect(hold(300, claim("\(number) a", of: Int64(number)), waits: Int64(number)))
            #expect(hold(100, claim("\(number) b", of: Int64(number)), waits: 20))
        }
        #expect(hold(200, claim("small", of: 3), waits: 60))

        #expect(hold(150, claim("new", of: 4)))
        #expect(names.count == 2 && Set(names).isSubset(of: ["1 b", "2 b"]))
    }

    @Test func `nobody makes those go who have less`() {
        let small = claim("small", of: 3)
        for number in 1...2 { #expect(hold(390, claim("\(number)", of: Int64(number)))) }
        #expect(hold(200, small, waits: 60))

        #expect(!hold(300, claim("new", of: 4)))
        #expect(names.isEmpty)
    }
}
