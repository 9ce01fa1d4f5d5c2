import JSON
import Kanban

/// How a task comes back when it is completed: `.weekly([.mon, .thu], every: 2)`. It needs a due date, from which it counts.
public struct Recurrence: Hashable, Sendable, Codable {
    public enum Start: String, Hashable, Sendable, Codable {
        /// The dates of the rule, wherever the task is completed.
        case due
        /// The day on which it is completed.
        case completion
    }

    /// A rule of RFC 5545: `FREQ=WEEKLY;BYDAY=MO,TH`.
    public var rule: String
    /// What the next date counts from.
    public var from: Start
    /// An IANA name; `nil` is the time zone of the settings.
    public var timeZone: String?

    /// For rules that have no function here.
    public init(rule: String, from: Start = .due, timeZone: String? = nil) {
        self.rule = rule
        self.from = from
        self.timeZone = timeZone
    }
}

public enum Weekday: String, Hashable, Sendable, CaseIterable, Codable {
    case mon, tue, wed, thu, fri, sat, sun

    fileprivate var code: String { rawValue.prefix(2).uppercased() }
}

extension Recurrence {
    public static func daily(every interval: Int = 1) -> Recurrence {
        Recurrence("DAILY", every: interval)
    }

    /// - Parameter days: none: that of the due date.
    public static func weekly(_ days: [Weekday] = [], every interval: Int = 1) -> Recurrence {
        let days = days.isEmpty ? nil : days.map(\.code).joined(separator: ",")
        return Recurrence("WEEKLY", every: interval, [("BYDAY", days)])
    }

    /// - Parameter day: 1–31, in a short month its last; -1 is the last. `nil`: that of the due date.
    public static func monthly(on day: Int? = nil, every interval: Int = 1) -> Recurrence {
        Recurrence("MONTHLY", every: interval, [("BYMONTHDAY", day.map(String.init)), ("SKIP", Self.skip(day))])
    }

    /// - Parameter number: which of the month: 2 is the second, -1 the last.
    public static func monthly(_ number: Int, _ day: Weekday, every interval: Int = 1) -> Recurrence {
        Recurrence("MONTHLY", every: interval, [("BYDAY", "\(number)\(day.code)")])
    }

    /// On the day of the due date; 29 February is the 28th in other years.
    public static func yearly(every interval: Int = 1) -> Recurrence {
        Recurrence("YEARLY", every: interval, [("SKIP", "BACKWARD")])
    }

    /// `days` days after each completion.
    public static func afterCompletion(days: Int) -> Recurrence {
        Recurrence("DAILY", every: days, from: .completion)
    }

    public static func afterCompletion(weeks: Int) -> Recurrence {
        Recurrence("WEEKLY", every: weeks, from: .completion)
    }

    public static func afterCompletion(months: Int) -> Recurrence {
        Recurrence("MONTHLY", every: months, [("SKIP", "BACKWARD")], from: .completion)
    }

    /// The same until a day, which is the last possible one.
    public func until(_ last: Day) -> Recurrence {
        ending("UNTIL=\(last.description.filter { $0 != "-" })")
    }

    /// The same, ending after `count` tasks, the first included.
    public func times(_ count: Int) -> Recurrence {
        ending("COUNT=\(count)")
    }

    private func ending(_ end: String) -> Recurrence {
        let parts = rule.split(separator: ";").map(String.init)
            .filter { !$0.hasPrefix("UNTIL=") && !$0.hasPrefix("COUNT=") }
        return Recurrence(rule: (parts + [end]).joined(separator: ";"), from: from, timeZone: timeZone)
    }

    private static func skip(_ day: Int?) -> String? { day.map { $0 > 28 } ?? true ? "BACKWARD" : nil }

    private init(
        _ frequency: String, every interval: Int, _ parts: [(name: String, value: String?)] = [], from: Start = .due
    ) {
        let interval = interval == 1 ? nil : String(interval)
        let all = [("FREQ", frequency), ("INTERVAL", interval)] + parts
        self.init(
            rule: all.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: ";"), from: from)
    }
}

extension Recurrence {
    init(_ recurrence: Kanban.Recurrence) {
        self.init(
            rule: recurrence.rule, from: recurrence.from == .due ? .due : .completion, timeZone: recurrence.timeZone)
    }

    init?(shown json: JSON) {
        guard let recurrence = Kanban.Recurrence(.json(json)) else { return nil }
        self.init(recurrence)
    }

    var json: JSON {
        ["rule": .string(rule), "from": .string(from.rawValue), "timeZone": .init(optional: timeZone)]
    }
}
