/// The days to a D-day's next date.
package struct Countdown: Hashable, Sendable {
    /// The date itself, or the next anniversary of a yearly one; never before the date.
    package let nextDate: Day
    /// From today to the next date; negative only for a past date that does not repeat.
    package let daysLeft: Int

    /// `D-3`, `D-DAY` or `D+2`.
    package var label: String { Deadline.label(daysLeft: daysLeft) }
}

extension DDay {
    package func countdown(today: Day) -> Countdown {
        let next = nextDate(today: today)
        return Countdown(nextDate: next, daysLeft: today.days(until: next))
    }

    private func nextDate(today: Day) -> Day {
        guard repeats == .yearly, today > date else { return date }
        let year = today.year
        let thisYear = anniversary(in: year)
        return thisYear >= today ? thisYear : anniversary(in: year + 1)
    }

    /// The date in another year; 29 February becomes the 28th in common years.
    private func anniversary(in year: Int) -> Day {
        let civil = date.civil
        return Day(
            Day.Civil(
                year: year, month: civil.month, day: min(civil.day, Day.days(inMonth: civil.month, of: year))))
    }
}
