import HTTP
import Kanban
import KanbanWire

/// The board as a calendar that other apps subscribe to.
package struct CalendarRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(
                .get, "/calendar.ics", "showCalendar", audience: .calendar, parameters: ["as", "timeZone", "token"],
                show)
        ]
    }

    private func show(_ call: Call) async throws -> Response {
        let forms = Dictionary(uniqueKeysWithValues: CalendarForm.allCases.map { ($0.rawValue, $0) })
        let form = try call.query.choice("as", forms) ?? .events
        // Read before the data: what is sent has this revision or a newer one.
        let (zone, tag) = try await call.read { reader in
            let zone = try call.zone(reader)
            return (
                zone, EntityTag.tag(try reader.feedState().revision, digestOf: "\(form.rawValue) \(zone.name)".utf8)
            )
        }
        return try call.stream(
            contentType: "text/calendar; charset=utf-8", tag: tag,
            headers: [("Content-Disposition", "inline; filename=\"kanbase.ics\"")]
        ) { reader, emit in
            var calendar = ICalendarWriter(capacity: 1 << 17)
            try calendar.write(reader, as: form, zone: zone, emit)
        }
    }
}
