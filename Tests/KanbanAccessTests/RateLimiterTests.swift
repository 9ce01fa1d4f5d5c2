import Kanban
import KanbanAccess
import Testing

struct RateLimiterTests {
    private let start = ContinuousClock.now
    private let anna = RateLimiter.Key.account(AccountKey(number: 7))

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `a burst is let through, one more is not, and says when it would be`() {
        var limiter = RateLimiter(RateLimit(perSecond: 50, burst: 200))

        let verdicts = (0..<201).map { _ in limiter.take(anna, at: start) }

        #expect(verdicts.prefix(200).allSatisfy { $0.isAllowed })
        #expect(verdicts.prefix(200).map(\.remaining) == (0..<200).reversed())
        #expect(!verdicts[200].isAllowed)
        #expect(verdicts[200].untilNext == .milliseconds(20))
    }

    @Test func `servers that share a limit allow as much together as one alone`() {
        var limiters = [
            RateLimiter(RateLimit(perSecond: 50, burst: 200)), RateLimiter(RateLimit(perSecond: 50, burst: 200)),
        ]
        for index in limiters.indices { limiters[index].share(among: 2) }
        func allowed(of requests: Int, at now: ContinuousClock.Instant) -> Int {
            (0..<requests).count { limiters[$0 % 2].take(anna, at: now).isAllowed }
        }

        #expect(limiters[0].take(anna, at: start).remaining == 198)
        #expect(1 + allowed(of: 300, at: start) == 200)
        #expect(limiters[1].take(anna, at: start).remaining == 0)
        #expect(allowed(of: 300, at: after(1)) == 50)
        limiters[0].share(among: 1)
        #expect((0..<300).count { _ in limiters[0].take(anna, at: after(1000)).isAllowed } == 200)
    }

    @Test func `each of more servers than a burst has requests allows one`() {
        var limiter = RateLimiter(RateLimit(perSecond: 1, burst: 2))
        limiter.share(among: 5)

        #expect(limiter.take(anna, at: start).isAllowed)
        #expect(!limiter.take(anna, at: start).isAllowed)
        #expect(limiter.take(anna, at: after(5)).isAllowed)
    }

    @Test func `after the burst the rate holds, exactly`() {
        var limiter = RateLimiter(RateLimit(perSecond: 50, burst: 200))

        var allowed = 0
        for tick in 0..<10_000 where limiter.take(anna, at: start + .milliseconds(tick)).isAllowed { allowed += 1 }

        #expect(allowed == 200 + 499)
    }

    @Test func `a pause fills the bucket, and never more than that`() {
        var limiter = RateLimiter(RateLimit(perSecond: 10, burst: 5))
        for _ in 0..<5 { _ = limiter.take(anna, at: start) }

        #expect(limiter.take(anna, at: after(0.2)).remaining == 1)
        #expect(limiter.take(anna, at: after(3600)).remaining == 4)
    }

    @Test func `one who asks too much is no trouble for another`() {
        var limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1))
        for _ in 0..<1000 { _ = limiter.take(anna, at: start) }

        #expect(limiter.take(.address("192.0.2.1"), at: start).isAllowed)
        #expect(limiter.take(.account(AccountKey(number: 8)), at: start).isAllowed)
    }

    @Test func `a refused request costs nothing`() {
        var limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1))
        for _ in 0..<1000 { _ = limiter.take(anna, at: start) }

        #expect(limiter.take(anna, at: after(1)).isAllowed)
    }
}
