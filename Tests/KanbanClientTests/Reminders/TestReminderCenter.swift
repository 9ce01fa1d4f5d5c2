import Foundation
import Kanban
import Locks
import TestSupport

@testable import KanbanClient

/// The notifications of a phone, by a clock that the test sets: each is shown at its time.
final class TestReminderCenter: ReminderCenter {
    struct Shown: Hashable, Sendable {
        var reminder: ScheduledReminder
        var at: Timestamp
    }

    struct Refused: Error {}

    private struct State {
        var pending: [String: ScheduledReminder] = [:]
        var shown: [Shown] = []
        var others = 0
        var refuses = false
        var added = 0
        var most = 0
    }

    private let state = Locked(State())
    private let clock: TestClock

    init(_ clock: TestClock) {
        self.clock = clock
    }

    private func withState<T>(_ body: (inout State) -> T) -> T {
        let now = clock.now
        return state.withLock { state in
            for reminder in state.pending.values where Timestamp(reminder.fireAt) <= now {
                state.pending[reminder.id] = nil
                state.shown.append(Shown(reminder: reminder, at: Timestamp(reminder.fireAt)))
            }
            return body(&state)
        }
    }

    func pending() async -> (reminders: [ScheduledReminder], others: Int) {
        withState { (Array($0.pending.values), $0.others) }
    }

    func add(_ reminder: ScheduledReminder) async throws {
        let now = clock.now
        let isTaken = withState { state in
            guard !state.refuses else { return false }
            state.added += 1
            if Timestamp(reminder.fireAt) <= now {
                state.shown.append(Shown(reminder: reminder, at: now))
            } else {
                state.pending[reminder.id] = reminder
            }
            state.most = max(state.most, state.pending.count + state.others)
            return true
        }
        if !isTaken { throw Refused() }
    }

    func remove(_ ids: [ScheduledReminder.ID]) async {
        withState { state in for id in ids { state.pending[id] = nil } }
    }

    /// By their time.
    var scheduled: [ScheduledReminder] {
        withState { $0.pending.values.sorted { ($0.fireAt, $0.id) < ($1.fireAt, $1.id) } }
    }

    var titles: [String] { scheduled.map(\.title) }
    /// What was shown so far.
    var shown: [Shown] { withState { $0.shown } }
    /// How often something was added.
    var added: Int { withState { $0.added } }
    /// The most that ever waited at a time.
    var most: Int { withState { $0.most } }

    /// Notifications of the app's own.
    func setOthers(_ count: Int) { withState { $0.others = count } }
    /// As while the user has not allowed notifications.
    func setRefusing(_ refuses: Bool) { withState { $0.refuses = refuses } }
}
