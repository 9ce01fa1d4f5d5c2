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

/// A rule as a calendar repeats an event by it (RFC 5545 §3.8.5.3).
package struct CalendarRule: Hashable, Sendable {
    package let text: String
    /// Whose clocks keep the time of day; `nil` for days, and in UTC.
    package let zone: Zone?
}

extension TaskItem {
    /// The rule for a calendar that repeats the task from its due date on. `nil` where it could not say the same: for
    /// `SKIP=BACKWARD`, and for what counts from the completion, from another day or from another time of day.
    /// - Parameter zone: of rules that name none.
    package func calendarRule(in zone: Zone) -> CalendarRule? {
        guard let recurrence, recurrence.from == .due, let due = dueDate, let series, let rule = recurrence.parsed
        else {
            return nil
        }
        let zone = recurrence.timeZone.flatMap(Zone.init(name:)) ?? zone
        let (day, start) = (due.day(in: zone), series.start.day(in: zone))
        guard !rule.skipsBackward, rule.next(after: day, from: day) == rule.next(after: day, from: start),
            // The same time of day: also after clocks shifted this one.
            series.start.moved(to: day, in: zone) == due, due.moved(to: start, in: zone) == series.start,
            // Where the year is none in some zone.
            [-2, 2].allSatisfy({
                Timestamp.range.contains(due.sortKey.adding(milliseconds: $0 * Timestamp.millisecondsPerDay))
            })
        else { return nil }
        var parts = recurrence.rule.split(separator: ";").map(String.init)
        func remove(_ name: String) { parts.removeAll { $0.uppercased().hasPrefix("\(name)=") } }
        func replace(_ name: String, _ value: some CustomStringConvertible) {
            remove(name)
            parts.append("\(name)=\(value)")
        }
        // RFC 7529 §4.1: `SKIP=OMIT` is what a rule without it means, and RFC 5545 does not know it.
        remove("SKIP")
        switch (rule.end, due) {
        case (.never, _), (.until(.day), .day), (.until(.instant), .instant): break
        // §3.3.10: of the same form as the start.
        case (.until(let last), .day): replace("UNTIL", last.day(in: zone).description.filter { $0 != "-" })
        case (.until(.day(let last)), .instant):
            // Of the same form, and in UTC where that has a zone.
            let end = DueDate.day(last).end(in: zone).adding(milliseconds: -1000)
            replace("UNTIL", end.description.prefix(19).filter { !"-:".contains($0) } + "Z")
        case (.count(let count), _): replace("COUNT", max(1, count - series.occurrence + 1))
        }
        let isInZone = if case .instant = due { zone != .utc } else { false }
        return CalendarRule(text: parts.joined(separator: ";"), zone: isInZone ? zone : nil)
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
