#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A moment of the machine's monotonic clock, in nanoseconds: cheaper to read, add and compare than
/// `ContinuousClock.Instant`, which every request would do several times.
package struct Instant: Comparable, Hashable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    package static let distantFuture = Instant(nanoseconds: .max)

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    // The one that follows from `<` goes through a table of functions.
    package static func >= (left: Instant, right: Instant) -> Bool {
        left.nanoseconds >= right.nanoseconds
    }

    package static func + (instant: Instant, nanoseconds: Int64) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? .distantFuture : Instant(nanoseconds: sum)
    }

    package static func + (instant: Instant, duration: Duration) -> Instant {
        instant + duration.inNanoseconds
    }

    /// Cheaper than a `Duration`, whose 128 bits take a division in software to be told in any unit.
    package func microseconds(since start: Instant) -> Int {
        Int((nanoseconds - start.nanoseconds) / 1_000)
    }

    package static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// Rounded down; as long as an `Int64` can say (292 years) when it is longer.
    package var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows ? (whole < 0 ? .min : .max) : sum
    }
}
