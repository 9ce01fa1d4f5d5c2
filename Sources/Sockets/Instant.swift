#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An instant of the monotonic clock, in nanoseconds. Every request reads, adds and compares several, and
/// `ContinuousClock.Instant` is slower at each.
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

    // The default that uses `<` calls through a witness table.
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

    /// Cheaper than a `Duration`, whose 128 bits need a division in software for any unit.
    package func microseconds(since start: Instant) -> Int {
        Int((nanoseconds - start.nanoseconds) / 1_000)
    }

    package static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// Rounded down, and clamped to the range of an `Int64` (292 years).
    package var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows ? (whole < 0 ? .min : .max) : sum
    }
}
