/// Tasks that are not done and whose deadline is in the future, in the order of their reminders.
package struct Upcoming: Sendable {
    package struct Item: Sendable {
        package var task: TaskItem
        package var fireAt: Timestamp
        /// When the deadline passes.
        package var end: Timestamp
    }

    package let items: [Item]
    /// The first instant at which a task fires or its deadline passes, even for tasks beyond the limit.
    package let nextChangeAt: Timestamp?

    /// - Parameter allDayTime: milliseconds after midnight.
    package init(_ reader: any BoardReader, at moment: Moment, limit: Int, allDayTime: Int64) throws {
        var query = TaskQuery.coming(at: moment)
        query.limit = max(limit + 1, Self.page)
        var found: [Item] = []
        var nextChangeAt: Timestamp?
        while true {
            let page = try reader.tasks(query)
            let items = page.compactMap { Item($0, at: moment, allDayTime: allDayTime) }
            found += items
            nextChangeAt = (items.flatMap { [$0.fireAt, $0.end] } + [nextChangeAt].compactMap(\.self))
                .filter { $0 > moment.now }.min()
            found.sort { ($0.fireAt, $0.task.position, $0.task.id) < ($1.fireAt, $1.task.position, $1.task.id) }
            if found.count > limit { found.removeLast(found.count - limit) }
            guard page.count == query.limit, let last = page.last, let key = last.dueDate?.sortKey else { break }
            // The store sorts by 00:00 UTC. An all-day task may fire earlier, by this much.
            let earliest = key.adding(milliseconds: -Self.easternmost)
            if found.count == limit, found[limit - 1].fireAt <= earliest, let nextChangeAt, nextChangeAt <= earliest {
                break
            }
            query.after = try reader.anchor(after: last, of: query)
        }
        items = found
        self.nextChangeAt = nextChangeAt
    }

    /// How many tasks are read at once, at least.
    private static let page = 64

    /// The largest offset ahead of UTC.
    private static let easternmost: Int64 = 15 * 3_600_000
}

extension Upcoming.Item {
    fileprivate init?(_ task: TaskItem, at moment: Moment, allDayTime: Int64) {
        guard let dueDate = task.dueDate else { return nil }
        self.task = task
        end = dueDate.end(in: moment.zone)
        fireAt = dueDate.alarm(in: moment.zone, allDayTime: allDayTime)
    }
}
