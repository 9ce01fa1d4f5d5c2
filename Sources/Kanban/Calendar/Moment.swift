/// Now, as a user sees it: what deadlines and countdowns are told from. Made once for an answer.
package struct Moment: Hashable, Sendable {
    package let now: Timestamp
    package let zone: Zone
    package let today: Day
    /// The first instant at which it is another day.
    package let dayEnds: Timestamp

    package init(now: Timestamp, zone: Zone) {
        self.now = now
        self.zone = zone
        today = zone.day(of: now)
        dayEnds = zone.nextDayChange(after: now)
    }
}
