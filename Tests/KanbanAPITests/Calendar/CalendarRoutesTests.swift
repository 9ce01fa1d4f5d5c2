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
        await board.send(.patch, "/settings", #"{"timeZone": "Asia/Seoul"}"#)
        let rules = [
            ("2099-01-05", "FREQ=WEEKLY;BYDAY=MO;COUNT=3"), ("2099-01-31", "FREQ=MONTHLY;SKIP=BACKWARD"),
            ("2099-01-31T09:00:00Z", "FREQ=DAILY;SKIP=BACKWARD"), ("2099-02-01", "FREQ=MONTHLY;SKIP=OMIT"),
            // In Seoul it is the next day.
            ("2099-03-02", "FREQ=DAILY;UNTIL=20990310T160000Z"),
        ]
        for (due, rule) in rules {
            let task = try await board.task("{\"dueDate\": \"\(due)\", \"recurrence\": {\"rule\": \"\(rule)\"}}")
            await board.send(.post, "/tasks/\(task.id)/move", #"{"status": "done"}"#)
        }

        let todos = await board.send(.get, "/calendar.ics?as=todos").lines("VTODO").flatMap(\.self)
        let events = await board.send(.get, "/calendar.ics").lines("VEVENT")

        let repeated = events.filter { $0.contains { $0.hasPrefix("RRULE") } }
        #expect(
            repeated.map { $0.filter { $0.hasPrefix("RRULE") || $0.hasPrefix("DTSTART") } } == [
                ["DTSTART;VALUE=DATE:20990112", "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2"],
                ["DTSTART;VALUE=DATE:20990301", "RRULE:FREQ=MONTHLY"],
                ["DTSTART;VALUE=DATE:20990303", "RRULE:FREQ=DAILY;UNTIL=20990311"],
            ])
        // A start would have to be before the due date.
        #expect(todos.contains("DUE;VALUE=DATE:20990112"))
        #expect(!todos.contains { $0.hasPrefix("RRULE") || $0.hasPrefix("DTSTART") })
    }

    @Test func `what repeats at a time of day keeps to the clocks of its zone`() async throws {
        await board.send(.patch, "/settings", #"{"timeZone": "Asia/Seoul"}"#)
        let rules = [
            ("2099-01-31T09:00:00Z", "FREQ=DAILY;UNTIL=20990210", "null"),
            ("2099-02-01T14:00:00Z", "FREQ=WEEKLY;UNTIL=20990501T120000Z", "\"America/New_York\""),
            ("2099-03-01T09:30:00Z", "FREQ=DAILY", "\"UTC\""),
        ]
        for (due, rule, zone) in rules {
            try await board.task(
                "{\"dueDate\": \"\(due)\", \"recurrence\": {\"rule\": \"\(rule)\", \"timeZone\": \(zone)}}")
        }

        let answer = await board.send(.get, "/calendar.ics")

        let said = answer.lines("VEVENT").map { $0.filter { $0.hasPrefix("RRULE") || $0.hasPrefix("DT") }.dropFirst() }
        #expect(
            said == [
                // Till the end of the day in Seoul.
                [
                    "DTSTART;TZID=Asia/Seoul:20990131T180000", "DTEND;TZID=Asia/Seoul:20990131T183000",
                    "RRULE:FREQ=DAILY;UNTIL=20990210T145959Z",
                ],
                [
                    "DTSTART;TZID=America/New_York:20990201T090000", "DTEND;TZID=America/New_York:20990201T093000",
                    "RRULE:FREQ=WEEKLY;UNTIL=20990501T120000Z",
                ],
                ["DTSTART:20990301T093000Z", "DTEND:20990301T100000Z", "RRULE:FREQ=DAILY"],
            ])
        let zones = answer.lines("VTIMEZONE")
        #expect(zones.map(\.first) == ["TZID:Asia/Seoul", "TZID:America/New_York"])
        #expect(
            zones.first == [
                "TZID:Asia/Seoul", "BEGIN:STANDARD", "DTSTART:20980130T180000", "TZOFFSETFROM:+0900",
                "TZOFFSETTO:+0900",
                "END:STANDARD",
            ])
        let summer = zones.last?.drop { $0 != "BEGIN:DAYLIGHT" }.prefix { $0 != "END:DAYLIGHT" }.dropFirst() ?? []
        // As the clocks show it before they are set: two in the morning of the second Sunday of March.
        #expect(summer.first == "DTSTART:20980309T020000")
        #expect(summer.dropFirst().first?.hasPrefix("RDATE:20990308T020000,21000314T020000,") == true)
        #expect(summer.dropFirst(2) == ["TZOFFSETFROM:-0500", "TZOFFSETTO:-0400"])

        let todos = await board.send(.get, "/calendar.ics?as=todos")
        #expect(todos.lines("VTODO").dropFirst().first?.contains("DUE:20990201T140000Z") == true)
        #expect(todos.lines("VTIMEZONE").isEmpty)
    }

    @Test func `each occurrence of an event rings, and so does the only one of a to-do`() async throws {
        let rule = #""recurrence": {"rule": "FREQ=DAILY"}"#
        let reminders = #""reminders": ["-P1DT30M", "-PT9H", "PT0S", "2099-01-01T00:00:00Z"]"#
        try await board.task("{\"dueDate\": \"2099-01-05T09:00:00Z\", \(rule), \(reminders)}")
        try await board.task("{\"dueDate\": \"2099-01-06\", \(rule), \(reminders)}")
        try await board.task("{\"dueDate\": \"2099-01-07\", \(rule)}")
        func triggers(_ answer: Answer, _ component: String) -> [[String]] {
            answer.lines(component).map { $0.filter { $0.hasPrefix("TRIGGER") }.map { String($0.dropFirst(7)) } }
        }

        let events = triggers(await board.send(.get, "/calendar.ics"), "VEVENT")
        let todos = triggers(await board.send(.get, "/calendar.ics?as=todos"), "VTODO")

        // A day begins at midnight and reminds at nine.
        let once = ";VALUE=DATE-TIME:20990101T000000Z"
        #expect(
            events == [
                [once, ":-P1DT30M", ":-PT9H", ":PT0S"], [once, ":-PT15H30M", ":PT0S", ":PT9H"], [":PT9H"],
            ])
        #expect(todos.allSatisfy { $0.allSatisfy { $0.hasPrefix(";VALUE=DATE-TIME:") } })
        #expect(todos.map(\.count) == [4, 4, 1])
    }

    @Test func `a due time that a change of clocks shifted has no rule`() async throws {
        // Half past two in New York. On 8 March, clocks go from two to three.
        let task = try await board.task(
            #"{"dueDate": "2099-03-07T07:30:00Z", "recurrence": {"rule": "FREQ=DAILY", "timeZone": "America/New_York"}}"#
        )
        #expect(await board.send(.get, "/calendar.ics").lines("VEVENT").first?.contains("RRULE:FREQ=DAILY") == true)

        await board.send(.post, "/tasks/\(task.id)/move", #"{"status": "done"}"#)

        let events = await board.send(.get, "/calendar.ics").lines("VEVENT").flatMap(\.self)
        #expect(events.contains("DTSTART:20990308T073000Z"))
        #expect(!events.contains { $0.hasPrefix("RRULE") })
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
    /// The lines as they are in the file.
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
