/// How often a task comes back: the part of RFC 5545 §3.3.10 that to-do apps use, and `SKIP=BACKWARD` of RFC 7529 for
/// months that lack the day.
package struct RecurrenceRule: Hashable, Sendable {
    package enum Frequency: String, Sendable, CaseIterable {
        case daily = "DAILY"
        case weekly = "WEEKLY"
        case monthly = "MONTHLY"
        case yearly = "YEARLY"
    }

    /// A day of `BYDAY`.
    package struct WeekdayPart: Hashable, Sendable {
        package var weekday: Weekday
        /// Which of the month, or of the year: 2 is the second, -1 the last; `nil`: each.
        package var ordinal: Int?
    }

    package enum End: Hashable, Sendable {
        case never
        /// After this number of occurrences, the first included. The caller counts them; see ``next(after:from:)``.
        case count(Int)
        /// The last day or instant on which the rule may fall.
        case until(DueDate)
    }

    package let frequency: Frequency
    package private(set) var interval = 1
    package private(set) var weekdays: [WeekdayPart] = []
    /// 1–31, or -31 to -1 from the end of the month.
    package private(set) var monthDays: [Int] = []
    /// 1–12.
    package private(set) var months: [Int] = []
    /// 1 or -1: only the first or the last of the days of each period.
    package private(set) var position: Int?
    package private(set) var end = End.never
    package private(set) var weekStart = Weekday.monday
    /// In a month that lacks the day, the rule falls on the month's last.
    package private(set) var skipsBackward = false
    /// As it was given.
    package let text: String

    package static let longestText = 500
    package static let intervals = 1...1000
    package static let counts = 1...10_000
}

/// What is wrong with a text that should be a rule.
package struct RecurrenceFault: Error, Hashable {
    /// The name of the part: `BYDAY`.
    package var part: String
    /// What to change, in a sentence.
    package var detail: String
}

extension RecurrenceRule {
    /// Reads `FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD`.
    package init(parsing text: String) throws(RecurrenceFault) {
        let parts = try Self.parts(of: text)
        guard let word = parts["FREQ"] else {
            throw RecurrenceFault(part: "FREQ", detail: "A rule begins with FREQ, as in FREQ=WEEKLY;BYDAY=MO.")
        }
        guard let frequency = Frequency(rawValue: word) else {
            throw RecurrenceFault(part: "FREQ", detail: "FREQ takes DAILY, WEEKLY, MONTHLY or YEARLY.")
        }
        guard parts["COUNT"] == nil || parts["UNTIL"] == nil else {
            throw RecurrenceFault(part: "UNTIL", detail: "A rule ends by COUNT or by UNTIL, not by both.")
        }
        self.frequency = frequency
        self.text = text
        for (name, value) in parts.sorted(by: { $0.key < $1.key }) { try take(name, value) }
        try requireSense()
    }

    /// The parts by their names, in capitals: RFC 5545 §2 does not tell letters apart by case.
    private static func parts(of text: String) throws(RecurrenceFault) -> [String: String] {
        guard text.utf8.count <= longestText else {
            throw RecurrenceFault(part: "RRULE", detail: "A rule has at most \(longestText) bytes.")
        }
        var parts: [String: String] = [:]
        for part in text.split(separator: ";", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false).map { $0.uppercased() }
            guard sides.count == 2, part.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw RecurrenceFault(
                    part: "RRULE", detail: "A rule is written as NAME=VALUE;NAME=VALUE, such as FREQ=DAILY;INTERVAL=3.")
            }
            guard parts.updateValue(sides[1], forKey: sides[0]) == nil else {
                throw RecurrenceFault(part: sides[0], detail: "\(sides[0]) stands twice in the rule.")
            }
        }
        return parts
    }

    private mutating func take(_ name: String, _ value: String) throws(RecurrenceFault) {
        switch name {
        case "FREQ": break
        case "INTERVAL": interval = try Self.number(value, Self.intervals, of: name)
        case "COUNT": end = .count(try Self.number(value, Self.counts, of: name))
        case "UNTIL": end = .until(try Self.until(value))
        case "BYDAY": weekdays = try Self.list(value) { (text) throws(RecurrenceFault) in try Self.weekday(text) }
        case "BYMONTHDAY":
            monthDays = try Self.list(value) { (text) throws(RecurrenceFault) in
                try Self.number(text, -31...31, of: name, without: 0)
            }
        case "BYMONTH":
            months = try Self.list(value) { (text) throws(RecurrenceFault) in
                try Self.number(text, 1...12, of: name)
            }
        case "BYSETPOS": position = try Self.number(value, -1...1, of: name, without: 0)
        case "WKST":
            guard let weekday = Weekday(abbreviation: value) else {
                throw RecurrenceFault(part: name, detail: "WKST takes a day of the week: \(Weekday.abbreviations).")
            }
            weekStart = weekday
        case "SKIP":
            guard ["BACKWARD", "OMIT"].contains(value) else {
                throw RecurrenceFault(part: name, detail: "SKIP takes BACKWARD or OMIT.")
            }
            skipsBackward = value == "BACKWARD"
        default:
            throw RecurrenceFault(
                part: name,
                detail:
                    "Rules here know FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, UNTIL, COUNT, WKST and SKIP."
            )
        }
    }

    /// Combinations that RFC 5545 forbids, and rules that fall on no day.
    private func requireSense() throws(RecurrenceFault) {
        if frequency == .weekly, !monthDays.isEmpty {
            throw RecurrenceFault(part: "BYMONTHDAY", detail: "A weekly rule takes no BYMONTHDAY.")
        }
        if weekdays.contains(where: { $0.ordinal != nil }) {
            let most = frequency == .monthly || !months.isEmpty ? 5 : 53
            guard [.monthly, .yearly].contains(frequency) else {
                throw RecurrenceFault(
                    part: "BYDAY", detail: "Only monthly and yearly rules take a number before a day, as in 2TU.")
            }
            guard weekdays.allSatisfy({ abs($0.ordinal ?? 1) <= most }) else {
                throw RecurrenceFault(part: "BYDAY", detail: "The number before a day is at most \(most) here.")
            }
        }
        if position != nil, weekdays.isEmpty, monthDays.isEmpty, months.isEmpty {
            throw RecurrenceFault(part: "BYSETPOS", detail: "BYSETPOS chooses among the days of another BY part.")
        }
        let longest = months.isEmpty ? 31 : months.reduce(0) { max($0, Day.days(inMonth: $1, of: 2000)) }
        guard monthDays.isEmpty || monthDays.contains(where: { abs($0) <= longest || $0 > 0 && skipsBackward }) else {
            throw RecurrenceFault(part: "BYMONTHDAY", detail: "None of these months has such a day.")
        }
    }

    private static func list<Element>(
        _ text: String, _ element: (Substring) throws(RecurrenceFault) -> Element
    ) throws(RecurrenceFault) -> [Element] {
        var list: [Element] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) { list.append(try element(part)) }
        return list
    }

    private static func number(
        _ text: some StringProtocol, _ range: ClosedRange<Int>, of part: String, without missing: Int? = nil
    ) throws(RecurrenceFault) -> Int {
        // RFC 5545 §3.3.10: only what may be negative has a sign.
        guard let number = Int(text), range.contains(number), number != missing,
            range.lowerBound < 0 || text.utf8.first != UInt8(ascii: "+")
        else {
            let exception = missing.map { " but \($0)" } ?? ""
            throw RecurrenceFault(
                part: part, detail: "\(part) takes numbers from \(range.lowerBound) to \(range.upperBound)\(exception)."
            )
        }
        return number
    }

    /// `MO`, `2TU`, `-1FR`.
    private static func weekday(_ text: Substring) throws(RecurrenceFault) -> WeekdayPart {
        let number = text.dropLast(2)
        let ordinal = number.isEmpty ? nil : Int(number)
        guard let weekday = Weekday(abbreviation: text.suffix(2)), number.isEmpty || ordinal != nil, ordinal != 0 else {
            throw RecurrenceFault(
                part: "BYDAY", detail: "BYDAY takes days such as MO or, by their number, 2TU and -1FR.")
        }
        return WeekdayPart(weekday: weekday, ordinal: ordinal)
    }

    /// `20271231` or `20271231T150000Z`.
    private static func until(_ text: String) throws(RecurrenceFault) -> DueDate {
        let digits = Array(text)
        let date =
            "\(String(digits.prefix(4)))-\(String(digits.dropFirst(4).prefix(2)))-\(String(digits.dropFirst(6).prefix(2)))"
        if digits.count == 8, let day = Day(date) { return .day(day) }
        if digits.count == 16, digits[8] == "T", digits[15] == "Z" {
            let time = [9, 11, 13].map { String(digits[$0...($0 + 1)]) }.joined(separator: ":")
            if let due = DueDate("\(date)T\(time)Z") { return due }
        }
        throw RecurrenceFault(
            part: "UNTIL", detail: "UNTIL takes a day such as 20271231, or an instant such as 20271231T150000Z.")
    }
}

/// A day of the week; Monday is 0.
package enum Weekday: Int, Sendable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// The two letters of RFC 5545.
    package var abbreviation: String { Self.letters[rawValue] }

    package init?(abbreviation: some StringProtocol) {
        guard let index = Self.letters.firstIndex(where: { $0 == abbreviation }) else { return nil }
        self.init(rawValue: index)
    }

    static var abbreviations: String { letters.joined(separator: ", ") }
    private static let letters = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
}

extension Day {
    package var weekday: Weekday {
        // 1970-01-01 was a Thursday.
        Weekday(rawValue: ((number + 3) % 7 + 7) % 7) ?? .monday
    }
}
