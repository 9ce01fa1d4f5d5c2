import HTTP
import JSON
import Kanban
import KanbanWire

/// The reminders to come, each with its task.
package struct UpcomingRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/upcoming", "listUpcoming", parameters: ["limit", "allDayTime"], isCached: true, list)]
    }

    private func list(_ call: Call) async throws -> Response {
        let limit = try call.query.limit(default: 64)
        let given = try Self.allDayTime(call.query)
        // Usually one page, but a thousand tasks may be due on one day.
        return try await call.cached(aside: true) { reader in
            let moment = try call.moment(reader)
            let allDayTime = try given ?? reader.settings().allDayAlarm
            let upcoming = try Upcoming(reader, at: moment, limit: limit, allDayTime: allDayTime)
            var json = JSONWriter(capacity: 512 + upcoming.items.count * 512)
            json.beginObject()
            json.name("items")
            json.beginArray()
            for item in upcoming.items {
                json.value(item.task, also: "fireAt") {
                    $0.value(item.fireAt)
                    $0.name("notificationId")
                    $0.value(item.notificationID)
                }
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
    private static func allDayTime(_ query: Query) throws -> Int64? {
        guard let text = query["allDayTime"] else { return nil }
        guard let time = TimeOfDay.milliseconds(text) else {
            throw Problem(.invalidParameter, "allDayTime takes a time of day like 09:00.")
        }
        return time
    }
}
