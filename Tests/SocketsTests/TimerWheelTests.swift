import Testing

@testable import Sockets

struct TimerWheelTests {
    private final class Entry: Timed {}

    private let start = Instant(nanoseconds: 5_000_000_000)

    private func after(_ milliseconds: Int64) -> Instant {
        start + milliseconds * 1_000_000
    }

    @Test func `an entry comes out once, not before its time and at most a tick after it`() {
        var wheel = TimerWheel(now: start)
        let entry = Entry()
        wheel.schedule(entry, at: after(1000))

        #expect(wheel.advance(to: after(999)).isEmpty)
        #expect(wheel.advance(to: after(1000 + 67)).count == 1)
        #expect(wheel.advance(to: after(5000)).isEmpty)
        #expect(wheel.count == 0)
    }

    @Test func `an entry that is moved later comes out later`() {
        var wheel = TimerWheel(now: start)
        let entry = Entry()
        wheel.schedule(entry, at: after(1000))
        wheel.schedule(entry, at: after(3000))

        #expect(wheel.advance(to: after(2900)).isEmpty)
        #expect(wheel.advance(to: after(3100)).count == 1)
    }

    @Test func `an entry that is moved earlier comes out earlier`() {
        var wheel = TimerWheel(now: start)
        let entry = Entry()
        wheel.schedule(entry, at: after(60_000))
        wheel.schedule(entry, at: after(1000))

        #expect(wheel.advance(to: after(1100)).count == 1)
        #expect(wheel.advance(to: after(70_000)).isEmpty)
    }

    @Test func `what lies more than a turn ahead waits for its own turn`() {
        var wheel = TimerWheel(now: start)
        let entry = Entry()
        wheel.schedule(entry, at: after(200_000))

        var now: Int64 = 0
        while now < 199_900 {
            #expect(wheel.advance(to: after(now)).isEmpty)
            now += 50
        }
        #expect(wheel.advance(to: after(200_100)).count == 1)
    }

    @Test func `a clock that leaps leaves nothing behind`() {
        var wheel = TimerWheel(now: start)
        let entries = (1...500).map { _ in Entry() }
        for (index, entry) in entries.enumerated() { wheel.schedule(entry, at: after(Int64(index) * 400)) }

        #expect(wheel.advance(to: after(10_000_000)).count == 500)
        #expect(wheel.nextLook == nil)
    }

    @Test func `what is removed, or due never, does not come out`() {
        var wheel = TimerWheel(now: start)
        let entries = (0..<3).map { _ in Entry() }
        for entry in entries { wheel.schedule(entry, at: after(1000)) }
        wheel.remove(entries[0])
        wheel.remove(entries[0])
        wheel.schedule(entries[1], at: .distantFuture)

        let expired = wheel.advance(to: after(100_000))

        #expect(expired.map(ObjectIdentifier.init) == [ObjectIdentifier(entries[2])])
    }

    @Test func `the next look is never later than the first entry needs`() {
        var wheel = TimerWheel(now: start)
        let entries = (0..<200).map { _ in Entry() }
        for (index, entry) in entries.enumerated() {
            wheel.schedule(entry, at: after(Int64((index * 7919) % 150_000)))
        }

        var now = start
        var count = 0
        while let next = wheel.nextLook {
            now = max(next, now)
            let expired = wheel.advance(to: now)
            count += expired.count
        }

        #expect(count == 200)
        #expect(now <= after(150_000 + 67))
    }
}
