import Kanban

/// How a task comes back, as Todoist writes it in words: `every monday`, `every! 3 days`, `매주 금요일`, `毎月25日`. What is not
/// understood whole is not guessed.
enum ImportedRule {
    private static let english = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    static func read(_ text: String) -> Recurrence? {
        var words = text.lowercased().replacing(",", with: " ").split(whereSeparator: \.isWhitespace).map(String.init)
        guard let first = words.first else { return nil }
        let start: Recurrence.Start
        switch first {
        case "every", "ev": start = .due
        case "every!", "ev!", "after": start = .completion
        case "daily", "weekly", "monthly", "yearly":
            return words.count == 1 ? Recurrence(rule: "FREQ=\(first.uppercased())") : nil
        default: return asian(words.joined())
        }
        words.removeFirst()
        var interval = 1
        if let number = words.first.flatMap({ $0 == "other" ? 2 : Int($0) }), number > 0, words.count > 1 {
            interval = number
            words.removeFirst()
        }
        guard let rule = english(words, interval) else { return nil }
        return Recurrence(rule: rule, from: start)
    }

    private static func english(_ words: [String], _ interval: Int) -> String? {
        let every = interval > 1 ? ";INTERVAL=\(interval)" : ""
        if words.count == 1 {
            switch words[0] {
            case "day", "days": return "FREQ=DAILY\(every)"
            case "week", "weeks": return "FREQ=WEEKLY\(every)"
            case "month", "months": return "FREQ=MONTHLY\(every)"
            case "year", "years": return "FREQ=YEARLY\(every)"
            case "weekday",
                "workday" where interval == 1:
                return "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
            default: break
            }
            let digits = words[0].prefix { $0.isNumber }
            if interval == 1, let day = Int(digits), (1...31).contains(day),
                ["", "st", "nd", "rd", "th"].contains(words[0].dropFirst(digits.count))
            {
                return monthly(day)
            }
        }
        let days = words.filter { $0 != "and" }.map { word in
            english.firstIndex { word.hasPrefix($0) && "\($0)day tuesday wednesday thursday saturday".contains(word) }
        }
        guard !days.isEmpty, !days.contains(nil) else { return nil }
        return
            "FREQ=WEEKLY\(every);BYDAY=\(Set(days.compactMap(\.self)).sorted().map { names[$0] }.joined(separator: ","))"
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
        case "평일", "매평일", "平日", "毎平日": return Recurrence(rule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")
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

    /// Vikunja's number of seconds, where it is one of days.
    static func every(seconds: Int, mode: Int) -> Recurrence? {
        if mode == 1 { return Recurrence(rule: "FREQ=MONTHLY") }
        guard seconds > 0, seconds % 86_400 == 0 else { return nil }
        let days = seconds / 86_400
        let rule = days % 7 == 0 ? "FREQ=WEEKLY;INTERVAL=\(days / 7)" : "FREQ=DAILY;INTERVAL=\(days)"
        return Recurrence(rule: rule, from: mode == 2 ? .completion : .due)
    }
}

extension Recurrence {
    /// The first date of the rule that is not past.
    func first(from today: Day) -> DueDate? {
        guard let rule = parsed else { return nil }
        let before = today.adding(days: -1)
        return rule.next(after: before, from: before).map { .day($0) }
    }
}
