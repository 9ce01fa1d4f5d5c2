extension Timestamp {
    /// How long after `start` the instant is; negative before it.
    package static func - (moment: Timestamp, start: Timestamp) -> Duration {
        .milliseconds(moment.milliseconds - start.milliseconds)
    }

    /// The instant so much later, to the millisecond below.
    package static func + (moment: Timestamp, distance: Duration) -> Timestamp {
        let (seconds, attoseconds) = distance.components
        return Timestamp(milliseconds: moment.milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    /// The time of a write at this moment of the clock, after one at `last`: not before that, when the clock was set back. Where
    /// that is more than two days ahead, the clock was wrong then, and boards would live in the future until it has caught up.
    package func ofWrite(after last: Timestamp) -> Timestamp {
        last.milliseconds - milliseconds > 2 * 86_400_000 ? self : max(self, last)
    }
}
