#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time at the start of a log line, RFC 3339 in UTC with milliseconds.
struct LogClock: Sendable {
    /// Seconds and nanoseconds since 1970.
    private let now: @Sendable () -> (seconds: Int, nanoseconds: Int)

    init(now: @escaping @Sendable () -> (seconds: Int, nanoseconds: Int) = LogClock.system) {
        self.now = now
    }

    func write(into bytes: inout [UInt8]) {
        let (seconds, nanoseconds) = now()
        var broken = tm()
        var time = time_t(seconds)
        gmtime_r(&time, &broken)
        append(Int(broken.tm_year) + 1900, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(Int(broken.tm_mon) + 1, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(Int(broken.tm_mday), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        append(Int(broken.tm_hour), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(Int(broken.tm_min), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(Int(broken.tm_sec), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        append(nanoseconds / 1_000_000, digits: 3, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    private func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    @Sendable static func system() -> (seconds: Int, nanoseconds: Int) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return (time.tv_sec, time.tv_nsec)
    }
}
