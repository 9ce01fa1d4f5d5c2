import Kanban

/// How a task comes back, as Todoist writes it in words: `every monday at 9am`, `every! 3 days`, `매주 금요일`, `毎月25日`. What is
/// not understood whole is not guessed.
struct ImportedRule {
    var recurrence: Recurrence
    /// The day from which it counts, if it says one.
    var start: Day?
    /// The last day on which it may fall, if it says one.
    var end: Day?
    /// The time of day, in milliseconds since midnight.
    var time: Int64?

    private static let english = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    private static let workdays = "BYDAY=MO,TU,WE,TH,FR"
    private static let adverbs = ["daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"]
    /// Which of a month's, as in `3rd friday`; -1 is the last one.
    private static let ordinals = [
        "1st": 1, "first": 1, "2nd": 2, "second": 2, "3rd": 3, "third": 3, "4th": 4, "fourth": 4, "5th": 5, "fifth": 5,
        "last": -1,
    ]

    static func read(_ text: String) -> ImportedRule? {
        var words = text.lowercased().replacing(",", with: " ").split(whereSeparator: \.isWhitespace).map(String.init)
        guard let first = words.first else { return nil }
        var from = Recurrence.Start.due
        switch first {
        case "every", "ev": words.removeFirst()
        case "every!", "ev!", "after":
            from = .completion
            words.removeFirst()
        default:
            guard let unit = adverbs[first] else { return asian(words.joined()).map { ImportedRule(recurrence: $0) } }
            words[0] = unit
        }
        guard let clauses = clauses(of: &words) else { return nil }
        var interval = 1
        if let number = words.first.flatMap({ $0 == "other" ? 2 : Int($0) }),
            RecurrenceRule.intervals.contains(number), words.count > 1,
            // Not that of `29 feb`.
            ImportedDate.month(words[1]) == nil
        {
            interval = number
            words.removeFirst()
        }
        guard var rule = english(words, interval) else { return nil }
        if let last = clauses.until { rule += ";UNTIL=\(last.description.filter { $0 != "-" })" }
        return ImportedRule(
            recurrence: Recurrence(rule: rule, from: from), start: clauses.start, end: clauses.until, time: clauses.time
        )
    }

    /// Takes `at 9am`, `starting 2026-12-24` and `until 2027-01-01` off the end.
    /// - Returns: `nil` where one of them is not understood.
    private static func clauses(of words: inout [String]) -> (time: Int64?, start: Day?, until: Day?)? {
        let keys = ["at": "at", "starting": "start", "from": "start", "until": "until", "ending": "until"]
        var found: [String: [String]] = [:]
        while let index = words.lastIndex(where: { keys[$0] != nil }), let key = keys[words[index]] {
            guard found.updateValue(Array(words[(index + 1)...]), forKey: key) == nil else { return nil }
            words.removeSubrange(index...)
        }
        // Todoist takes times without "at", too.
        if found["at"] == nil, words.count > 1, let last = words.last,
            last.contains(":") || last.hasSuffix("am") || last.hasSuffix("pm"), time([last]) != nil
        {
            found["at"] = [words.removeLast()]
        }
        let (clock, first, last) = (found["at"].map(time), found["start"].map(day), found["until"].map(day))
        guard clock != .some(nil), first != .some(nil), last != .some(nil) else { return nil }
        return (clock ?? nil, first ?? nil, last ?? nil)
    }

    /// `9`, `9am`, `9:30 pm`, `18:00`.
    private static func time(_ words: [String]) -> Int64? {
        let text = words.joined()
        let half = ["am", "pm"].first { text.hasSuffix($0) }
        let parts = text.dropLast(half?.count ?? 0).split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ $0.count <= 2 && $0.allSatisfy(\.isNumber) }),
            parts.count == 1 || parts[1].count == 2, var hour = Int(parts[0]),
            let minute = parts.count == 1 ? 0 : Int(parts[1]), minute < 60,
            half == nil ? hour < 24 : (1...12).contains(hour)
        else { return nil }
        if let half { hour = hour % 12 + (half == "pm" ? 12 : 0) }
        return Int64(hour * 60 + minute) * 60_000
    }

    private static func day(_ words: [String]) -> Day? {
        if case .day(let day) = ImportedDate(zone: .utc).read(words.joined(separator: " ")) { day } else { nil }
    }

    private static func english(_ words: [String], _ interval: Int) -> String? {
        let every = interval > 1 ? ";INTERVAL=\(interval)" : ""
        if words.count == 1 {
            switch words[0] {
            case "day", "days": return "FREQ=DAILY\(every)"
            case "week", "weeks": return "FREQ=WEEKLY\(every)"
            case "month", "months": return "FREQ=MONTHLY\(every)"
            case "quarter", "quarters": return "FREQ=MONTHLY;INTERVAL=\(3 * interval)"
            case "year", "years": return "FREQ=YEARLY\(every)"
            case "weekday" where interval == 1, "workday" where interval == 1: return "FREQ=WEEKLY;\(workdays)"
            default: break
            }
        }
        if interval == 1, let rule = ofMonth(words) { return rule }
        let days = words.filter { $0 != "and" }.map(weekday)
        guard !days.isEmpty, !days.contains(nil) else { return nil }
        return
            "FREQ=WEEKLY\(every);BYDAY=\(Set(days.compactMap(\.self)).sorted().map { names[$0] }.joined(separator: ","))"
    }

    /// Monday is 0.
    private static func weekday(_ word: String) -> Int? {
        english.firstIndex { word.hasPrefix($0) && "\($0)day tuesday wednesday thursday saturday".contains(word) }
    }

    /// `25th`, `3rd friday`, `last day of the month`, `jan 1`, `1st of january`.
    private static func ofMonth(_ words: [String]) -> String? {
        var words = words
        var isWhole = false
        for end in [["of", "the", "month"], ["of", "every", "month"], ["of", "each", "month"], ["of", "month"]]
        where words.count > end.count && Array(words.suffix(end.count)) == end {
            words.removeLast(end.count)
            isWhole = true
            break
        }
        if words.count == 1 { return dayOfMonth(words[0]).map(monthly) }
        words.removeAll { $0 == "of" }
        guard words.count == 2 else { return nil }
        if let ordinal = ordinals[words[0]] {
            switch words[1] {
            case "day" where ordinal == -1: return "FREQ=MONTHLY;BYMONTHDAY=-1"
            // Alone, `2nd day` is every other day.
            case "day" where isWhole: return monthly(ordinal)
            case "weekday" where abs(ordinal) == 1, "workday" where abs(ordinal) == 1:
                return "FREQ=MONTHLY;\(workdays);BYSETPOS=\(ordinal)"
            default:
                if let day = weekday(words[1]) { return "FREQ=MONTHLY;BYDAY=\(ordinal)\(names[day])" }
            }
        }
        for (name, number) in [(words[0], words[1]), (words[1], words[0])] {
            guard let month = ImportedDate.month(name), let day = dayOfMonth(number),
                day <= Day.days(inMonth: month, of: 2000)
            else { continue }
            let leap = month == 2 && day == 29 ? ";SKIP=BACKWARD" : ""
            return "FREQ=YEARLY;BYMONTH=\(month);BYMONTHDAY=\(day)\(leap)"
        }
        return nil
    }

    /// `25` and `25th`.
    private static func dayOfMonth(_ word: String) -> Int? {
        let digits = word.prefix { $0.isNumber }
        guard let day = Int(digits), (1...31).contains(day),
            ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count))
        else { return nil }
        return day
    }

    /// A month without the day has it on its last one.
    private static func monthly(_ day: Int) -> String {
        "FREQ=MONTHLY;BYMONTHDAY=\(day)\(day > 28 ? ";SKIP=BACKWARD" : "")"
    }

    /// Korean and Japanese, without spaces.
    private static func asian(_ text: String) -> Recurrence? {
        switch text {
        case "매일", "毎日": return Recurrence(rule: "FREQ=DAILY")
        case "매주", "毎週": return Recurrence(rule: "FREQ=WEEKLY")
        case "매월", "매달", "毎月": return Recurrence(rule: "FREQ=MONTHLY")
        case "매년", "毎年": return Recurrence(rule: "FREQ=YEARLY")
        case "평일", "매평일", "平日", "毎平日": return Recurrence(rule: "FREQ=WEEKLY;\(workdays)")
        default: break
        }
        if let rest = rest(of: text, after: ["매주", "毎週"]) {
            let letters = Array(["월화수목금토일", "月火水木金土日"][text.hasPrefix("매") ? 0 : 1])
            let days = rest.replacing("요일", with: "").replacing("曜日", with: "").replacing("曜", with: "")
                .filter { !"・、·".contains($0) }.map { letters.firstIndex(of: $0) }
            guard !days.isEmpty, !days.contains(nil) else { return nil }
            let list = Set(days.compactMap(\.self)).sorted().map { names[$0] }.joined(separator: ",")
            return Recurrence(rule: "FREQ=WEEKLY;BYDAY=\(list)")
        }
        if let rest = rest(of: text, after: ["매월", "매달", "毎月"]), let end = rest.last, "일日".contains(end),
            let day = Int(rest.dropLast()), (1...31).contains(day)
        {
            return Recurrence(rule: monthly(day))
        }
        return nil
    }

    private static func rest(of text: String, after beginnings: [String]) -> Substring? {
        beginnings.first { text.hasPrefix($0) }.map { text.dropFirst($0.count) }
    }

    /// A rule that names no day, from one that not every month or year has, which is kept: others have their last day then.
    static func keeping(_ day: Day, in rule: String) -> String {
        let (month, day) = (day.civil.month, day.civil.day)
        guard !rule.contains("BY"), day > 28 else { return rule }
        if rule.hasPrefix("FREQ=MONTHLY") { return "\(rule);BYMONTHDAY=\(day);SKIP=BACKWARD" }
        guard rule.hasPrefix("FREQ=YEARLY"), month == 2 else { return rule }
        return "\(rule);BYMONTH=2;BYMONTHDAY=29;SKIP=BACKWARD"
    }

    /// Vikunja's number of seconds, where it is one of days.
    static func every(seconds: Int, mode: Int, from due: Day) -> Recurrence? {
        if mode == 1 { return Recurrence(rule: keeping(due, in: "FREQ=MONTHLY")) }
        guard seconds > 0, seconds % 86_400 == 0 else { return nil }
        let days = seconds / 86_400
        let (unit, interval) = days % 7 == 0 ? ("WEEKLY", days / 7) : ("DAILY", days)
        guard RecurrenceRule.intervals.contains(interval) else { return nil }
        return Recurrence(rule: "FREQ=\(unit);INTERVAL=\(interval)", from: mode == 2 ? .completion : .due)
    }
}

extension ImportedRule {
    /// The first date of the rule that is not past; `nil` when it is over.
    func first(from today: Day, in zone: Zone) -> DueDate? {
        let before = max(today, start ?? today).adding(days: -1)
        guard let rule = recurrence.parsed,
            let first = rule.next(after: .day(before), from: .day(start ?? today), in: zone)
        else { return nil }
        return timed(first, in: zone)
    }

    /// The last date of a rule that is over; `nil` when it has no end, or no date before it.
    func last(in zone: Zone) -> DueDate? {
        guard let rule = recurrence.parsed, let end else { return nil }
        // The latest dates are few, however far back the first of them is.
        for span in [7, 31, 366, 4 * 366] {
            let from = max(end.adding(days: -span), start ?? Day.range.lowerBound)
            var last = rule.next(after: .day(from.adding(days: -1)), from: .day(start ?? from), in: zone)
            while let known = last, let next = rule.next(after: known, from: .day(start ?? from), in: zone) {
                last = next
            }
            if let last { return timed(last, in: zone) }
        }
        return nil
    }

    private func timed(_ date: DueDate, in zone: Zone) -> DueDate {
        guard let time else { return date }
        return .instant(date.alarm(in: zone, allDayTime: time))
    }
}
