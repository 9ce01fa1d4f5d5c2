import KanbanAccess
import Testing

struct AttemptThrottleTests {
    private let start = ContinuousClock.now
    private let anna = AttemptThrottle.Key.account([1])
    private let home = AttemptThrottle.Key.address("192.0.2.1")

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `four failures hold nobody up, the fifth does until the first is a minute ago`() {
        var throttle = AttemptThrottle(most: 5)
        for second in 0..<4 { throttle.count([anna, home], at: after(Double(second))) }
        #expect(throttle.wait([anna, home], at: after(4)) == nil)

        throttle.count([anna, home], at: after(10))

        #expect(throttle.wait([anna, home], at: after(10)) == .seconds(50))
        #expect(throttle.wait([anna], at: after(59.5)) == .seconds(0.5))
        #expect(throttle.wait([anna, home], at: after(60)) == nil)
    }

    @Test func `the sixth failure counts from the second`() {
        var throttle = AttemptThrottle(most: 5)
        for second in 0..<5 { throttle.count([anna], at: after(Double(second * 10))) }

        throttle.count([anna], at: after(61))

        #expect(throttle.wait([anna], at: after(61)) == .seconds(9))
        #expect(throttle.wait([anna], at: after(70)) == nil)
    }

    @Test func `failures more than a minute apart never add up`() {
        var throttle = AttemptThrottle(most: 5)
        for round in 0..<100 { throttle.count([anna], at: after(Double(round) * 15.1)) }

        #expect(throttle.wait([anna], at: after(99 * 15.1)) == nil)
    }

    @Test func `an account is held up whatever the address, and an address whatever the account`() {
        var throttle = AttemptThrottle(most: 5)
        for guess in 0..<5 { throttle.count([anna, .address("192.0.2.\(guess)")], at: start) }
        for guess in 0..<5 { throttle.count([.account([UInt8(guess + 10)]), home], at: start) }

        #expect(throttle.wait([anna, .address("198.51.100.7")], at: start) != nil)
        #expect(throttle.wait([.account([99]), home], at: start) != nil)
        #expect(throttle.wait([.account([10]), .address("192.0.2.2")], at: start) == nil)
    }

    @Test func `old failures are forgotten once there are many keys, fresh ones never`() {
        var throttle = AttemptThrottle(most: 5)
        for key in 0..<5000 {
            throttle.count([.address("\(key)")], at: start)
        }
        for _ in 0..<5 { throttle.count([anna], at: after(30)) }

        for key in 5000..<10_000 { throttle.count([.address("\(key)")], at: after(70)) }

        #expect(throttle.wait([anna], at: after(70)) == .seconds(20))
        #expect(throttle.keyCount <= 5001)
    }

    @Test(.timeLimit(.minutes(10)))
    func `many keys with fresh failures do not make each attempt look at all of them`() {
        var throttle = AttemptThrottle(most: 5)
        for key in 0..<100_000 { throttle.count([.address("\(key)")], at: start) }
        #expect(throttle.keyCount == 100_000)

        for key in 100_000..<250_000 { throttle.count([.address("\(key)")], at: after(70)) }

        #expect(throttle.keyCount == 150_000)
    }

    @Test func `an attempt that has to wait does not count`() {
        var throttle = AttemptThrottle(most: 10)
        for second in 0..<10 { #expect(throttle.attempt([home], at: after(Double(second))) == nil) }

        for second in 10..<60 { #expect(throttle.attempt([home], at: after(Double(second))) != nil) }

        #expect(throttle.attempt([home], at: after(60)) == nil)
        #expect(throttle.attempt([home], at: after(60.5)) == .seconds(0.5))
    }
}
