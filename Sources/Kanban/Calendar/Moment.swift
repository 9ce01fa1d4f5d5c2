/// The current time in the user's zone. Deadlines and countdowns of one answer are computed from one moment.
package struct Moment: Hashable, Sendable {
    package let now: Timestamp
    package let zone: Zone
    package let today: Day
    /// The first instant of another day.
    package let dayEnds: Timestamp

    package init(now: Timestamp, zone: Zone) {
        self.now = now
        self.zone = zone
        today = zone.day(of: now)
        dayEnds = zone.nextDayChange(after: now)
    }
}
