import HTTP
import JSON
import Kanban

/// Counts and progress of a board.
package struct StatsRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/stats", "showStats", isCached: true, show)]
    }

    private func show(_ call: Call) async throws -> Response {
        try await call.cached(aside: true) { reader in
            let moment = try call.moment(reader)
            var json = JSONWriter(capacity: 8192)
            json.value(try Stats(reader, at: moment, language: call.language(reader)))
            let tag = EntityTag.tag(try reader.feedState().revision, digestOf: json.bytes)
            let answer = Response.json(tag: tag, headers: [("Vary", "Accept-Language")], encoded: json.bytes)
            return (answer, moment.dayEnds)
        }
    }
}

/// A board in numbers.
struct Stats: Sendable {
    struct OfCategory: Sendable {
        var id: ID?
        var name: String
        var counts: CategoryCounts
    }

    /// How many days are looked back on, today included.
    static let days = 30

    let byStatus: [TaskStatus: Int]
    let progress: Progress
    let overdue: Int
    let dueToday: Int
    /// Every category by name, then those without one.
    let byCategory: [OfCategory]
    /// Today last.
    let completedByDay: [(date: Day, count: Int)]

    init(_ reader: any BoardReader, at moment: Moment, language: Language) throws {
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

extension JSONWriter {
    fileprivate mutating func value(_ stats: Stats) {
        beginObject()
        name("total")
        value(stats.progress.total)
        name("byStatus")
        beginObject()
        for status in TaskStatus.allCases {
            name(status.name)
            value(stats.byStatus[status] ?? 0)
        }
        endObject()
        name("percentDone")
        value(stats.progress.percent)
        name("overdue")
        value(stats.overdue)
        name("dueToday")
        value(stats.dueToday)
        name("byCategory")
        beginArray()
        for category in stats.byCategory {
            beginObject()
            name("categoryId")
            value(category.id)
            name("name")
            value(category.name)
            name("total")
            value(category.counts.tasks)
            name("done")
            value(category.counts.done)
            endObject()
        }
        endArray()
        name("completedByDay")
        beginArray()
        for (date, count) in stats.completedByDay {
            beginObject()
            name("date")
            value(date.description)
            name("count")
            value(count)
            endObject()
        }
        endArray()
        endObject()
    }
}
