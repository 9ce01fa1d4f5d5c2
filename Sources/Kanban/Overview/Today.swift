/// What a cover or a widget shows on a day, without the overdue tasks; ``TaskQuery/overdue(at:)`` lists those.
package struct Today: Sendable {
    /// Not done, and due before today.
    package let overdue: TaskHead
    /// Not done, and due today, whether or not the time has passed.
    package let due: TaskHead
    /// Future ones, soonest first, then past ones, latest first.
    package let ddays: [DDay]
    package let progress: Progress

    /// - Parameter limit: tasks of each list.
    package init(_ reader: any BoardReader, at moment: Moment, limit: Int) throws {
        overdue = try TaskHead(.overdue(at: moment), limit: limit, in: reader)
        due = try TaskHead(.dueToday(at: moment), limit: limit, in: reader)
        ddays = try reader.ddays(after: nil, limit: nil).ordered(from: moment.today)
        progress = Progress(try reader.taskCounts())
    }
}

/// The first tasks of a query, and the number of all.
package struct TaskHead: Sendable {
    package let tasks: [TaskItem]
    package let count: Int

    init(_ query: TaskQuery, limit: Int, in reader: any BoardReader) throws {
        var query = query
        query.limit = limit
        tasks = try reader.tasks(query)
        count = tasks.count < limit ? tasks.count : try reader.countTasks(query)
    }
}

extension [DDay] {
    /// Future ones, soonest first, then past ones, latest first.
    func ordered(from today: Day) -> [DDay] {
        let known = map { (dday: $0, daysLeft: $0.countdown(today: today).daysLeft) }
        return known.sorted { left, right in
            if (left.daysLeft >= 0) != (right.daysLeft >= 0) { return left.daysLeft >= 0 }
            if left.daysLeft != right.daysLeft { return abs(left.daysLeft) < abs(right.daysLeft) }
            return left.dday.id < right.dday.id
        }.map(\.dday)
    }
}
