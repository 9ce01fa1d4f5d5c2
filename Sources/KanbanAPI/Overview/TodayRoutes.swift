import HTTP
import JSON
import Kanban
import KanbanWire

/// The content of a widget or a cover, in one call.
package struct TodayRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/today", "showToday", parameters: ["latitude", "longitude", "limit"], isCached: true, show)]
    }

    private func show(_ call: Call) async throws -> Response {
        let coordinates = try call.query.coordinates()
        let limit = try call.query.limit(default: 100)
        let sky = await weather(at: coordinates, call)
        let answer = { @Sendable (reader: any BoardReader) in
            let moment = try call.moment(reader)
            let language = try call.language(reader)
            let today = try Today(reader, at: moment, limit: limit)
            var json = JSONWriter(capacity: 4096 + (today.overdue.tasks.count + today.due.tasks.count) * 600)
            json.beginObject()
            json.name("date")
            json.value(moment.today.description)
            let late = json.value(today.overdue, named: "overdue", TaskView(moment: moment, language: language))
            let start = json.bytes.count
            let due = json.value(today.due, named: "today", TaskView(moment: moment, language: language))
            let end = json.bytes.count
            json.name("ddays")
            json.value(today.ddays, countedFrom: moment.today)
            json.name("progress")
            json.value(today.progress)
            json.name("weather")
            let weather = json.bytes.count
            if let sky { json.value(sky) } else { json.null() }
            json.name("nextChangeAt")
            // The date changes then; before that only `remaining` and `validUntil` change.
            json.value(moment.dayEnds)
            json.endObject()
            // Everything else depends on the revision and these. The overdue tasks change during a day only where
            // clocks are set over midnight.
            let until = late == nil || late == moment.dayEnds ? "" : "\(late ?? moment.dayEnds)"
            var decisive = Array("\(moment.today) \(until) \(moment.zone.name) \(language.rawValue) \(limit) ".utf8)
            decisive += json.bytes[start..<end]
            decisive += json.bytes[weather...]
            let tag = EntityTag.tag(try reader.feedState().revision, digestOf: decisive)
            return (
                answer: Response.json(tag: tag, headers: [("Vary", "Accept-Language")], encoded: json.bytes),
                validUntil: min(due ?? moment.dayEnds, late ?? moment.dayEnds)
            )
        }
        // The weather changes without a write.
        return coordinates == nil
            ? try await call.cached(aside: true, answer)
            : try await call.store.readAside(call.account, answer).answer
    }

    /// The weather; `nil` after any error, because the answer is useful without it.
    private func weather(at coordinates: Coordinates?, _ call: Call) async -> Weather? {
        guard let coordinates, let service = call.environment.weather else { return nil }
        do {
            return try await service.weather(at: coordinates)
        } catch {
            return nil
        }
    }
}

extension JSONWriter {
    /// The tasks with their deadlines, and the number of all.
    /// - Returns: when the first of them changes without a write; `nil` when none does.
    fileprivate mutating func value(_ head: TaskHead, named member: String, _ view: TaskView) -> Timestamp? {
        var view = view
        name(member)
        beginArray()
        for task in head.tasks { view.write(task, into: &self) }
        endArray()
        name("\(member)Count")
        value(head.count)
        return view.validUntil
    }

    fileprivate mutating func value(_ ddays: [DDay], countedFrom today: Day) {
        let view = DDayView(today: today)
        beginArray()
        for dday in ddays { view.write(dday, into: &self) }
        endArray()
    }
}
