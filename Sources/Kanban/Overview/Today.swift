/// What a cover or a widget shows on a day, but for what is overdue; ``TaskQuery/overdue(at:)`` lists that.
package struct Today: Sendable {
    /// Not done, and due today, whether or not the time has passed.
    package let due: [TaskItem]
    /// The coming ones, soonest first, and then the past ones, latest first.
    package let ddays: [DDay]
    package let progress: Progress

    package init(_ reader: any BoardReader, at moment: Moment) throws {
        due = try reader.tasks(.dueToday(at: moment))
        ddays = try reader.ddays(after: nil, limit: nil).ordered(from: moment.today)
        progress = Progress(try reader.taskCounts())
    }
}

extension [DDay] {
    /// The coming ones, soonest first, and then the past ones, latest first.
    func ordered(from today: Day) -> [DDay] {
        let known = map { (dday: $0, daysLeft: $0.countdown(today: today).daysLeft) }
        return known.sorted { left, right in
            if (left.daysLeft >= 0) != (right.daysLeft >= 0) { return left.daysLeft >= 0 }
            if left.daysLeft != right.daysLeft { return abs(left.daysLeft) < abs(right.daysLeft) }
            return left.dday.id < right.dday.id
        }.map(\.dday)
    }
}
