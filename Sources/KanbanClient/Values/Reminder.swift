import Foundation
import Kanban

/// When to remind of a task. ``Upcoming`` has the instants.
public enum Reminder: Hashable, Sendable, Codable {
    /// So long before the due time, of which the days are those of the calendar; an all-day task is due at
    /// ``KanbanSettings/allDayTime``. At most 30 days.
    case before(days: Int = 0, seconds: Int = 0)
    case at(Date)

    init(_ trigger: Trigger) {
        switch trigger {
        case .before(let days, let seconds): self = .before(days: days, seconds: seconds)
        case .at(let instant): self = .at(Date(instant))
        }
    }

    var trigger: Trigger {
        switch self {
        case .before(let days, let seconds): .before(days: days, seconds: seconds)
        case .at(let date): .at(Timestamp(date))
        }
    }
}
