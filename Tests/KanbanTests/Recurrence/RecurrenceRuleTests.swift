import Foundation
import Testing

@testable import Kanban

struct RecurrenceRuleTests {
    /// `Tests/Cases/recurrence.txt`, made with python-dateutil by `Tests/Cases/make-recurrence`.
    @Test func `the days of a rule are those of dateutil`() throws {
        let tests = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let lines = try String(contentsOf: tests.appending(path: "Cases/recurrence.txt"), encoding: .utf8)
            .split(separator: "\n")

        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            let rule = try RecurrenceRule(parsing: words[0])
            let start = try Day.parse(words[1])
            var days: [String] = []
            var day = start
            while days.count < 5, let next = rule.next(after: day, from: start) {
                days.append(next.description)
                day = next
            }
            if days != Array(words.dropFirst(2)) { Issue.record("\(line): \(days.joined(separator: " "))") }
        }
        #expect(lines.count >= 5000)
    }

    private static let misunderstood: [(String, String)] = [
        ("", "RRULE"), ("DAILY", "RRULE"), ("FREQ", "RRULE"), ("FREQ=DAILY;", "RRULE"),
        ("RRULE:FREQ=DAILY", "FREQ"),
        ("FREQ=DAILY;FREQ=DAILY", "FREQ"), ("INTERVAL=2", "FREQ"), ("FREQ=HOURLY", "FREQ"), ("FREQ=", "FREQ"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL"), ("FREQ=DAILY;INTERVAL=1001", "INTERVAL"),
        ("FREQ=DAILY;INTERVAL=+2", "INTERVAL"), ("FREQ=DAILY;COUNT=+5", "COUNT"),
        ("FREQ=DAILY;INTERVAL=x", "INTERVAL"),
        ("FREQ=DAILY;COUNT=0", "COUNT"), ("FREQ=DAILY;COUNT=3;UNTIL=20271231", "UNTIL"),
        ("FREQ=DAILY;UNTIL=2027-12-31", "UNTIL"),
        ("FREQ=DAILY;UNTIL=20270229", "UNTIL"), ("FREQ=DAILY;UNTIL=20271231T150000", "UNTIL"),
        ("FREQ=DAILY;UNTIL=", "UNTIL"),
        ("FREQ=WEEKLY;BYDAY=XX", "BYDAY"), ("FREQ=WEEKLY;BYDAY=", "BYDAY"), ("FREQ=WEEKLY;BYDAY=2MO", "BYDAY"),
        ("FREQ=MONTHLY;BYDAY=0MO", "BYDAY"), ("FREQ=MONTHLY;BYDAY=6MO", "BYDAY"), ("FREQ=YEARLY;BYDAY=54MO", "BYDAY"),
        ("FREQ=MONTHLY;BYDAY=MO,", "BYDAY"), ("FREQ=WEEKLY;BYMONTHDAY=3", "BYMONTHDAY"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY"),
        ("FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY"), ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "BYMONTHDAY"),
        ("FREQ=YEARLY;BYMONTH=13", "BYMONTH"), ("FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2", "BYSETPOS"),
        ("FREQ=DAILY;WKST=XY", "WKST"), ("FREQ=MONTHLY;SKIP=FORWARD", "SKIP"), ("FREQ=DAILY;BYHOUR=9", "BYHOUR"),
        ("FREQ=DAILY; INTERVAL=2", "RRULE"), ("FREQ=DAILY;X=\u{e9}", "RRULE"),
        (String(repeating: "A", count: 501), "RRULE"),
    ]

    @Test(arguments: misunderstood)
    func `a rule that is not understood names the part`(text: String, part: String) {
        let fault = #expect(throws: RecurrenceFault.self) { try RecurrenceRule(parsing: text) }

        #expect(fault?.part == part)
    }

    @Test func `the case of letters does not matter, and the text stays as it was`() throws {
        let rule = try RecurrenceRule(parsing: "freq=weekly;byday=mo,We;wkst=su")

        #expect(rule.frequency == .weekly && rule.weekdays.map(\.weekday) == [.monday, .wednesday])
        #expect(rule.weekStart == .sunday && rule.text == "freq=weekly;byday=mo,We;wkst=su")
    }

    @Test(arguments: [
        ("FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", "2027-01-31", "2027-02-28 2027-03-31 2027-04-30"),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "2027-01-31", "2027-03-31 2027-05-31 2027-07-31"),
        ("FREQ=YEARLY;SKIP=BACKWARD", "2024-02-29", "2025-02-28 2026-02-28 2027-02-28"),
        ("FREQ=YEARLY", "2024-02-29", "2028-02-29 2032-02-29 2036-02-29"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;SKIP=BACKWARD", "2027-01-01", "2027-02-28 2028-02-29 2029-02-28"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO", "1997-08-05", "1997-08-10 1997-08-19 1997-08-24"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "1997-08-05", "1997-08-17 1997-08-19 1997-08-31"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-11-30", "2026-12-31 2027-01-29 2027-02-26"),
        ("FREQ=YEARLY;BYDAY=20MO", "1997-05-19", "1998-05-18 1999-05-17 2000-05-15"),
        // Numbered days beside others: any of them (RFC 5545).
        ("FREQ=MONTHLY;BYDAY=1MO,FR", "2027-01-01", "2027-01-04 2027-01-08 2027-01-15"),
        ("FREQ=DAILY;UNTIL=20270103", "2027-01-01", "2027-01-02 2027-01-03"),
        ("FREQ=DAILY;INTERVAL=7;BYDAY=TU", "2027-01-04", ""),
        ("FREQ=DAILY", "9999-12-30", "9999-12-31"),
    ])
    func `days that people mean`(text: String, start: String, expected: String) throws {
        let rule = try RecurrenceRule(parsing: text)
        let start = DueDate.day(try Day.parse(start))
        var days: [String] = []
        var due = start
        while days.count < 3, let next = rule.next(after: due, from: start, in: .utc) {
            days.append(next.text)
            due = next
        }

        #expect(days.joined(separator: " ") == expected)
    }

    @Test(arguments: [
        "Asia/Seoul", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Santiago",
        "Africa/Casablanca", "Asia/Kathmandu",
    ])
    func `the local time stays over forty years, and no occurrence is skipped or doubled`(name: String) throws {
        let zone = try #require(Zone(name: name))
        let rule = try RecurrenceRule(parsing: "FREQ=DAILY")
        for time in [Int64(0), 90, 150, 18 * 60].map({ $0 * 60_000 }) {
            let first = try #require(Day("2000-01-01"))
            let start = DueDate.instant(zone.instant(of: WallClock(day: first, time: time)))
            var due = start
            var day = first
            while day.year < 2040 {
                let next = try #require(rule.next(after: due, from: start, in: zone))
                day = day.adding(days: 1)
                let expected = zone.instant(of: WallClock(day: day, time: time))
                // A day that the zone left out has the instant of the day after it.
                guard case .instant(let instant) = due, expected > instant else { continue }
                guard next == .instant(expected) else {
                    Issue.record("\(name) \(due) → \(next), not \(expected)")
                    return
                }
                due = next
            }
        }
    }

    @Test func `an instant is asked for again from anywhere in the series`() throws {
        let zone = try #require(Zone(name: "America/New_York"))
        let rule = try RecurrenceRule(parsing: "FREQ=WEEKLY;UNTIL=20270415T000000Z")
        let start = try #require(DueDate("2027-03-01T09:00:00-05:00"))

        // The clocks change on 2027-03-14.
        #expect(rule.next(after: start, from: start, in: zone)?.text == "2027-03-08T14:00:00.000Z")
        #expect(
            try rule.next(after: #require(DueDate("2027-03-14T00:00:00Z")), from: start, in: zone)?.text
                == "2027-03-15T13:00:00.000Z")
        #expect(
            try rule.next(after: #require(DueDate("2027-03-15T12:59:59Z")), from: start, in: zone)?.text
                == "2027-03-15T13:00:00.000Z")
        #expect(try rule.next(after: #require(DueDate("2027-04-12T13:00:00Z")), from: start, in: zone) == nil)
    }
}
