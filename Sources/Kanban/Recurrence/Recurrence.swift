import JSON

/// The member `recurrence` of a task: how it comes back.
///
/// By reference: a task without one is copied at the price of a null pointer.
package final class Recurrence: Sendable {
    /// What the next date counts from.
    package enum Start: String, Sendable, CaseIterable {
        /// The dates of the rule, wherever the task is completed.
        case due
        /// The day on which the task is completed.
        case completion
    }

    /// A ``RecurrenceRule``, as it was given.
    package let rule: String
    package let from: Start
    /// `nil`: that of the account.
    package let timeZone: String?

    package init(rule: String, from: Start = .due, timeZone: String? = nil) {
        self.rule = rule
        self.from = from
        self.timeZone = timeZone
    }
}

extension Recurrence: Hashable {
    package static func == (left: Recurrence, right: Recurrence) -> Bool {
        left.rule.isSpelled(like: right.rule) && left.from == right.from && left.timeZone == right.timeZone
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(rule)
        hasher.combine(from)
        hasher.combine(timeZone)
    }
}

extension Recurrence: MemberRepresentable {
    package convenience init?(_ value: MemberValue) {
        guard case .json(let json) = value, let rule = json["rule"]?.stringValue else { return nil }
        self.init(
            rule: rule, from: json["from"]?.stringValue.flatMap(Start.init(rawValue:)) ?? .due,
            timeZone: json["timeZone"]?.stringValue)
    }

    package var json: JSON {
        ["rule": .string(rule), "from": .string(from.rawValue), "timeZone": timeZone.map { .string($0) } ?? .null]
    }

    package var memberValue: MemberValue { .json(json) }
}

/// What a body says of a recurrence; `nil` leaves a part as it is.
package struct RecurrenceEdit: Hashable, Sendable {
    package var rule: String?
    package var from: Recurrence.Start?
    package var timeZone: String??

    package init(rule: String? = nil, from: Recurrence.Start? = nil, timeZone: String?? = nil) {
        self.rule = rule
        self.from = from
        self.timeZone = timeZone
    }

    package init(_ whole: Recurrence) {
        self.init(rule: whole.rule, from: whole.from, timeZone: .some(whole.timeZone))
    }

    /// The recurrence that it makes of an older one; `nil` without a rule.
    package func applied(to old: Recurrence?) -> Recurrence? {
        guard let rule = rule ?? old?.rule else { return nil }
        return Recurrence(rule: rule, from: from ?? old?.from ?? .due, timeZone: timeZone ?? old?.timeZone)
    }
}

/// The place of a task among those that came of one rule. It stays when the rule has gone on to the successor.
package struct Series: Hashable, Sendable {
    /// Mostly the id of the first task.
    package var id: ID
    /// From 1 on.
    package var occurrence: Int
    /// The due date from which the rule counts: a short month or a change of clocks must not shift what comes after it.
    package var start: DueDate

    /// The most ids that may be used up between two occurrences.
    static let mostTaken = 100

    package init(id: ID, occurrence: Int, start: DueDate) {
        self.id = id
        self.occurrence = occurrence
        self.start = start
    }

    /// The id of the task of an occurrence: each device that completes the one before makes the same.
    package func id(of occurrence: Int) -> ID { ID(name: String(occurrence), in: id) }
}

/// In the row.
extension Series: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .json(let json) = value, let id = json["id"]?.stringValue.flatMap({ ID($0) }),
            let occurrence = json["occurrence"]?.intValue,
            let start = json["start"]?.stringValue.flatMap({ DueDate($0) })
        else { return nil }
        self.init(id: id, occurrence: occurrence, start: start)
    }

    package var json: JSON {
        ["id": .string(id.description), "occurrence": JSON(occurrence), "start": .string(start.text)]
    }

    package var memberValue: MemberValue { .json(json) }

    /// Of the members `seriesId`, `occurrence` and `seriesStart` of a task as the API shows it.
    package init?(shown json: JSON) {
        guard let id = json["seriesId"]?.stringValue.flatMap({ ID($0) }), let occurrence = json["occurrence"]?.intValue,
            let start = (json["seriesStart"] ?? json["dueDate"])?.stringValue.flatMap({ DueDate($0) }),
            1...1_000_000_000 ~= occurrence
        else { return nil }
        self.init(id: id, occurrence: occurrence, start: start)
    }
}

extension Recurrence {
    /// `nil` for a rule of a later version.
    package var parsed: RecurrenceRule? { try? RecurrenceRule(parsing: rule) }

    /// The due date of the next occurrence, after the day of the last one and after that of `moment`.
    /// - Parameters:
    ///   - last: the due date of the task.
    ///   - moment: when it is completed.
    ///   - zone: of days and of the time of day.
    package func next(after last: DueDate, in series: Series, at moment: Timestamp, _ zone: Zone) -> DueDate? {
        guard let rule = parsed else { return nil }
        if case .count(let count) = rule.end, series.occurrence >= count { return nil }
        let today = zone.day(of: moment)
        let day =
            switch from {
            case .due: rule.next(after: max(last.day(in: zone), today), from: series.start.day(in: zone))
            case .completion: rule.next(after: today, from: today)
            }
        guard let next = day.flatMap({ series.start.moved(to: $0, in: zone) }), rule.reaches(next, in: zone) else {
            return nil
        }
        return next
    }

    /// True if a date is one of the rule since the start of the series.
    func falls(on due: DueDate, in series: Series, _ zone: Zone) -> Bool {
        guard let rule = parsed else { return false }
        let day = due.day(in: zone)
        return series.start.moved(to: day, in: zone) == due
            && rule.falls(on: day, from: series.start.day(in: zone))
    }
}

extension TaskItem {
    /// The rule for a calendar that repeats the task from its due date on (RFC 5545). `nil` where it could not say the same: for
    /// times of day, which it would keep in UTC, for `SKIP`, and for what counts from the completion or from another day.
    package var calendarRule: String? {
        guard let recurrence, recurrence.from == .due, case .day(let due) = dueDate, let series,
            case .day(let start) = series.start, let rule = recurrence.parsed,
            !rule.skipsBackward, rule.next(after: due, from: due) == rule.next(after: due, from: start)
        else { return nil }
        switch rule.end {
        case .never, .until(.day): return recurrence.rule
        case .until(.instant): return nil
        case .count(let count):
            let parts = recurrence.rule.split(separator: ";").filter { !$0.uppercased().hasPrefix("COUNT=") }
            return (parts + ["COUNT=\(max(1, count - series.occurrence + 1))"]).joined(separator: ";")
        }
    }
}

extension DueDate {
    /// The same time of day on another day; `nil` beyond the calendar.
    fileprivate func moved(to day: Day, in zone: Zone) -> DueDate? {
        switch self {
        case .day: return .day(day)
        case .instant(let instant):
            let moved = zone.instant(of: WallClock(day: day, time: zone.wall(of: instant).time))
            return Timestamp.range.contains(moved) ? .instant(moved) : nil
        }
    }
}
