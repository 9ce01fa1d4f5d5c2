extension RecurrenceRule {
    /// The first day after `day` on which the rule falls; `nil` when there is none, or none until the rule ends.
    ///
    /// A pure function of the calendar: nothing is added to the day before, so that a day at the end of a month does not
    /// drift. Periods (weeks, months, years) count from the one of `start`. ``End/count(_:)`` is for the caller to count.
    package func next(after day: Day, from start: Day) -> Day? {
        let days = Days(of: self, from: start)
        // The calendar repeats after 400 years.
        let last = min(Day.range.upperBound, max(day, start).adding(days: 400 * 366))
        var period = max(0, days.period(of: day))
        while true {
            let span = days.span(of: period)
            if span.lowerBound > last { return nil }
            if let found = days.fall(within: span).first(where: { $0 > day && $0 >= start }) {
                return found <= last ? found : nil
            }
            period += 1
        }
    }

    /// True if the rule falls on the day.
    func falls(on day: Day, from start: Day) -> Bool {
        let days = Days(of: self, from: start)
        guard day >= start else { return false }
        return days.fall(within: days.span(of: days.period(of: day))).contains(day)
    }

    /// The first occurrence after `due`, of a series that began at `start`; `nil` when the series is over.
    ///
    /// Of instants the local time in `zone` stays: a time that a change of clocks leaves out is as much later, and of one
    /// that comes twice the first counts.
    package func next(after due: DueDate, from start: DueDate, in zone: Zone) -> DueDate? {
        guard let next = unbounded(after: due, from: start, in: zone) else { return nil }
        return reaches(next, in: zone) ? next : nil
    }

    /// False if the rule ends before the date by `UNTIL`.
    func reaches(_ date: DueDate, in zone: Zone) -> Bool {
        guard case .until(let last) = end else { return true }
        switch (date, last) {
        case (.instant(let date), .instant(let last)): return date <= last
        default: return date.day(in: zone) <= last.day(in: zone)
        }
    }

    private func unbounded(after due: DueDate, from start: DueDate, in zone: Zone) -> DueDate? {
        switch start {
        case .day(let first):
            return next(after: due.day(in: zone), from: first).map { .day($0) }
        case .instant(let first):
            let wall = zone.wall(of: first)
            let passed = due.end(in: zone)
            // The occurrence of that day itself may be later than the time of day.
            var day = zone.day(of: passed).adding(days: -1)
            while let next = next(after: day, from: wall.day) {
                let instant = zone.instant(of: WallClock(day: next, time: wall.time))
                if instant > passed { return Timestamp.range.contains(instant) ? .instant(instant) : nil }
                day = next
            }
            return nil
        }
    }

    /// The days of a rule, period by period.
    private struct Days {
        let rule: RecurrenceRule
        let start: Day
        /// What the rule leaves open, the start says.
        private let monthDays: [Int]
        private let months: [Int]
        private let weekdays: [WeekdayPart]

        init(of rule: RecurrenceRule, from start: Day) {
            self.rule = rule
            self.start = start
            let isOpen = rule.weekdays.isEmpty && rule.monthDays.isEmpty
            let civil = start.civil
            switch rule.frequency {
            case .daily: (monthDays, months, weekdays) = (rule.monthDays, rule.months, rule.weekdays)
            case .weekly:
                (monthDays, months) = ([], rule.months)
                weekdays = isOpen ? [WeekdayPart(weekday: start.weekday)] : rule.weekdays
            case .monthly:
                (months, weekdays) = (rule.months, rule.weekdays)
                monthDays = isOpen ? [civil.day] : rule.monthDays
            case .yearly:
                weekdays = rule.weekdays
                monthDays = isOpen ? [civil.day] : rule.monthDays
                months = isOpen && rule.months.isEmpty ? [civil.month] : rule.months
            }
        }

        /// The number of the last period that begins on the day or before.
        func period(of day: Day) -> Int {
            let units =
                switch rule.frequency {
                case .daily: start.days(until: day)
                case .weekly: firstOfWeek(start).days(until: firstOfWeek(day)) / 7
                case .monthly: Self.months(until: day) - Self.months(until: start)
                case .yearly: day.year - start.year
                }
            return units >= 0 ? units / rule.interval : -1
        }

        func span(of period: Int) -> ClosedRange<Day> {
            let units = period * rule.interval
            switch rule.frequency {
            case .daily:
                let day = start.adding(days: units)
                return day...day
            case .weekly:
                let first = firstOfWeek(start).adding(days: 7 * units)
                return first...first.adding(days: 6)
            case .monthly:
                let month = Self.months(until: start) + units
                return Self.first(ofMonth: month)...Self.first(ofMonth: month + 1).adding(days: -1)
            case .yearly:
                let month = (start.year + units) * 12
                return Self.first(ofMonth: month)...Self.first(ofMonth: month + 12).adding(days: -1)
            }
        }

        /// The days within a period.
        func fall(within span: ClosedRange<Day>) -> [Day] {
            var days: [Day] = []
            var first = span.lowerBound
            // Month by month, since the calendar of one is asked for many days.
            while first <= span.upperBound {
                let civil = first.civil
                let month = Month(year: civil.year, length: Day.days(inMonth: civil.month, of: civil.year))
                let next = first.adding(days: month.length - civil.day + 1)
                if months.isEmpty || months.contains(civil.month) {
                    for number in first.number...min(next.number - 1, span.upperBound.number) {
                        let day = Day(number: number)
                        if matches(day, civil.day + first.days(until: day), of: month) { days.append(day) }
                    }
                }
                first = next
            }
            guard let position = rule.position else { return days }
            return (position > 0 ? days.first : days.last).map { [$0] } ?? []
        }

        private struct Month {
            var year: Int
            /// Days.
            var length: Int
        }

        /// - Parameter number: the day's within its month.
        private func matches(_ day: Day, _ number: Int, of month: Month) -> Bool {
            if !monthDays.isEmpty {
                let isMatch = monthDays.contains { wanted in
                    wanted < 0
                        ? month.length + 1 + wanted == number
                        : wanted == number || rule.skipsBackward && wanted > month.length && number == month.length
                }
                guard isMatch else { return false }
            }
            guard !weekdays.isEmpty else { return true }
            let weekday = day.weekday
            return weekdays.contains { $0.weekday == weekday && falls(day, number, of: month, on: $0.ordinal) }
        }

        private func falls(_ day: Day, _ number: Int, of month: Month, on ordinal: Int?) -> Bool {
            guard let ordinal else { return true }
            let (index, last): (Int, Int)
            if rule.frequency == .yearly, months.isEmpty {
                index = Day(Day.Civil(year: month.year, month: 1, day: 1)).days(until: day)
                last = Day.isLeap(year: month.year) ? 365 : 364
            } else {
                (index, last) = (number - 1, month.length - 1)
            }
            return ordinal > 0 ? index / 7 == ordinal - 1 : (last - index) / 7 == -ordinal - 1
        }

        private func firstOfWeek(_ day: Day) -> Day {
            day.adding(days: -((day.weekday.rawValue - rule.weekStart.rawValue + 7) % 7))
        }

        /// Months since the year 0.
        private static func months(until day: Day) -> Int {
            day.year * 12 + day.month - 1
        }

        private static func first(ofMonth month: Int) -> Day {
            Day(Day.Civil(year: month / 12, month: month % 12 + 1, day: 1))
        }
    }
}
