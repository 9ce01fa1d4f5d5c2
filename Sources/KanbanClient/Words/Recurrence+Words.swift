import Kanban

extension Recurrence {
    /// In words: `every other week on Mon, Thu`, `매월 31일`, `毎月31日`. A rule that this version does not know is shown as it is.
    public func words(in language: Language = .preferred) -> String {
        guard let parsed = try? RecurrenceRule(parsing: rule) else { return rule }
        return RuleWords(parsed, from: from, language).text
    }
}

/// A rule as a phrase: how often, on which days, until when.
private struct RuleWords {
    private let rule: RecurrenceRule
    private let language: Language
    private let isAfterCompletion: Bool

    init(_ rule: RecurrenceRule, from: Recurrence.Start, _ language: Language) {
        self.rule = rule
        self.language = language
        isAfterCompletion = from == .completion
    }

    var text: String {
        let parts =
            isAfterCompletion && days == nil
            ? afterCompletion : [often, days].compactMap(\.self).joined(separator: gap)
        return parts + end
    }

    private func choose(_ en: String, _ ko: String, _ ja: String) -> String { Words(en, ko, ja).text(in: language) }

    /// Between how often and when. A day of each month needs none: `매월 31일`, `毎月31日`.
    private var gap: String {
        switch language {
        case .en: " on "
        case .ko: " "
        case .ja: rule.interval == 1 ? "" : "の"
        }
    }

    // MARK: - How often

    private var often: String {
        let n = rule.interval
        switch rule.frequency {
        case .daily: return every(n, "day", ("매일", "\(n)일마다"), ("毎日", "\(n)日ごと"))
        case .weekly: return every(n, "week", ("매주", n == 2 ? "격주" : "\(n)주마다"), ("毎週", n == 2 ? "隔週" : "\(n)週間ごと"))
        case .monthly: return every(n, "month", ("매월", "\(n)개월마다"), ("毎月", "\(n)か月ごと"))
        case .yearly: return every(n, "year", ("매년", "\(n)년마다"), ("毎年", "\(n)年ごと"))
        }
    }

    private func every(
        _ n: Int, _ unit: String, _ ko: (one: String, many: String), _ ja: (one: String, many: String)
    ) -> String {
        let en = n == 1 ? "every \(unit)" : n == 2 ? "every other \(unit)" : "every \(n) \(unit)s"
        return n == 1 ? choose(en, ko.one, ja.one) : choose(en, ko.many, ja.many)
    }

    private var afterCompletion: String {
        let n = rule.interval
        let (en, ko, ja) =
            switch rule.frequency {
            case .daily: ("day", "일", "日")
            case .weekly: ("week", "주", "週間")
            case .monthly: ("month", "개월", "か月")
            case .yearly: ("year", "년", "年")
            }
        return choose("\(n) \(en)\(n == 1 ? "" : "s") after completion", "완료 \(n)\(ko) 후", "完了の\(n)\(ja)後")
    }

    // MARK: - On which days

    /// `nil`: on that of the due date.
    private var days: String? {
        let dates = rule.monthDays.map(date)
        let weekdays = rule.weekdays.map(weekday)
        let months = rule.months.map { choose(Self.months[$0 - 1], "\($0)월", "\($0)月") }
        guard !(dates + weekdays + months).isEmpty else { return nil }
        let among =
            dates.isEmpty
            ? list(weekdays) : list(dates) + (weekdays.isEmpty ? "" : choose(", ", ", ", "・") + list(weekdays))
        let chosen =
            switch rule.position {
            case nil: among
            case 1: choose("the first of \(among)", "\(among) 중 첫날", "\(among)の最初")
            default: choose("the last of \(among)", "\(among) 중 마지막 날", "\(among)の最後")
            }
        guard !months.isEmpty else { return chosen }
        if among.isEmpty { return list(months) }
        return choose("\(chosen) of \(list(months))", "\(list(months)) \(chosen)", "\(list(months))\(chosen)")
    }

    private func list(_ words: [String]) -> String { words.joined(separator: choose(", ", ", ", "・")) }

    private func date(_ day: Int) -> String {
        switch day {
        case -1: choose("the last day", "마지막 날", "末日")
        case ..<0: choose("the \(ordinal(-day)) to last day", "끝에서 \(-day)번째 날", "末日から\(-day)日目")
        default: choose("the \(ordinal(day))", "\(day)일", "\(day)日")
        }
    }

    private func weekday(_ part: RecurrenceRule.WeekdayPart) -> String {
        let index = part.weekday.rawValue
        let ko = Array("월화수목금토일")[index]
        let ja = Array("月火水木金土日")[index]
        let en = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][index]
        switch part.ordinal {
        case nil: return choose(en, "\(ko)", "\(ja)")
        case -1: return choose("the last \(en)", "마지막 \(ko)요일", "最終\(ja)曜日")
        case let number? where number < 0:
            return choose(
                "the \(ordinal(-number)) to last \(en)", "끝에서 \(-number)번째 \(ko)요일", "最後から\(-number)番目の\(ja)曜日")
        case let number?: return choose("the \(ordinal(number)) \(en)", "\(number)번째 \(ko)요일", "第\(number)\(ja)曜日")
        }
    }

    private func ordinal(_ number: Int) -> String {
        switch (number % 100, number % 10) {
        case (11...13, _): "\(number)th"
        case (_, 1): "\(number)st"
        case (_, 2): "\(number)nd"
        case (_, 3): "\(number)rd"
        default: "\(number)th"
        }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    // MARK: - Until when

    private var end: String {
        switch rule.end {
        case .never: return ""
        case .count(let count): return choose(", \(count) times", ", \(count)회", "、\(count)回")
        case .until(let last):
            let day = String(last.text.prefix(10))
            return choose(", until \(day)", ", \(day)까지", "、\(day)まで")
        }
    }
}
