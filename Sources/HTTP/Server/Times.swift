import Sockets

/// The time-outs of ``Limits`` in the unit that every request reckons with: nanoseconds.
struct Times: Sendable {
    let idle: Int64
    let head: Int64
    let bodyIdle: Int64
    let nanosecondsPerBodyByte: Int64
    let write: Int64
    let linger: Int64

    init(_ limits: Limits) {
        idle = limits.idleTime.inNanoseconds
        head = limits.headTime.inNanoseconds
        bodyIdle = limits.bodyIdleTime.inNanoseconds
        nanosecondsPerBodyByte = 1_000_000_000 / Int64(max(1, limits.leastBodyRate))
        write = limits.writeTime.inNanoseconds
        linger = limits.lingerTime.inNanoseconds
    }

    /// Whichever comes first: too long without a byte, or too slow on the whole.
    func bodyDeadline(since: Instant, lastProgress: Instant, received: Int) -> Instant {
        min(lastProgress + bodyIdle, since + bodyIdle + Int64(clamping: received) * nanosecondsPerBodyByte)
    }
}
