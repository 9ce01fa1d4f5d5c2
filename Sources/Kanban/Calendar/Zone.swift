import Foundation
import Locks

/// A time zone of the IANA database. It decides when a user's days begin.
///
/// Foundation has the rules. A list of tasks needs thousands of offsets, so those of the years 1900–2199 are kept in a
/// table; for other years Foundation is asked.
package struct Zone: Sendable {
    private let rules: ZoneRules

    /// The name as it was given: `Asia/Seoul`.
    package var name: String { rules.name }

    package static let utc = Zone(rules: ZoneRules(name: "UTC", zone: .gmt))

    private init(rules: ZoneRules) {
        self.rules = rules
    }

    /// The zone of an IANA name, including links such as `Asia/Calcutta` and `ROK`. `nil` for abbreviations (`KST`),
    /// offsets (`GMT+3`, `+09:00`), other spellings (`asia/seoul`) and all other texts.
    package init?(name: String) {
        if name == "UTC" {
            self = .utc
            return
        }
        // Check the bytes before the dictionary: to a dictionary, a Kelvin sign equals a K.
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

    /// A zone of a device, also one that the database does not name: `TimeZone(secondsFromGMT: 32_400)`.
    package init(_ zone: TimeZone) {
        if let named = Zone(name: zone.identifier) {
            self = named
            return
        }
        // Such a name has the offset in it.
        let known = Self.known.withLock { $0[zone.identifier] }
        let rules = known ?? ZoneRules(name: zone.identifier, zone: zone)
        Self.known.withLock { $0[zone.identifier] = rules }
        self.init(rules: rules)
    }

    /// Zones by name. It is bounded: there are about six hundred names, and a device has one zone.
    private static let known = Locked<[String: ZoneRules]>([:])

    /// Foundation accepts more names than the database has: `GMT+3`, `PST`, `SystemV/PST8`, and names with text after a
    /// NUL.
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

    /// Always true. A static binary for Linux links the library with the zones only when something in it is referred
    /// to, as this list does. Without it Foundation silently finds no zone.
    private static let isCatalogLinked = !TimeZone.knownTimeZoneIdentifiers.isEmpty

    private static let areas: Set<String> = [
        "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Brazil", "Canada", "Chile",
        "Etc",
        "Europe", "Indian", "Mexico", "Pacific", "US",
    ]

    /// Old names without an area. The database keeps them and adds no new ones.
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
    /// The offset from UTC to local time, in milliseconds.
    package func offset(at instant: Timestamp) -> Int64 {
        rules.offset(at: instant)
    }

    package func day(of instant: Timestamp) -> Day {
        wall(of: instant).day
    }

    /// The local day and time.
    func wall(of instant: Timestamp) -> WallClock {
        let local = instant.milliseconds + rules.offset(at: instant)
        let (day, time) = local.dividedFloor(by: Timestamp.millisecondsPerDay)
        return WallClock(day: Day(number: Int(day)), time: time)
    }

    /// The instant of a local time. A skipped time is read with the offset before the change; of a repeated time the
    /// first counts. Foundation's calendar does the same.
    func instant(of wall: WallClock) -> Timestamp {
        let asUTC = Timestamp(startOfUTC: wall.day).adding(milliseconds: wall.time)
        // No offset is larger than a day, so a day earlier the offset is that before any nearby change.
        let before = rules.offset(at: asUTC.adding(milliseconds: -Timestamp.millisecondsPerDay))
        let candidate = asUTC.adding(milliseconds: -before)
        let offset = rules.offset(at: candidate)
        if offset == before { return candidate }
        let other = asUTC.adding(milliseconds: -offset)
        return rules.offset(at: other) == offset ? other : candidate
    }

    /// The first instant of the day, also where midnight is skipped. For a day that the zone left out: that of the next
    /// day.
    package func startOfDay(_ day: Day) -> Timestamp {
        let midnight = Timestamp(startOfUTC: day)
        var instant = midnight.adding(milliseconds: -Timestamp.millisecondsPerDay - Self.margin)
        while self.day(of: instant) < day { instant = nextDayChange(after: instant) }
        return instant
    }

    /// The first instant after this one with another local day. Usually that is the next midnight; clocks that are set
    /// back over midnight repeat the day before.
    package func nextDayChange(after instant: Timestamp) -> Timestamp {
        let today = day(of: instant)
        var current = instant
        while true {
            let offset = rules.offset(at: current)
            let (day, _) = (current.milliseconds + offset).dividedFloor(by: Timestamp.millisecondsPerDay)
            let midnight = Timestamp(milliseconds: (day + 1) * Timestamp.millisecondsPerDay - offset)
            // At midnight, clocks may be set back to the evening.
            let next = midnight.adding(milliseconds: 1)
            guard let change = rules.firstChange(after: current, before: next) else { return midnight }
            if self.day(of: change) != today { return change }
            current = change
        }
    }

    /// The changes of the offset after `start` and before `end`.
    package func changes(after start: Timestamp, before end: Timestamp) -> [Timestamp] {
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

/// A local day and the time since its midnight in milliseconds.
struct WallClock: Hashable, Sendable {
    var day: Day
    var time: Int64
}
