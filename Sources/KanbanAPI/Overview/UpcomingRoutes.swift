import HTTP
import JSON
import Kanban

/// The tasks to come, each with the instant to notify at.
package struct UpcomingRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/upcoming", "listUpcoming", parameters: ["limit", "allDayTime"], isCached: true, list)]
    }

    private func list(_ call: Call) async throws -> Response {
        let limit = try call.query.limit(default: 64)
        let allDayTime = try Self.allDayTime(call.query)
        // Usually a page, but a thousand tasks may be due on one day.
        return try await call.cached(aside: true) { reader in
            let moment = try call.moment(reader)
            let upcoming = try Upcoming(reader, at: moment, limit: limit, allDayTime: allDayTime)
            var json = JSONWriter(capacity: 512 + upcoming.items.count * 512)
            json.beginObject()
            json.name("items")
            json.beginArray()
            for item in upcoming.items {
                json.value(item.task, also: "fireAt") { $0.value(item.fireAt) }
            }
            json.endArray()
            json.name("nextChangeAt")
            json.value(upcoming.nextChangeAt)
            json.endObject()
            let tag = EntityTag.tag(try reader.feedState().revision, digestOf: json.bytes)
            return (Response.json(tag: tag, encoded: json.bytes), upcoming.nextChangeAt)
        }
    }

    /// Milliseconds after midnight of `?allDayTime=HH:MM`.
    private static func allDayTime(_ query: Query) throws -> Int64 {
        guard let text = query["allDayTime"] else { return DueDate.morning }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isSpelled =
            parts.count == 2
            && parts.allSatisfy { part in
                part.utf8.count == 2 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
        guard isSpelled, let hour = Int64(parts[0]), let minute = Int64(parts[1]), hour < 24, minute < 60 else {
            throw Problem(.invalidParameter, "allDayTime takes a time of day like 09:00.")
        }
        return (hour * 60 + minute) * 60_000
    }
}

/// The tasks that are not done and whose deadline is to come, by when they fire.
struct Upcoming: Sendable {
    struct Item: Sendable {
        var task: TaskItem
        var fireAt: Timestamp
        /// When the deadline passes.
        var end: Timestamp
    }

    let items: [Item]
    /// The first instant at which a task fires or its deadline passes, be it beyond the limit.
    let nextChangeAt: Timestamp?

    /// - Parameter allDayTime: milliseconds after midnight.
    init(_ reader: any BoardReader, at moment: Moment, limit: Int, allDayTime: Int64) throws {
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
            // The store goes by 00:00 UTC, and an all-day task may fire so much before that.
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

    /// How far ahead of UTC a zone may be.
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
