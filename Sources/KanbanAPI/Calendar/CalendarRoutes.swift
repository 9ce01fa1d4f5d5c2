import HTTP
import Kanban
import KanbanWire

/// The board as a calendar that other apps subscribe to.
package struct CalendarRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(
                .get, "/calendar.ics", "showCalendar", audience: .calendar, parameters: ["timeZone", "token"],
                isCached: true,
                show)
        ]
    }

    private func show(_ call: Call) async throws -> Response {
        // Nothing in it goes with the clock, so that who has it is told without writing it all again.
        let tag = try call.read { try Self.tag($0, call.zone($0)) }
        let sent = try call.environment.tagScope(of: call.access)?.apply(to: tag) ?? tag
        if EntityTag.matches(sent, ifNoneMatch: call.request.headers.values("if-none-match")) {
            return Response(status: 304, headers: [("ETag", tag)])
        }
        return try await call.cached(aside: true) { reader in
            let zone = try call.zone(reader)
            var calendar = ICalendarWriter(capacity: 1 << 16)
            try calendar.write(reader, zone: zone)
            let answer = Response(
                status: 200,
                headers: [
                    ("Content-Type", "text/calendar; charset=utf-8"), ("ETag", try Self.tag(reader, zone)),
                    ("Content-Disposition", "inline; filename=\"kanbase.ics\""),
                ],
                body: .bytes(calendar.bytes))
            return (answer, nil)
        }
    }

    private static func tag(_ reader: any BoardReader, _ zone: Zone) throws -> String {
        EntityTag.tag(try reader.feedState().revision, digestOf: zone.name.utf8)
    }
}
