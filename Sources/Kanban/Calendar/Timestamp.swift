import JSON

/// An instant, in milliseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instants that have a text: the years 0001–9999 of UTC.
    package static let range =
        Timestamp(milliseconds: -62_135_596_800_000)...Timestamp(milliseconds: 253_402_300_799_999)

    package func adding(milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: self.milliseconds + milliseconds)
    }

    /// 00:00 UTC of a day.
    package init(startOfUTC day: Day) {
        milliseconds = Int64(day.number) * Self.millisecondsPerDay
    }

    package static let millisecondsPerDay: Int64 = 86_400_000
}

extension Timestamp: CustomStringConvertible {
    /// Reads an RFC 3339 date-time with any offset; `nil` for anything else. See ``parse(_:)``.
    package init?(rfc3339 text: String) {
        do {
            self = try Timestamp.parse(text)
        } catch {
            return nil
        }
    }

    /// Reads an RFC 3339 date-time: `t` and `z` in any case, any number of fractional digits (those after the third are
    /// cut off). A leap second (`23:59:60` UTC) is the instant after it, as on every POSIX clock.
    package static func parse(_ text: String) throws(DateFault) -> Timestamp {
        try DateScanner.read(text) { (scanner) throws(DateFault) in try scanner.instant() }
    }

    /// `2026-11-20T08:19:00.123Z`
    package var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            write(into: buffer)
            return Self.textLength
        }
    }

    package static let textLength = 24

    /// Writes the ``textLength`` characters of `2026-11-20T08:19:00.123Z`. Only for instants within ``range``.
    package func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        let (day, timeOfDay) = milliseconds.dividedFloor(by: Self.millisecondsPerDay)
        let time = UInt(timeOfDay)
        Day(number: Int(day)).write(into: text)
        text[10] = UInt8(ascii: "T")
        text.writeDigits(time / 3_600_000, 2, at: 11)
        text[13] = UInt8(ascii: ":")
        text.writeDigits(time / 60_000 % 60, 2, at: 14)
        text[16] = UInt8(ascii: ":")
        text.writeDigits(time / 1_000 % 60, 2, at: 17)
        text[19] = UInt8(ascii: ".")
        text.writeDigits(time % 1_000, 3, at: 20)
        text[23] = UInt8(ascii: "Z")
    }
}

extension DateScanner {
    /// An RFC 3339 date-time, in the order of its grammar (§5.6).
    mutating func instant() throws(DateFault) -> Timestamp {
        let day = try day()
        guard next == UInt8(ascii: "T") || next == UInt8(ascii: "t") else { throw .malformed }
        advance()
        let hour = try number(digits: 2)
        try expect(":")
        let minute = try number(digits: 2)
        try expect(":")
        let second = try number(digits: 2)
        let fraction = try fraction()
        let offset = try offset()
        guard hour <= 23, minute <= 59, second <= 60 else { throw .impossible }

        let minuteOfDay = hour * 60 + minute
        let seconds = day.number * 86_400 + (minuteOfDay - offset) * 60 + second
        // A leap second can only be at the end of a day in UTC (RFC 3339 §5.7).
        guard second < 60 || seconds % 86_400 == 0 else { throw .impossible }
        let instant = Timestamp(milliseconds: Int64(seconds) * 1_000 + (second < 60 ? fraction : 0))
        guard Timestamp.range.contains(instant) else { throw .outOfRange }
        return instant
    }

    /// Milliseconds, 0–999.
    private mutating func fraction() throws(DateFault) -> Int64 {
        guard next == UInt8(ascii: ".") else { return 0 }
        advance()
        var milliseconds: Int64 = 0
        var places = 0
        while let digit = digit() {
            if places < 3 { milliseconds = milliseconds * 10 + Int64(digit) }
            places += 1
        }
        guard places > 0 else { throw .malformed }
        for _ in min(places, 3)..<3 { milliseconds *= 10 }
        return milliseconds
    }

    /// Minutes east of UTC.
    private mutating func offset() throws(DateFault) -> Int {
        let sign: Int
        switch next {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            advance()
            return 0
        case UInt8(ascii: "+"): sign = 1
        case UInt8(ascii: "-"): sign = -1
        default: throw .malformed
        }
        advance()
        let hours = try number(digits: 2)
        try expect(":")
        let minutes = try number(digits: 2)
        guard hours <= 23, minutes <= 59 else { throw .impossible }
        return sign * (hours * 60 + minutes)
    }
}

extension Int64 {
    /// Quotient and remainder with the quotient rounded down, so that the remainder is never negative.
    func dividedFloor(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
