import Foundation
import JSON
import Kanban

/// How many tasks are on the board.
public struct BoardCounts: Hashable, Sendable {
    public let total: Int
    public let byStatus: [Status: Int]
    /// `nil` is uncategorized. Categories without tasks are left out.
    public let byCategory: [KanbanID?: Int]
    /// Rounded down, so that 100 means all; 0 for no tasks.
    public let percentDone: Int

    init(_ counts: [TaskCount]) {
        let progress = Kanban.Progress(counts)
        total = progress.total
        percentDone = progress.percent
        byStatus = counts.reduce(into: Dictionary(uniqueKeysWithValues: Status.allCases.map { ($0, 0) })) {
            $0[Status($1.status), default: 0] += $1.count
        }
        byCategory = counts.reduce(into: [:]) { $0[$1.categoryID.map { KanbanID($0) }, default: 0] += $1.count }
    }
}

/// What a cover or a widget shows.
public struct Today: Hashable, Sendable {
    /// Not done, by due date.
    public let overdue, today: [KanbanTask]
    /// The coming ones first, soonest first; then the past ones, latest first.
    public let ddays: [KanbanDDay]
    public let percentDone: Int
}

/// A task to notify of.
public struct Upcoming: Hashable, Sendable {
    public let task: KanbanTask
    /// An all-day task fires at nine o'clock.
    public let fireAt: Date
}

/// One line of a history, from the server.
public struct HistoryEntry: Hashable, Sendable {
    public let at: Date
    /// `created`, `updated`, `moved`, `deleted` or `restored`.
    public let action: String
    public let task: KanbanID?
    /// The title that the task has now; `nil` when it is gone, and in the history of one task.
    public let title: String?
    /// Which members changed.
    public let members: [String]
    /// Older entries have smaller ones.
    let revision: Int64
    /// Where older entries are.
    var rest: Rest

    enum Rest: Hashable, Sendable {
        case nowhere
        /// On the page of a cursor, `nil` for the newest. The last entry of a page names the next page, any other its own.
        case page(String?)
    }
}

/// The weather, from the server.
public struct Weather: Hashable, Sendable {
    /// °C.
    public let temperature, high, low: Double
    public let condition: String
    public let observedAt: Date
}
