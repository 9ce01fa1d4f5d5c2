import JSON

/// A day of the proleptic Gregorian calendar, without a time zone; 0 is 1970-01-01.
package struct Day: Hashable, Comparable, Sendable {
    package var number: Int

    package init(number: Int) {
        self.number = number
    }

    package static func < (left: Day, right: Day) -> Bool {
        left.number < right.number
    }

    /// The days that have a text: the years 0001–9999.
    package static let range = Day(number: -719_162)...Day(number: 2_932_896)

    /// How many days later `other` is; negative when it is earlier.
    package func days(until other: Day) -> Int {
        other.number - number
    }

    package func adding(days: Int) -> Day {
        Day(number: number + days)
    }
}

/// Year, month and day of the month; the arithmetic is Howard Hinnant's `days_from_civil` and `civil_from_days`, which
/// count in eras of 400 years that begin on the first of March.
extension Day {
    package struct Civil: Hashable, Sendable {
        package var year: Int
        /// 1–12.
        package var month: Int
        /// 1–31.
        package var day: Int
    }

    /// `nil` when the month has no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
        self.init(Civil(year: year, month: month, day: day))
    }

    /// The day of a valid date.
    package init(_ civil: Civil) {
        let year = civil.month <= 2 ? civil.year - 1 : civil.year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let monthFromMarch = (civil.month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + civil.day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        number = era * 146_097 + dayOfEra - 719_468
    }

    package var civil: Civil {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return Civil(year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month, day: day)
    }

    package var year: Int { civil.year }
    package var month: Int { civil.month }
    package var day: Int { civil.day }

    package static func isLeap(year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    package static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year: year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Day: CustomStringConvertible {
    /// Reads `YYYY-MM-DD` (RFC 3339 full-date), years 0001–9999; `nil` for anything else and for days that do not exist.
    package init?(_ text: String) {
        do {
            self = try Day.parse(text)
        } catch {
            return nil
        }
    }

    /// Reads `YYYY-MM-DD` (RFC 3339 full-date).
    package static func parse(_ text: String) throws(DateFault) -> Day {
        try DateScanner.read(text) { (scanner) throws(DateFault) in try scanner.day() }
    }

    /// `YYYY-MM-DD`.
    package var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            write(into: buffer)
            return Self.textLength
        }
    }

    package static let textLength = 10

    /// Writes the ``textLength`` characters of `YYYY-MM-DD`. Only for days within ``range``.
    package func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        let civil = civil
        text.writeDigits(UInt(bitPattern: civil.year), 4, at: 0)
        text[4] = UInt8(ascii: "-")
        text.writeDigits(UInt(bitPattern: civil.month), 2, at: 5)
        text[7] = UInt8(ascii: "-")
        text.writeDigits(UInt(bitPattern: civil.day), 2, at: 8)
    }
}
