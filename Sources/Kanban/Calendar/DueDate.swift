/// A deadline: a whole day in the user's calendar, or an instant.
package enum DueDate: Hashable, Sendable {
    case day(Day)
    case instant(Timestamp)

    /// What sorting, `dueAfter` and `dueBefore` go by: a day counts as 00:00 UTC.
    package var sortKey: Timestamp {
        switch self {
        case .day(let day): Timestamp(milliseconds: Int64(day.number) * 86_400_000)
        case .instant(let instant): instant
        }
    }
}
