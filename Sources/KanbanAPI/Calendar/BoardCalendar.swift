import Kanban

extension ICalendarWriter {
    /// A whole calendar (RFC 5545 §3.4): tasks with due dates and D-days. `DTSTAMP` is the time of the last change
    /// (§3.8.7.2, for calendars without a `METHOD`), so the same board gives the same bytes.
    /// - Parameter emit: receives the pieces; an error that it throws ends the calendar.
    package mutating func write(_ reader: any BoardReader, zone: Zone, _ emit: ([UInt8]) throws -> Void) throws {
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
        var query = TaskQuery()
        // Any due date.
        query.dueFrom = [TaskQuery.DueBound(day: Day.range.lowerBound, instant: Timestamp.range.lowerBound)]
        query.limit = 200
        while true {
            let page = try reader.tasks(query)
            for task in page { write(task, category: task.categoryID.flatMap { names[$0] }, zone: zone) }
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

    /// §3.6.2
    private mutating func write(_ task: TaskItem, category: String?, zone: Zone) {
        guard let dueDate = task.dueDate else { return }
        begin("VTODO")
        line("UID", task.id.description)
        instant("DTSTAMP", task.updatedAt)
        instant("CREATED", task.createdAt)
        instant("LAST-MODIFIED", task.updatedAt)
        text("SUMMARY", task.title)
        if !task.body.isEmpty { text("DESCRIPTION", task.body) }
        switch dueDate {
        case .day(let day): date("DUE;VALUE=DATE", day)
        case .instant(let due): instant("DUE", due)
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
        if task.status != .done {
            let alarm = dueDate.alarm(in: zone, allDayTime: DueDate.morning)
            begin("VALARM")
            line("ACTION", "DISPLAY")
            text("DESCRIPTION", task.title)
            // As an instant: the usual trigger is relative to a start, which a task does not have.
            instant("TRIGGER;VALUE=DATE-TIME", alarm)
            end("VALARM")
        }
        end("VTODO")
    }

    /// §3.6.1
    private mutating func write(_ dday: DDay) {
        begin("VEVENT")
        line("UID", dday.id.description)
        instant("DTSTAMP", dday.updatedAt)
        instant("CREATED", dday.createdAt)
        instant("LAST-MODIFIED", dday.updatedAt)
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
