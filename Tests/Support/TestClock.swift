import Kanban
import Locks

/// A clock that stands still until the test moves it.
package final class TestClock: Sendable {
    private let time: Locked<Timestamp>

    package init(_ milliseconds: Int64 = 1_795_000_000_000) {
        time = Locked(Timestamp(milliseconds: milliseconds))
    }

    package var now: Timestamp { time.withLock { $0 } }

    package func set(_ now: Timestamp) {
        time.withLock { $0 = now }
    }

    package func advance(days: Int = 0, seconds: Int64 = 0, milliseconds: Int64 = 0) {
        time.withLock { $0.milliseconds += (Int64(days) * 86_400 + seconds) * 1_000 + milliseconds }
    }
}
