#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The `Date` field's value (IMF-fixdate, RFC 9110 §5.6.7), made once a second. Belongs to one loop.
struct HTTPDate {
    private var second = -1
    /// `Fri, 20 Nov 2026 10:13:02 GMT`, 29 bytes and three more. Inline, because each answer copies it.
    private(set) var bytes = SIMD32<UInt8>()
    static let count = 29

    /// Brings `bytes` up to date.
    ///
    /// - Parameter second: since 1970, UTC.
    mutating func update(to second: Int = time(nil)) {
        guard second != self.second else { return }
        self.second = second
        for (index, byte) in Self.format(second).prefix(Self.count).enumerated() { bytes[index] = byte }
    }

    static func format(_ second: Int) -> [UInt8] {
        var moment = time_t(second)
        var parts = tm()
        gmtime_r(&moment, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let date = "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + Int(parts.tm_year))"
        let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return Array("\(days[Int(parts.tm_wday)]), \(date) \(time) GMT".utf8)
    }

    private static func two(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
