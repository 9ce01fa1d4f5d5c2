/// The statistics of a board.
package struct Stats: Sendable {
    package struct OfCategory: Sendable {
        package var id: ID?
        package var name: String
        package var counts: CategoryCounts
    }

    /// The number of days in the statistics, including today.
    package static let days = 30

    package let byStatus: [TaskStatus: Int]
    package let progress: Progress
    package let overdue: Int
    package let dueToday: Int
    /// Every category by name, then the uncategorized tasks.
    package let byCategory: [OfCategory]
    /// Today last.
    package let completedByDay: [(date: Day, count: Int)]

    package init(_ reader: any BoardReader, at moment: Moment, language: Language) throws {
        let counts = try reader.taskCounts()
        byStatus = counts.reduce(into: [:]) { $0[$1.status, default: 0] += $1.count }
        progress = Progress(counts)
        overdue = try reader.countTasks(.overdue(at: moment))
        dueToday = try reader.countTasks(.dueToday(at: moment))

        let byID = counts.byCategory()
        let named = try reader.categories().map {
            OfCategory(id: $0.id, name: $0.name, counts: byID[$0.id] ?? CategoryCounts())
        }
        byCategory =
            named + [OfCategory(id: nil, name: language.uncategorized, counts: byID[nil] ?? CategoryCounts())]

        let firstDay = moment.today.adding(days: 1 - Self.days)
        var completed = Array(repeating: 0, count: Self.days)
        for instant in try reader.completions(from: moment.zone.startOfDay(firstDay)) {
            let index = firstDay.days(until: moment.zone.day(of: instant))
            if completed.indices.contains(index) { completed[index] += 1 }
        }
        completedByDay = completed.enumerated().map { (firstDay.adding(days: $0.offset), $0.element) }
    }
}
