import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

struct CalendarRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard(zone: "Asia/Seoul")
    }

    private func makeTasks() async throws -> (timed: JSON, allDay: JSON) {
        let timed = try await board.task(
            #"{"title": "회의", "body": "a\nb; c, d\\", "status": "doing", "dueDate": "2026-12-01T18:00:00+09:00", "categoryName": "일, 집"}"#
        )
        let allDay = try await board.task(#"{"title": "x", "dueDate": "2026-12-02"}"#)
        try await board.task(#"{"title": "undated"}"#)
        return (timed, allDay)
    }

    @Test func `a task with a due date is an event, all day or of half an hour`() async throws {
        let (timed, allDay) = try await makeTasks()

        let answer = await board.send(.get, "/calendar.ics")

        #expect(answer.header("Content-Type") == "text/calendar; charset=utf-8")
        #expect(
            answer.lines("VEVENT").first == [
                "UID:\(timed.id)", "DTSTAMP:20261120T081900Z", "CREATED:20261120T081900Z",
                "LAST-MODIFIED:20261120T081900Z", "SUMMARY:회의", #"DESCRIPTION:a\nb\; c\, d\\"#,
                "DTSTART:20261201T090000Z", "DTEND:20261201T093000Z", "TRANSP:TRANSPARENT", #"CATEGORIES:일\, 집"#,
                "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:회의", "TRIGGER;VALUE=DATE-TIME:20261201T090000Z",
                "END:VALARM",
            ])
        let second = try #require(answer.lines("VEVENT").last)
        #expect(second.contains("UID:\(allDay.id)") && second.contains("DTSTART;VALUE=DATE:20261202"))
        // Nine in the morning in Seoul.
        #expect(second.contains("TRIGGER;VALUE=DATE-TIME:20261202T000000Z"))
        #expect(answer.lines("VEVENT").count == 2 && answer.lines("VTODO").isEmpty)
        #expect(await board.send(.get, "/calendar.ics?as=events").body == answer.body)
    }

    @Test func `a task with a due date is a to-do on request`() async throws {
        let (timed, allDay) = try await makeTasks()

        let answer = await board.send(.get, "/calendar.ics?as=todos")

        #expect(
            answer.lines("VTODO").first == [
                "UID:\(timed.id)", "DTSTAMP:20261120T081900Z", "CREATED:20261120T081900Z",
                "LAST-MODIFIED:20261120T081900Z", "SUMMARY:회의", #"DESCRIPTION:a\nb\; c\, d\\"#, "DUE:20261201T090000Z",
                "STATUS:IN-PROCESS", #"CATEGORIES:일\, 집"#, "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:회의",
                "TRIGGER;VALUE=DATE-TIME:20261201T090000Z", "END:VALARM",
            ])
        let second = try #require(answer.lines("VTODO").last)
        #expect(second.contains("UID:\(allDay.id)") && second.contains("DUE;VALUE=DATE:20261202"))
        #expect(answer.lines("VTODO").count == 2 && answer.lines("VEVENT").isEmpty)
    }

    @Test func `what is done is ticked and wakes nobody`() async throws {
        try await board.task(#"{"title": "x", "dueDate": "2026-12-02", "status": "done"}"#)

        let event = try #require(await board.send(.get, "/calendar.ics").lines("VEVENT").first)
        let todo = try #require(await board.send(.get, "/calendar.ics?as=todos").lines("VTODO").first)

        #expect(event.contains("SUMMARY:✓ x") && !event.contains("BEGIN:VALARM"))
        #expect(todo.contains("STATUS:COMPLETED") && todo.contains("COMPLETED:20261120T081900Z"))
        #expect(todo.contains("SUMMARY:x") && !todo.contains("BEGIN:VALARM"))
    }

    @Test func `an event ends within the years that a calendar can write`() async throws {
        try await board.task(#"{"title": "x", "dueDate": "9999-12-31T23:45:00Z"}"#)

        let event = try #require(await board.send(.get, "/calendar.ics").lines("VEVENT").first)

        #expect(event.contains("DTSTART:99991231T234500Z") && !event.contains { $0.hasPrefix("DTEND") })
    }

    @Test func `another form is refused`() async throws {
        #expect(await board.send(.get, "/calendar.ics?as=journals").code == "invalid_parameter")
        #expect(await board.send(.get, "/calendar.ics?as=").code == "invalid_parameter")
    }

    @Test func `the open occurrence has its rule where a calendar would mean the same`() async throws {
        let rules = [
            ("2099-01-05", "FREQ=WEEKLY;BYDAY=MO;COUNT=3"), ("2099-01-31", "FREQ=MONTHLY;SKIP=BACKWARD"),
            ("2099-01-31T09:00:00Z", "FREQ=DAILY"),
        ]
        for (due, rule) in rules {
            let task = try await board.task("{\"dueDate\": \"\(due)\", \"recurrence\": {\"rule\": \"\(rule)\"}}")
            await board.send(.post, "/tasks/\(task.id)/move", #"{"status": "done"}"#)
        }

        let todos = await board.send(.get, "/calendar.ics?as=todos").lines("VTODO").flatMap(\.self)
        let events = await board.send(.get, "/calendar.ics").lines("VEVENT")

        let rule = ["DTSTART;VALUE=DATE:20990112", "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2"]
        #expect(todos.filter { $0.hasPrefix("RRULE") || $0.hasPrefix("DTSTART") }.sorted() == rule)
        let repeated = events.filter { $0.contains { $0.hasPrefix("RRULE") } }
        #expect(repeated.map { $0.filter { $0.hasPrefix("RRULE") || $0.hasPrefix("DTSTART") } } == [rule])
    }

    @Test func `a D-day is an event of one day, every year where it repeats`() async throws {
        for (title, date, repeats) in [
            ("once", "2026-12-25", "none"), ("yearly", "2000-05-05", "yearly"), ("leap", "2000-02-29", "yearly"),
        ] {
            await board.send(
                .post, "/ddays", "{\"title\": \"\(title)\", \"date\": \"\(date)\", \"repeats\": \"\(repeats)\"}")
        }

        let events = await board.send(.get, "/calendar.ics").lines("VEVENT")

        #expect(
            events.map { $0.filter { $0.hasPrefix("DTSTART") || $0.hasPrefix("RRULE") } } == [
                ["DTSTART;VALUE=DATE:20000229", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"],
                ["DTSTART;VALUE=DATE:20000505", "RRULE:FREQ=YEARLY"], ["DTSTART;VALUE=DATE:20261225"],
            ])
    }

    @Test func `the tag holds until something is written`() async throws {
        let tag = try #require(await board.send(.get, "/calendar.ics").header("ETag"))
        board.clock.advance(seconds: 100_000)

        #expect(await board.send(.get, "/calendar.ics", headers: [("If-None-Match", tag)]).status == 304)
        #expect(await board.send(.get, "/calendar.ics?as=todos", headers: [("If-None-Match", tag)]).status == 200)
        try await board.task(#"{"dueDate": "2026-12-02"}"#)
        #expect(await board.send(.get, "/calendar.ics", headers: [("If-None-Match", tag)]).status == 200)
    }
}

extension Answer {
    /// The lines within each component of this name.
    func lines(_ component: String) -> [[String]] {
        var components: [[String]] = []
        var isInside = false
        for line in String(decoding: body, as: UTF8.self).unfolded {
            if line == "END:\(component)" { isInside = false }
            if isInside { components[components.count - 1].append(line) }
            if line == "BEGIN:\(component)" {
                isInside = true
                components.append([])
            }
        }
        return components
    }
}

extension String {
    /// The lines as they stand in the file.
    var unfoldable: [String] {
        var lines = utf8Lines
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// The content lines.
    var unfolded: [String] {
        unfoldable.reduce(into: []) { lines, line in
            // Not by character: a joiner after the space makes one of both.
            if line.utf8.first == UInt8(ascii: " ") {
                lines[lines.count - 1] += String(line.unicodeScalars.dropFirst())
            } else {
                lines.append(line)
            }
        }
    }

    /// By bytes: Swift takes CR LF for one character, and a folded line may begin with a joiner.
    private var utf8Lines: [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        for byte in utf8 where byte != 0x0d {
            if byte == 0x0a {
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            } else {
                line.append(byte)
            }
        }
        return lines + [String(decoding: line, as: UTF8.self)]
    }
}
