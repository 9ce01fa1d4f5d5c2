/// How near a due date is. It depends on the clock, so it is computed for each answer and never stored.
package struct Deadline: Hashable, Sendable {
    /// The due day is before today, and the task is not done. A task due earlier today is not overdue.
    package let overdue: Bool
    /// From today to the due day; negative when it is past.
    package let daysLeft: Int
    package let remaining: Remaining
    /// The first instant at which one of these values changes. There is always one: `daysLeft` changes at midnight.
    package let validUntil: Timestamp

    package init(_ due: DueDate, isDone: Bool, at moment: Moment) {
        daysLeft = moment.today.days(until: due.day(in: moment.zone))
        overdue = daysLeft < 0 && !isDone
        let end = due.end(in: moment.zone)
        remaining = Remaining(from: moment.now, to: end, in: moment.zone)
        validUntil = remaining.firstChange(to: end, at: moment) ?? moment.dayEnds
    }

    /// `D-3` three days before, `D-DAY` on the day, `D+2` two days after.
    package var label: String { Self.label(daysLeft: daysLeft) }

    package static func label(daysLeft: Int) -> String {
        switch daysLeft {
        case 0: "D-DAY"
        case 1...: "D-\(daysLeft)"
        default: "D+\(-daysLeft)"
        }
    }
}

extension TaskItem {
    /// `nil` without a due date.
    package func deadline(at moment: Moment) -> Deadline? {
        dueDate.map { Deadline($0, isDone: status == .done, at: moment) }
    }
}
