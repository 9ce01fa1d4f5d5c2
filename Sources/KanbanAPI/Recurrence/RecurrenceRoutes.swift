import HTTP
import JSON
import Kanban
import KanbanWire

/// What a rule of repetition means, for a preview in any client.
package struct RecurrenceRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/recurrence", "previewRecurrence", parameters: ["rule", "start", "count"], preview)]
    }

    private func preview(_ call: Call) async throws -> Response {
        let rule = try Self.rule(call.query)
        let start = try Self.start(call.query)
        let count = try call.query.integer("count", 1...100) ?? 5
        let zone = try await call.read { try call.zone($0) }
        // The start is the first occurrence.
        let most = if case .count(let all) = rule.end { min(count, all - 1) } else { count }
        var dates: [DueDate] = []
        var last = start
        while dates.count < most, let next = rule.next(after: last, from: start, in: zone) {
            dates.append(next)
            last = next
        }
        return .json { json in
            json.beginObject()
            json.name("items")
            json.beginArray()
            for date in dates { json.value(date.text) }
            json.endArray()
            json.name("nextCursor")
            json.null()
            json.endObject()
        }
    }

    private static func rule(_ query: Query) throws -> RecurrenceRule {
        guard let text = query["rule"] else {
            throw Problem(.invalidParameter, "rule is missing: a rule such as FREQ=WEEKLY;BYDAY=MO.")
        }
        do throws(RecurrenceFault) {
            return try RecurrenceRule(parsing: text)
        } catch {
            throw BoardError.invalid("#/rule", .invalidRecurrence, "\(error.part): \(error.detail)")
        }
    }

    private static func start(_ query: Query) throws -> DueDate {
        guard let text = query.time("start"), let start = DueDate(text) else {
            throw Problem(
                .invalidParameter, "start takes the first date: a day such as 2027-01-31, or a date-time with offset.")
        }
        return start
    }
}
