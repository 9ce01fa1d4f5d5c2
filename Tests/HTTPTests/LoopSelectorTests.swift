import Sockets
import Testing

@testable import HTTP

struct LoopSelectorTests {
    private var selector = LoopSelector()
    private var loads = [0, 0]
    private var now = Instant(nanoseconds: 0)

    /// Connects once, after a pause.
    private mutating func connect(
        _ network: String, on processor: Int32 = 0, after pause: Duration = .microseconds(20)
    ) -> Int {
        now = now + pause
        let loop = selector.loop(for: network, on: processor, at: now, loads: loads)
        loads[loop] += 1
        return loop
    }

    @Test mutating func `clients that come one by one are spread evenly`() {
        for number in 0..<100 { _ = connect("10.0.0.\(number)") }

        #expect(loads == [50, 50])
    }

    @Test mutating func `a burst stays together, and the next one goes elsewhere`() {
        let first = (0..<20).map { _ in connect("10.0.0.1") }
        let later = connect("10.0.0.1", after: .milliseconds(5))
        let second = (0..<19).map { _ in connect("10.0.0.1") }

        #expect(Set(first) == [0])
        #expect(later == 1 && Set(second) == [1])
    }

    @Test mutating func `two bursts at a time stay apart by the processors on which they arrive`() {
        for _ in 0..<20 {
            #expect(connect("10.0.0.1", on: 3) == 0)
            #expect(connect("10.0.0.1", on: 5) == 1)
        }
    }

    @Test mutating func `no burst makes the loops more unequal than the bound`() {
        var greatest = 0
        for _ in 0..<1_000 {
            _ = connect("10.0.0.1")
            greatest = max(greatest, abs(loads[0] - loads[1]))
        }

        #expect(greatest == LoopSelector.lead)
    }
}
