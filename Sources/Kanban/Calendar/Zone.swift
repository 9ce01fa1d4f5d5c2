import Foundation
import Locks

/// A time zone of the IANA database: where a user's days begin.
///
/// Foundation knows the rules; this keeps the offsets of the years 1900–2199 in a table, because a list of tasks asks for
/// thousands of them, and tells where the table ends by asking Foundation itself.
package struct Zone: Sendable {
    private let rules: ZoneRules

    /// The name as it was given: `Asia/Seoul`.
    package var name: String { rules.name }

    package static let utc = Zone(rules: ZoneRules(name: "UTC", zone: .gmt))

    private init(rules: ZoneRules) {
        self.rules = rules
    }

    /// The zone of an IANA name, links such as `Asia/Calcutta` and `ROK` included; `nil` for what is no such name, among
    /// them abbreviations (`KST`), offsets (`GMT+3`, `+09:00`) and other spellings (`asia/seoul`).
    package init?(name: String) {
        if name == "UTC" {
            self = .utc
            return
        }
        // Before the look among the known ones: to a dictionary, a Kelvin sign is a K.
        guard Self.isInDatabase(name) else { return nil }
        let known = Self.known.withLock { $0[name] }
        if let known {
            self.init(rules: known)
            return
        }
        guard let zone = TimeZone(identifier: name) else { return nil }
        let rules = ZoneRules(name: name, zone: zone)
        Self.known.withLock { $0[name] = rules }
        self.init(rules: rules)
    }

    /// Zones that were asked for. There are about six hundred names, so it is bounded.
    private static let known = Locked<[String: ZoneRules]>([:])

    /// Foundation maps more than the database has: `GMT+3`, `PST`, `SystemV/PST8`, and what follows a NUL.
    private static func isInDatabase(_ name: String) -> Bool {
        let isSpelled = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "/"):
                true
            default: false
            }
        }
        guard isSpelled, isCatalogLinked else { return false }
        guard let slash = name.firstIndex(of: "/") else { return namesWithoutArea.contains(name) }
        return areas.contains(String(name[..<slash]))
    }

    /// True. A static binary for Linux takes in the library that knows the zones only when something in it is named, as
    /// this list is; without it Foundation finds no zone at all, and says nothing.
    private static let isCatalogLinked = !TimeZone.knownTimeZoneIdentifiers.isEmpty

    private static let areas: Set<String> = [
        "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Brazil", "Canada", "Chile",
        "Etc",
        "Europe", "Indian", "Mexico", "Pacific", "US",
    ]

    /// Names from before there were areas. The database keeps them, and takes no new ones.
    private static let namesWithoutArea: Set<String> = [
        "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "Factory", "GB", "GB-Eire", "GMT", "GMT+0",
        "GMT-0", "GMT0", "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel", "Jamaica", "Japan", "Kwajalein",
        "Libya", "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT", "Navajo", "PRC", "PST8PDT", "Poland", "Portugal", "ROC",
        "ROK",
        "Singapore", "Turkey", "UCT", "UTC", "Universal", "W-SU", "WET", "Zulu",
    ]
}

extension Zone: Hashable {
    package static func == (left: Zone, right: Zone) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Zone {
    /// What is added to UTC to read the clocks on the wall, in milliseconds.
    package func offset(at instant: Timestamp) -> Int64 {
        rules.offset(at: instant)
    }

    package func day(of instant: Timestamp) -> Day {
        wall(of: instant).day
    }

    /// What a calendar and a clock show there.
    func wall(of instant: Timestamp) -> WallClock {
        let local = instant.milliseconds + rules.offset(at: instant)
        let (day, time) = local.dividedFloor(by: Timestamp.millisecondsPerDay)
        return WallClock(day: Day(number: Int(day)), time: time)
    }

    /// When clocks show this. A time that a change of the clocks skips is read with the offset before the change, a time
    /// that comes twice is the first of the two; so does Foundation's calendar.
    func instant(of wall: WallClock) -> Timestamp {
        let asUTC = Timestamp(startOfUTC: wall.day).adding(milliseconds: wall.time)
        // No offset is larger than a day, so the offset a day earlier is the one before any change near by.
        let before = rules.offset(at: asUTC.adding(milliseconds: -Timestamp.millisecondsPerDay))
        let candidate = asUTC.adding(milliseconds: -before)
        let offset = rules.offset(at: candidate)
        if offset == before { return candidate }
        let other = asUTC.adding(milliseconds: -offset)
        return rules.offset(at: other) == offset ? other : candidate
    }

    /// The first instant of the day, also where midnight is skipped; of a day that a zone left out, that of the next one.
    package func startOfDay(_ day: Day) -> Timestamp {
        let midnight = Timestamp(startOfUTC: day)
        var instant = midnight.adding(milliseconds: -Timestamp.millisecondsPerDay - Self.margin)
        while self.day(of: instant) < day { instant = nextDayChange(after: instant) }
        return instant
    }

    /// The first instant after this one at which another day is on the calendar. Usually the next midnight; clocks that are
    /// set back over midnight bring the day before once more.
    package func nextDayChange(after instant: Timestamp) -> Timestamp {
        let today = day(of: instant)
        var current = instant
        while true {
            let offset = rules.offset(at: current)
            let (day, _) = (current.milliseconds + offset).dividedFloor(by: Timestamp.millisecondsPerDay)
            let midnight = Timestamp(milliseconds: (day + 1) * Timestamp.millisecondsPerDay - offset)
            // At midnight itself clocks may be set back to the evening.
            let next = midnight.adding(milliseconds: 1)
            guard let change = rules.firstChange(after: current, before: next) else { return midnight }
            if self.day(of: change) != today { return change }
            current = change
        }
    }

    /// The instants at which the clocks are set, after `start` and before `end`.
    func changes(after start: Timestamp, before end: Timestamp) -> [Timestamp] {
        var changes: [Timestamp] = []
        var current = start
        while let change = rules.firstChange(after: current, before: end) {
            changes.append(change)
            current = change
        }
        return changes
    }

    /// More than any offset differs from UTC.
    private static let margin: Int64 = 16 * 3_600_000
}

/// A day and the time since its midnight in milliseconds, as calendar and clock show them.
struct WallClock: Hashable, Sendable {
    var day: Day
    var time: Int64
}
