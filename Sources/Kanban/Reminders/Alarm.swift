/// A reminder of a task with the instant at which it fires.
package struct Alarm: Hashable, Sendable {
    package var trigger: Trigger
    package var fireAt: Timestamp

    package init(trigger: Trigger, fireAt: Timestamp) {
        self.trigger = trigger
        self.fireAt = fireAt
    }

    /// Stable, so that a notification that a device scheduled and one that the server sends are the same one; at most 64
    /// bytes, as `apns-collapse-id` allows.
    package func notificationID(of task: ID) -> String { "\(task)/\(trigger.text)" }
}

extension TaskItem {
    /// The reminders of the task, soonest first, one for each instant; without any of its own it has one at the due time.
    /// - Parameter allDayTime: milliseconds after midnight: the due time of a task without one.
    package func alarms(in zone: Zone, allDayTime: Int64) -> [Alarm] {
        let alarms = allAlarms(in: zone, allDayTime: allDayTime)
        guard alarms.count > 1 else { return alarms }
        var seen: Set<Timestamp> = []
        return alarms.filter { seen.insert($0.fireAt).inserted }
    }

    /// Its own reminders as the API shows them: by time, as far as that is known without the user's zone.
    package var shownReminders: [Trigger]? {
        guard reminders != nil, dueDate != nil else { return reminders?.triggers }
        return allAlarms(in: .utc, allDayTime: DueDate.morning).map(\.trigger)
    }

    private func allAlarms(in zone: Zone, allDayTime: Int64) -> [Alarm] {
        let triggers = reminders?.triggers ?? [.atDue]
        let alarms = triggers.compactMap { trigger in
            trigger.instant(before: dueDate, in: zone, allDayTime: allDayTime).map {
                Alarm(trigger: trigger, fireAt: $0)
            }
        }
        // Sorting is stable.
        return alarms.count > 1 ? alarms.sorted { $0.fireAt < $1.fireAt } : alarms
    }

    /// After this instant none of its own reminders fires, in any zone; `nil` when it has none that ever does.
    package var remindedUntil: Timestamp? {
        guard let reminders else { return nil }
        return reminders.triggers.compactMap { trigger -> Timestamp? in
            switch (trigger, dueDate) {
            case (.at(let instant), _): instant
            case (.before, .instant(let instant)): instant
            // The day ends last in the zone farthest west.
            case (.before, .day(let day)): Timestamp(startOfUTC: day).adding(milliseconds: 40 * 3_600_000)
            case (.before, nil): nil
            }
        }.max()
    }
}

extension Trigger {
    /// The trigger of each occurrence of an event that repeats (RFC 5545 §3.8.6.3), as a duration since its start. A day starts
    /// at midnight.
    /// - Returns: `nil` for an instant, which belongs to one occurrence.
    package func sinceStart(of due: DueDate, allDayTime: Int64) -> String? {
        guard case .before(let days, let seconds) = self else { return nil }
        guard case .day = due else { return text }
        let offset = Int(allDayTime / 1_000) - days * 86_400 - seconds
        let text = Trigger.before(days: 0, seconds: abs(offset)).text
        return offset > 0 ? String(text.dropFirst()) : text
    }

    /// - Returns: `nil` for a relative one without a due date.
    fileprivate func instant(before due: DueDate?, in zone: Zone, allDayTime: Int64) -> Timestamp? {
        switch (self, due) {
        case (.at(let instant), _): return instant
        case (.before, nil): return nil
        case (.before(let days, let seconds), let due?):
            let start: Timestamp =
                switch due {
                case .day(let day): DueDate.day(day.adding(days: -days)).alarm(in: zone, allDayTime: allDayTime)
                // The same time of a day before; without days there is no wall clock to ask, which an hour may repeat.
                case .instant(let instant): days == 0 ? instant : zone.instant(days: days, before: instant)
                }
            return max(start.adding(milliseconds: -Int64(seconds) * 1_000), Timestamp.range.lowerBound)
        }
    }
}

extension Zone {
    /// The same local time, `days` days before.
    fileprivate func instant(days: Int, before instant: Timestamp) -> Timestamp {
        let wall = wall(of: instant)
        return self.instant(of: WallClock(day: wall.day.adding(days: -days), time: wall.time))
    }
}

/// Times of day, as settings and parameters have them.
package enum TimeOfDay {
    /// Milliseconds after midnight of `HH:MM`; `nil` for anything else.
    package static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { Int64(bytes[$0]) - 0x30 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hour < 24 && minute < 60 ? (hour * 60 + minute) * 60_000 : nil
    }
}

extension Settings {
    /// The zone that the account has chosen.
    package var zone: Zone? { timeZone.flatMap(Zone.init(name:)) }

    /// When all-day tasks remind, in milliseconds after midnight.
    package var allDayAlarm: Int64 { allDayTime.flatMap(TimeOfDay.milliseconds) ?? DueDate.morning }
}
