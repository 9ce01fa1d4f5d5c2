import HTTP
import JSON
import Kanban
import KanbanWire

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
