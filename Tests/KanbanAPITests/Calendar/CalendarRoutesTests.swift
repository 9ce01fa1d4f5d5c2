import HTTP
import JSON
import Kanban
import Testing

@testable import KanbanAPI

struct CalendarRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard(zone: "Asia/Seoul")
    }

    @Test func `a task with a due date is a to-do, all day or timed`() async throws {
        let timed = try await board.task(
            #"{"title": "회의", "body": "a\nb; c, d\\", "status": "doing", "dueDate": "2026-12-01T18:00:00+09:00", "categoryName": "일, 집"}"#
        )
        let allDay = try await board.task(#"{"title": "x", "dueDate": "2026-12-02"}"#)
        try await board.task(#"{"title": "undated"}"#)

        let answer = await board.send(.get, "/calendar.ics")

        #expect(answer["Content-Type"] == "text/calendar; charset=utf-8")
        #expect(
            answer.lines("VTODO").first == [
                "UID:\(timed.id)", "DTSTAMP:20261120T081900Z", "CREATED:20261120T081900Z",
                "LAST-MODIFIED:20261120T081900Z", "SUMMARY:회의", #"DESCRIPTION:a\nb\; c\, d\\"#, "DUE:20261201T090000Z",
                "STATUS:IN-PROCESS", #"CATEGORIES:일\, 집"#, "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:회의",
                "TRIGGER;VALUE=DATE-TIME:20261201T090000Z", "END:VALARM",
            ])
        let second = try #require(answer.lines("VTODO").last)
        #expect(second.contains("UID:\(allDay.id)") && second.contains("DUE;VALUE=DATE:20261202"))
        // Nine in the morning in Seoul.
        #expect(second.contains("TRIGGER;VALUE=DATE-TIME:20261202T000000Z"))
        #expect(answer.lines("VTODO").count == 2)
    }

    @Test func `what is done is completed and wakes nobody`() async throws {
        try await board.task(#"{"title": "x", "dueDate": "2026-12-02", "status": "done"}"#)

        let lines = try #require(await board.send(.get, "/calendar.ics").lines("VTODO").first)

        #expect(lines.contains("STATUS:COMPLETED") && lines.contains("COMPLETED:20261120T081900Z"))
        #expect(!lines.contains("BEGIN:VALARM"))
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
        let tag = try #require(await board.send(.get, "/calendar.ics")["ETag"])
        board.clock.advance(seconds: 100_000)

        #expect(await board.send(.get, "/calendar.ics", headers: [("If-None-Match", tag)]).status == 304)
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
