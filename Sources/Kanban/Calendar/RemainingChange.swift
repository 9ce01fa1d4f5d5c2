/// When the words for the remaining time change.
extension Remaining {
    /// The first instant after now, within the moment's day, at which the text of the time to `end` changes; `nil` when
    /// it does not change before the day ends.
    ///
    /// Within a day, the count of years, months and days changes when the clock shows the deadline's time of day.
    /// Changes of the offset near now, near the deadline, or at the end of the months add more times of day; then all
    /// of them are tried in order.
    func firstChange(to end: Timestamp, at moment: Moment) -> Timestamp? {
        guard self != .past else { return nil }
        var candidates: [Timestamp] = []
        if case .seconds(let seconds) = self {
            candidates.append(end.adding(milliseconds: Int64(-seconds) * 1_000 + 1))
        }
        let zone = moment.zone
        let shifts = clockShifts(to: end, at: moment)
        if shifts.isEmpty {
            if case .seconds = self {
            } else {
                let time = zone.wall(of: end).time
                candidates.append(moment.instant(of: time, offset: zone.offset(at: moment.now)).adding(milliseconds: 1))
            }
        } else {
            candidates += Self.candidates(to: end, at: moment, shifts: shifts)
        }
        candidates.removeAll { $0 <= moment.now || $0 >= moment.dayEnds }
        candidates.sort()
        return candidates.first { Remaining(from: $0, to: end, in: zone) != self }
    }

    /// The changes of the offset that can matter today for this deadline.
    private func clockShifts(to end: Timestamp, at moment: Moment) -> [ClockShift] {
        let zone = moment.zone
        var shifts = ClockShift.near(moment.now, in: zone)
        if case .months(let months, _) = self {
            let reached = zone.instant(of: zone.wall(of: moment.now).adding(months: months))
            shifts += ClockShift.near(reached, in: zone)
        }
        shifts += ClockShift.near(end, in: zone)
        return shifts
    }

    private static func candidates(to end: Timestamp, at moment: Moment, shifts: [ClockShift]) -> [Timestamp] {
        let zone = moment.zone
        var offsets: Set<Int64> = [zone.offset(at: moment.now), zone.offset(at: end)]
        for shift in shifts { offsets.formUnion([shift.before, shift.after]) }

        // Times of day at which something begins or ends: the deadline, skipped hours, repeated hours.
        var times: Set<Int64> = []
        for offset in offsets {
            times.insert(end.milliseconds + offset)
            for shift in shifts { times.insert(shift.instant.milliseconds + offset) }
        }
        // A skipped time is read later, by as much as the offset changes. That happens at most twice: at the end of the
        // months and of the days.
        for _ in 0..<2 {
            for shift in shifts {
                let difference = shift.after - shift.before
                times.formUnion(times.map { $0 + difference } + times.map { $0 - difference })
            }
        }
        var candidates = shifts.map(\.instant)
        for time in Set(times.map { $0.dividedFloor(by: Timestamp.millisecondsPerDay).remainder }) {
            for offset in offsets {
                let instant = moment.instant(of: time, offset: offset)
                candidates += [instant, instant.adding(milliseconds: 1)]
            }
        }
        return candidates
    }
}

/// A change of the offset of a zone.
private struct ClockShift {
    var instant: Timestamp
    var before: Int64
    var after: Int64

    /// Within two and a half days: a time is moved by a day at most, and days differ by one from zone to zone.
    static func near(_ instant: Timestamp, in zone: Zone) -> [ClockShift] {
        let reach = Timestamp.millisecondsPerDay / 2 * 5
        return zone.changes(after: instant.adding(milliseconds: -reach), before: instant.adding(milliseconds: reach))
            .map {
                ClockShift(
                    instant: $0, before: zone.offset(at: $0.adding(milliseconds: -1)), after: zone.offset(at: $0))
            }
    }
}

extension Moment {
    /// When a clock with this offset shows the time of day today.
    fileprivate func instant(of time: Int64, offset: Int64) -> Timestamp {
        Timestamp(startOfUTC: today).adding(milliseconds: time - offset)
    }
}
