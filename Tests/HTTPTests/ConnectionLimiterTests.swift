import Testing

@testable import HTTP

struct ConnectionLimiterTests {
    @Test func `no more come in than the limit, and one for each that leaves`() {
        let limiter = ConnectionLimiter(total: 2, perAddress: nil, refusals: 256)

        #expect(limiter.enter("a") == .admitted)
        #expect(limiter.enter("b") == .admitted)
        #expect(limiter.enter("b") == .refused)
        limiter.leave("a")
        #expect(limiter.enter("b") == .admitted)
    }

    @Test func `when all places are taken, one of the network with most is closed`() {
        let limiter = ConnectionLimiter(total: 5, perAddress: nil, refusals: 256)
        for host in ["a", "a", "a", "a", "b"] { #expect(limiter.enter(host) == .admitted) }

        #expect(limiter.enter("a") == .refused)
        #expect(limiter.enter("b") == .instead(of: "a"))
        limiter.leave("a")
        #expect(limiter.enter("c") == .instead(of: "a"))
    }

    @Test func `only few come in beyond the limit, while the others end`() {
        let limiter = ConnectionLimiter(total: 200, perAddress: nil, refusals: 256)
        for _ in 0..<200 { _ = limiter.enter("a") }

        let entries = (0..<100).map { limiter.enter("\($0)") }

        #expect(entries.count { $0 == .instead(of: "a") } == 64)
        #expect(entries.last == .refused)
    }

    @Test func `an address has a limit of its own`() {
        let limiter = ConnectionLimiter(total: 10, perAddress: 1, refusals: 256)

        #expect(limiter.enter("a") == .admitted)
        #expect(limiter.enter("a") == .refused)
        #expect(limiter.enter("b") == .admitted)
        // Behind a proxy are many clients.
        #expect(limiter.enter("a", isShared: true) == .admitted)
        limiter.leave("a")
        limiter.leave("a")
        #expect(limiter.enter("a") == .admitted)
    }

    @Test func `only a limited number is refused with words at the same time`() {
        let limiter = ConnectionLimiter(total: 0, perAddress: nil, refusals: 256)
        let refused = (0..<1000).count { _ in limiter.mayRefuse() }

        #expect(refused == 256)
        limiter.wasRefused()
        #expect(limiter.mayRefuse())
        #expect(!limiter.mayRefuse())
    }
}
