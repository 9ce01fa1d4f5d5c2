import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The longest time that one event, job or call blocked a loop. For benchmarks that look for work that does not belong on a
/// loop; reading the clocks costs more than many of the measured calls.
package final class LoopMeter: Sendable {
    private let wall = Atomic<Int64>(0)
    private let processor = Atomic<Int64>(0)

    package init() {}

    /// Wall time: includes waiting for a disk or a lock, and for other processes of a busy machine.
    package var longest: Duration { .nanoseconds(wall.load(ordering: .relaxed)) }

    /// Processor time, which other processes do not lengthen.
    package var longestOfProcessor: Duration { .nanoseconds(processor.load(ordering: .relaxed)) }

    func measure(_ work: () -> Void) {
        let start = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_THREAD_CPUTIME_ID))
        work()
        wall.max(Self.now(CLOCK_MONOTONIC) - start.0, ordering: .relaxed)
        processor.max(Self.now(CLOCK_THREAD_CPUTIME_ID) - start.1, ordering: .relaxed)
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
