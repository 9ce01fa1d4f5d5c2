/// Decides when the changes of a stream are integrated: the first of a quiet stream at once, those of a burst together, at
/// most every 50 ms. Each integration replays the pending edits and wakes every list. No clock: events in, actions out.
struct ChangeBatches {
    enum Action: Hashable {
        case integrate([EventParser.Event])
        /// Tell ``pauseIsOver()`` after ``pause``.
        case startPause
    }

    static let pause = Duration.milliseconds(50)

    private var held: [EventParser.Event] = []
    private var isPausing = false

    mutating func take(_ events: [EventParser.Event]) -> [Action] {
        held += events.filter { $0.name == "change" }
        // What the stream has caught up with is on disk when it says so.
        let isReady = events.contains { $0.name == "ready" }
        return isPausing && !isReady ? [] : release()
    }

    mutating func pauseIsOver() -> [Action] {
        isPausing = false
        return release()
    }

    /// The stream ended.
    mutating func end() -> [Action] {
        isPausing = true
        return release()
    }

    private mutating func release() -> [Action] {
        guard !held.isEmpty else { return [] }
        defer {
            held = []
            isPausing = true
        }
        return [.integrate(held)] + (isPausing ? [] : [.startPause])
    }
}
