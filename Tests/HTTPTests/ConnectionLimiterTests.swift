import Testing

@testable import HTTP

struct ConnectionLimiterTests {
    @Test func `no more come in than the limit, and one for each that leaves`() {
        let limiter = ConnectionLimiter(total: 2, perAddress: nil, refusals: 256)

        #expect(limiter.enter("a"))
        #expect(limiter.enter("a"))
        #expect(!limiter.enter("b"))
        limiter.leave("a")
        #expect(limiter.enter("b"))
    }

    @Test func `an address has a limit of its own`() {
        let limiter = ConnectionLimiter(total: 10, perAddress: 1, refusals: 256)

        #expect(limiter.enter("a"))
        #expect(!limiter.enter("a"))
        #expect(limiter.enter("b"))
        limiter.leave("a")
        #expect(limiter.enter("a"))
    }

    @Test func `only so many are refused with words at the same time`() {
        let limiter = ConnectionLimiter(total: 0, perAddress: nil, refusals: 256)
        let told = (0..<1000).count { _ in limiter.mayRefuse() }

        #expect(told == 256)
        limiter.wasRefused()
        #expect(limiter.mayRefuse())
        #expect(!limiter.mayRefuse())
    }
}
