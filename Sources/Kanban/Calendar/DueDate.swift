/// A deadline: a whole day in the user's calendar, or an instant.
package enum DueDate: Hashable, Sendable {
    case day(Day)
    case instant(Timestamp)

    /// The key for sorting, `dueAfter` and `dueBefore`: a day counts as 00:00 UTC.
    package var sortKey: Timestamp {
        switch self {
        case .day(let day): Timestamp(startOfUTC: day)
        case .instant(let instant): instant
        }
    }

    /// The day of the deadline in the user's zone.
    package func day(in zone: Zone) -> Day {
        switch self {
        case .day(let day): day
        case .instant(let instant): zone.day(of: instant)
        }
    }

    /// When the deadline passes: an all-day deadline at the midnight that ends its day.
    package func end(in zone: Zone) -> Timestamp {
        switch self {
        case .day(let day): min(zone.startOfDay(day.adding(days: 1)), Timestamp.range.upperBound)
        case .instant(let instant): instant
        }
    }

    /// The default time of day for reminders of all-day deadlines: 09:00.
    package static let morning: Int64 = 9 * 3_600_000

    /// When to remind the user: of an all-day deadline `allDayTime` milliseconds after the midnight that begins its
    /// day.
    package func alarm(in zone: Zone, allDayTime: Int64) -> Timestamp {
        switch self {
        case .day(let day):
            min(
                max(zone.instant(of: WallClock(day: day, time: allDayTime)), zone.startOfDay(day)),
                Timestamp.range.upperBound)
        case .instant(let instant): instant
        }
    }
}

extension DueDate: CustomStringConvertible {
    /// Reads a full-date or a date-time with offset (RFC 3339); `nil` for anything else.
    package init?(_ text: String) {
        do {
            self = try DueDate.parse(text)
        } catch {
            return nil
        }
    }

    /// Reads a full-date or a date-time with offset (RFC 3339).
    package static func parse(_ text: String) throws(DateFault) -> DueDate {
        text.utf8.count == 10 ? .day(try Day.parse(text)) : .instant(try Timestamp.parse(text))
    }

    /// The text as the client sent it; an instant in UTC with milliseconds.
    package var text: String {
        switch self {
        case .day(let day): day.description
        case .instant(let instant): instant.description
        }
    }

    package var description: String { text }
}
