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
}
