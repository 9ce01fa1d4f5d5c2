import Foundation
import TestSupport
import Testing

@testable import Kanban

/// Zones with and without daylight saving, with halves and quarters of hours, at both ends of the day, with changes at
/// midnight, and with days left out.
let instructiveZones = [
    "UTC", "Asia/Seoul", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns",
    "Asia/Kathmandu", "Pacific/Kiritimati", "Etc/GMT+12", "Pacific/Apia", "America/Sao_Paulo", "Africa/Casablanca",
    "America/Havana", "Pacific/Chatham",
]

struct ZoneTests {
    @Test(arguments: [
        "Asia/Seoul", "Asia/Calcutta", "America/Argentina/Buenos_Aires", "Etc/GMT+3", "Etc/UTC", "UTC", "GMT", "ROK",
        "EST",
        "US/Pacific",
    ])
    func `a name of the database is a zone`(name: String) {
        #expect(Zone(name: name)?.name == name)
    }

    @Test(arguments: [
        "", "KST", "PST", "JST", "GMT+3", "GMT+0300", "UTC+9", "+09:00", "Z", "asia/seoul", "Asia/seoul", "Asia/Seoul ",
        "Asia", "Asia/", "/", "Asia/Atlantis", "Etc/GMT+99", "SystemV/PST8", "../Asia/Seoul", "posix/Asia/Seoul",
        "localtime",
        "Asia/Seoul\u{0}",
    ])
    func `anything else is not`(name: String) {
        #expect(Zone(name: name) == nil)
    }

    @Test(arguments: instructiveZones)
    func `days begin where Foundation's calendar says`(name: String) throws {
        let zone = try #require(Zone(name: name))
        var calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        var random = SeededRandom(seed: 2)

        for _ in 0..<1_500 {
            let instant = Timestamp(milliseconds: .random(in: -3_000_000_000_000...8_000_000_000_000, using: &random))
            let date = Date(timeIntervalSince1970: Double(instant.milliseconds.dividedFloor(by: 1_000).quotient))
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let day = zone.day(of: instant)

            #expect([day.year, day.month, day.day] == [parts.year, parts.month, parts.day])
            let start = zone.startOfDay(day)
            #expect(zone.day(of: start) == day && zone.day(of: start.adding(milliseconds: -1)) < day)
        }
    }

    @Test(arguments: [
        // Clocks go forward at midnight: the day begins at one.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z"),
        ("America/Havana", "2026-03-08", "2026-03-08T05:00:00.000Z"),
        // Samoa left out 30 December 2011.
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00.000Z"),
        // The clocks of Newfoundland went back at one minute past midnight.
        ("America/St_Johns", "2010-11-07", "2010-11-07T02:30:00.000Z"),
        ("Pacific/Kiritimati", "2026-11-20", "2026-11-19T10:00:00.000Z"),
    ])
    func `a day begins at its first instant`(name: String, day: String, start: String) throws {
        let zone = try #require(Zone(name: name))
        let day = try Day.parse(day)

        #expect(zone.startOfDay(day).description == start)
    }

    @Test func `clocks that go back over midnight bring the day before once more`() throws {
        let zone = try #require(Zone(name: "America/St_Johns"))
        let evening = try Timestamp.parse("2010-11-06T20:00:00-02:30")

        let midnight = zone.nextDayChange(after: evening)
        let back = zone.nextDayChange(after: midnight)
        let again = zone.nextDayChange(after: back)

        #expect(midnight.description == "2010-11-07T02:30:00.000Z")
        #expect(back.description == "2010-11-07T02:31:00.000Z")
        #expect(again.description == "2010-11-07T03:30:00.000Z")
        #expect(zone.day(of: back).description == "2010-11-06")
    }
}
