import Kanban

/// What a calendar shows a task as.
package enum CalendarForm: String, CaseIterable, Sendable {
    /// What subscribed calendars show.
    case events
    case todos
}

/// When an alarm rings: once, as a to-do has no start, or so long after the start of each occurrence of an event that repeats.
private typealias CalendarAlarm = (instant: Timestamp, sinceStart: String?)

extension ICalendarWriter {
    /// A whole calendar (RFC 5545 §3.4): tasks with due dates and D-days. `DTSTAMP` is the time of the last change
    /// (§3.8.7.2, for calendars without a `METHOD`), so the same board gives the same bytes.
    /// - Parameter emit: receives the pieces; an error that it throws ends the calendar.
    package mutating func write(
        _ reader: any BoardReader, as form: CalendarForm, zone: Zone, _ emit: ([UInt8]) throws -> Void
    ) throws {
        begin("VCALENDAR")
        line("VERSION", "2.0")
        line("PRODID", "-//Kanbase//Kanbase//EN")
        line("CALSCALE", "GREGORIAN")
        text("X-WR-CALNAME", "Kanbase")
        line("X-WR-TIMEZONE", zone.name)
        // RFC 7986 §5.7: the interval between two fetches.
        line("REFRESH-INTERVAL;VALUE=DURATION", "PT15M")
        line("X-PUBLISHED-TTL", "PT15M")

        let names = Dictionary(uniqueKeysWithValues: try reader.categories().map { ($0.id, $0.name) })
        let allDayTime = try reader.settings().allDayAlarm
        let zoneOfRules = try reader.zone(of: nil)
        var described: Set<Zone> = []
        var query = TaskQuery()
        // Any due date.
        query.dueFrom = [TaskQuery.DueBound(day: Day.range.lowerBound, instant: Timestamp.range.lowerBound)]
        query.limit = 200
        while true {
            let page = try reader.tasks(query)
            for task in page {
                guard let due = task.dueDate else { continue }
                let category = task.categoryID.flatMap { names[$0] }
                let isDone = task.status == .done
                let rule = isDone || form == .todos ? nil : task.calendarRule(in: zoneOfRules)
                if case .instant(let first) = due, let zone = rule?.zone, described.insert(zone).inserted {
                    describe(zone, from: first)
                }
                let alarms = (isDone ? [] : task.alarms(in: zone, allDayTime: allDayTime)).map { alarm in
                    (alarm.fireAt, rule.flatMap { _ in alarm.trigger.sinceStart(of: due, allDayTime: allDayTime) })
                }
                switch form {
                case .events: event(task, due: due, rule, category: category, alarms)
                case .todos: todo(task, due: due, category: category, alarms)
                }
            }
            try emitPiece(emit)
            guard page.count == query.limit, let last = page.last else { break }
            query.after = try reader.anchor(after: last, of: query)
        }
        for dday in try reader.ddays(after: nil, limit: nil) {
            write(dday)
            try emitPiece(emit)
        }
        end("VCALENDAR")
        try emit(take())
    }

    private mutating func emitPiece(_ emit: ([UInt8]) throws -> Void) throws {
        if bytes.count >= 1 << 16 { try emit(take()) }
    }

    /// §3.6.5: how the clocks of a zone are set, for those that do not know it by its name: from a year before the first event that
    /// needs it to twenty years after, longer than calendars show.
    private mutating func describe(_ zone: Zone, from first: Timestamp) {
        struct Change: Equatable {
            var before: Int64
            var after: Int64
        }
        let year: Int64 = 366 * Timestamp.millisecondsPerDay
        let start = max(first.adding(milliseconds: -year), Timestamp.range.lowerBound.adding(milliseconds: year))
        let last = min(first.adding(milliseconds: 20 * year), Timestamp.range.upperBound.adding(milliseconds: -year))
        var offset = zone.offset(at: start)
        // When the clocks are set, as they show it before. The first is how they are at the start.
        var changes = [(Change(before: offset, after: offset), [start.adding(milliseconds: offset)])]
        for instant in zone.changes(after: start, before: last) {
            let change = Change(before: offset, after: zone.offset(at: instant))
            let time = instant.adding(milliseconds: offset)
            if let index = changes.firstIndex(where: { $0.0 == change }) {
                changes[index].1.append(time)
            } else {
                changes.append((change, [time]))
            }
            offset = change.after
        }
        begin("VTIMEZONE")
        line("TZID", zone.name)
        for (change, times) in changes {
            let kind = change.after > change.before ? "DAYLIGHT" : "STANDARD"
            begin(kind)
            wallClocks("DTSTART", times.prefix(1))
            if times.count > 1 { wallClocks("RDATE", times.dropFirst()) }
            line("TZOFFSETFROM", Self.offset(change.before))
            line("TZOFFSETTO", Self.offset(change.after))
            end(kind)
        }
        end("VTIMEZONE")
    }

    /// §3.3.14: `+0900`, with seconds where clocks showed the time of the sun.
    private static func offset(_ milliseconds: Int64) -> String {
        let seconds = abs(milliseconds) / 1000
        let parts = [seconds / 3600, seconds / 60 % 60] + (seconds % 60 == 0 ? [] : [seconds % 60])
        return (milliseconds < 0 ? "-" : "+") + parts.map { ($0 < 10 ? "0" : "") + String($0) }.joined()
    }

    /// The start or end of an event: on the clocks of a zone where it repeats by them.
    private mutating func moment(_ name: StaticString, _ instant: Timestamp, _ rule: CalendarRule?) {
        if let zone = rule?.zone {
            wallClock(name, instant, in: zone)
        } else {
            self.instant(name, instant)
        }
    }

    /// §3.6.1
    private mutating func event(
        _ task: TaskItem, due: DueDate, _ rule: CalendarRule?, category: String?, _ alarms: [CalendarAlarm]
    ) {
        begin("VEVENT")
        head(task.id, createdAt: task.createdAt, updatedAt: task.updatedAt)
        text("SUMMARY", task.status == .done ? "✓ " + task.title : task.title)
        if !task.body.isEmpty { text("DESCRIPTION", task.body) }
        switch due {
        case .day(let day):
            date("DTSTART;VALUE=DATE", day)
        case .instant(let instant):
            moment("DTSTART", instant, rule)
            let end = Timestamp(milliseconds: instant.milliseconds + Self.lengthOfEvent)
            // The last half hour of the year 9999 is an event without a length.
            if Timestamp.range.contains(end) { moment("DTEND", end, rule) }
        }
        if let rule { line("RRULE", rule.text) }
        line("TRANSP", "TRANSPARENT")
        if let category { text("CATEGORIES", category) }
        for alarm in alarms { write(alarm, task) }
        end("VEVENT")
    }

    /// Half an hour.
    private static let lengthOfEvent: Int64 = 30 * 60_000

    /// §3.6.2. A to-do has no rule: that counts from a `DTSTART` (§3.8.2.4), which has to be before `DUE` (§3.8.2.3), and a day
    /// before that starts on a date that the rule does not have. Apps that read to-dos drop a start that is not before. The next
    /// occurrence comes when the task is completed.
    private mutating func todo(
        _ task: TaskItem, due: DueDate, category: String?, _ alarms: [CalendarAlarm]
    ) {
        begin("VTODO")
        head(task.id, createdAt: task.createdAt, updatedAt: task.updatedAt)
        text("SUMMARY", task.title)
        if !task.body.isEmpty { text("DESCRIPTION", task.body) }
        switch due {
        case .day(let day): date("DUE;VALUE=DATE", day)
        case .instant(let instant): self.instant("DUE", instant)
        }
        switch task.status {
        case .todo: line("STATUS", "NEEDS-ACTION")
        case .doing: line("STATUS", "IN-PROCESS")
        case .done: line("STATUS", "COMPLETED")
        }
        if let completedAt = task.completedAt {
            instant("COMPLETED", completedAt)
            line("PERCENT-COMPLETE", "100")
        }
        if let category { text("CATEGORIES", category) }
        for alarm in alarms { write(alarm, task) }
        end("VTODO")
    }

    /// §3.6.6
    private mutating func write(_ alarm: CalendarAlarm, _ task: TaskItem) {
        begin("VALARM")
        line("ACTION", "DISPLAY")
        text("DESCRIPTION", task.title)
        if let offset = alarm.sinceStart {
            line("TRIGGER", offset)
        } else {
            instant("TRIGGER;VALUE=DATE-TIME", alarm.instant)
        }
        end("VALARM")
    }

    private mutating func head(_ id: ID, createdAt: Timestamp, updatedAt: Timestamp) {
        line("UID", id.description)
        instant("DTSTAMP", updatedAt)
        instant("CREATED", createdAt)
        instant("LAST-MODIFIED", updatedAt)
    }

    /// §3.6.1
    private mutating func write(_ dday: DDay) {
        begin("VEVENT")
        head(dday.id, createdAt: dday.createdAt, updatedAt: dday.updatedAt)
        text("SUMMARY", dday.title)
        date("DTSTART;VALUE=DATE", dday.date)
        if dday.repeats == .yearly {
            // 29 February: the last day of February in every year.
            let isLeapDay = dday.date.month == 2 && dday.date.day == 29
            line("RRULE", isLeapDay ? "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1" : "FREQ=YEARLY")
        }
        line("TRANSP", "TRANSPARENT")
        end("VEVENT")
    }
}
