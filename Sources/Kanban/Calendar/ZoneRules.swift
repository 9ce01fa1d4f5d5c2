import Foundation

/// The offsets of one zone: a table for the years 1900–2199, and Foundation before and after.
final class ZoneRules: Sendable {
    let name: String
    private let zone: TimeZone
    /// When each offset begins, ascending; the first entry is the start of the table.
    private let starts: [Int64]
    private let offsets: [Int64]
    private let end: Int64

    init(name: String, zone: TimeZone) {
        self.name = name
        self.zone = zone
        let first = Timestamp(startOfUTC: Day(Day.Civil(year: 1900, month: 1, day: 1)))
        let last = Timestamp(startOfUTC: Day(Day.Civil(year: 2200, month: 1, day: 1)))
        var starts = [first.milliseconds]
        var offsets = [Self.offset(of: zone, at: first)]
        var current = first
        while let change = Self.change(of: zone, after: current), change < last {
            current = change
            let offset = Self.offset(of: zone, at: change)
            if offset != offsets.last {
                starts.append(change.milliseconds)
                offsets.append(offset)
            }
        }
        self.starts = starts
        self.offsets = offsets
        end = last.milliseconds
    }

    /// The offset from UTC in milliseconds.
    func offset(at instant: Timestamp) -> Int64 {
        let moment = instant.milliseconds
        guard moment >= starts[0], moment < end else { return Self.offset(of: zone, at: instant) }
        return offsets[index(of: moment)]
    }

    /// The first change of the offset after `start` and before `end`.
    func firstChange(after start: Timestamp, before end: Timestamp) -> Timestamp? {
        if start.milliseconds >= starts[0], end.milliseconds <= self.end {
            let next = index(of: start.milliseconds) + 1
            guard next < starts.count, starts[next] < end.milliseconds else { return nil }
            return Timestamp(milliseconds: starts[next])
        }
        var current = start
        let offset = offset(at: start)
        while let change = Self.change(of: zone, after: current), change < end {
            if self.offset(at: change) != offset { return change }
            current = change
        }
        return nil
    }

    /// The index of the offset of an instant within the table.
    private func index(of moment: Int64) -> Int {
        if moment >= starts[starts.count - 1] { return starts.count - 1 }
        var low = 0
        var high = starts.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= moment { low = middle } else { high = middle }
        }
        return low
    }

    private static func offset(of zone: TimeZone, at instant: Timestamp) -> Int64 {
        let seconds = instant.milliseconds.dividedFloor(by: 1_000).quotient
        return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))) * 1_000
    }

    private static func change(of zone: TimeZone, after instant: Timestamp) -> Timestamp? {
        let seconds = instant.milliseconds.dividedFloor(by: 1_000).quotient
        let date = Date(timeIntervalSince1970: Double(seconds))
        guard let change = zone.nextDaylightSavingTimeTransition(after: date), change > date else { return nil }
        return Timestamp(milliseconds: Int64((change.timeIntervalSince1970 * 1_000).rounded()))
    }
}
