/// The reminders that are still to come of tasks that are not done.
package struct Upcoming: Sendable {
    package struct Item: Sendable {
        package var task: TaskItem
        package var alarm: Alarm

        package init(task: TaskItem, alarm: Alarm) {
            self.task = task
            self.alarm = alarm
        }

        package var fireAt: Timestamp { alarm.fireAt }
        package var notificationID: String { alarm.notificationID(of: task.id) }

        fileprivate static func isBefore(_ left: Item, _ right: Item) -> Bool {
            (left.fireAt, left.task.position, left.task.id) < (right.fireAt, right.task.position, right.task.id)
        }
    }

    package private(set) var items: [Item] = []
    /// The first instant at which a task reminds or its deadline passes, even for tasks beyond the limit.
    package private(set) var nextChangeAt: Timestamp?

    /// - Parameter allDayTime: milliseconds after midnight.
    package init(_ reader: any BoardReader, at moment: Moment, limit: Int, allDayTime: Int64) throws {
        func take(_ tasks: some Sequence<TaskItem>) {
            for task in tasks {
                for alarm in task.alarms(in: moment.zone, allDayTime: allDayTime) where alarm.fireAt > moment.now {
                    items.append(Item(task: task, alarm: alarm))
                    note(alarm.fireAt)
                }
            }
            items.sort(by: Item.isBefore)
            if items.count > limit { items.removeLast(items.count - limit) }
        }
        func note(_ instant: Timestamp) {
            if instant > moment.now { nextChangeAt = min(nextChangeAt ?? instant, instant) }
        }

        take(try reader.remindedTasks(after: moment.now))
        var query = TaskQuery.coming(at: moment)
        query.limit = max(limit + 1, Self.page)
        while true {
            let page = try reader.tasks(query)
            for task in page { task.dueDate.map { note($0.end(in: moment.zone)) } }
            // Those with reminders of their own were taken before: they may fire long before they are due.
            take(page.lazy.filter { $0.reminders == nil })
            guard page.count == query.limit, let last = page.last, let key = last.dueDate?.sortKey else { break }
            let earliest = key.adding(milliseconds: -Self.easternmost)
            if items.count == limit, items.last.map({ $0.fireAt <= earliest }) ?? true, let nextChangeAt,
                nextChangeAt <= earliest
            {
                break
            }
            query.after = try reader.anchor(after: last, of: query)
        }
    }

    /// All reminders that fired after one instant, up to `moment`, soonest first.
    package static func fired(
        _ reader: any BoardReader, after start: Timestamp, at moment: Moment, allDayTime: Int64
    ) throws -> [Item] {
        var query = TaskQuery.coming(at: Moment(now: start, zone: moment.zone))
        // An all-day task fires on its day.
        query.dueBefore = [
            TaskQuery.DueBound(day: moment.today.adding(days: 1), instant: moment.now.adding(milliseconds: 1))
        ]
        let tasks = try reader.remindedTasks(after: start) + reader.tasks(query).filter { $0.reminders == nil }
        return tasks.flatMap { task in
            task.alarms(in: moment.zone, allDayTime: allDayTime)
                .filter { $0.fireAt > start && $0.fireAt <= moment.now }
                .map { Item(task: task, alarm: $0) }
        }.sorted(by: Item.isBefore)
    }

    /// The most notifications that iOS keeps for an app.
    package static let mostScheduled = 64

    /// How many tasks are read at once, at least.
    private static let page = 64

    /// The largest offset ahead of UTC: the store sorts by 00:00 UTC, and an all-day task may fire earlier by this much.
    private static let easternmost: Int64 = 15 * 3_600_000
}
