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

    /// For previews and tests of an app.
    public init(byStatus: [Status: Int] = [:], byCategory: [KanbanID?: Int] = [:]) {
        let progress = Kanban.Progress(total: byStatus.values.reduce(0, +), done: byStatus[.done] ?? 0)
        total = progress.total
        percentDone = progress.percent
        self.byStatus = byStatus.merging(Status.allCases.map { ($0, 0) }) { given, _ in given }
        self.byCategory = byCategory
    }

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
public struct Today: Hashable, Sendable, Codable {
    /// Not done, by due date.
    public let overdue, today: [KanbanTask]
    /// The coming ones first, soonest first; then the past ones, latest first.
    public let ddays: [KanbanDDay]
    public let percentDone: Int

    /// For previews and tests of an app.
    public init(
        overdue: [KanbanTask] = [], today: [KanbanTask] = [], ddays: [KanbanDDay] = [], percentDone: Int = 0
    ) {
        self.overdue = overdue
        self.today = today
        self.ddays = ddays
        self.percentDone = percentDone
    }
}

/// A reminder to come and its task, which may have several.
public struct Upcoming: Hashable, Sendable, Codable {
    public let task: KanbanTask
    public let fireAt: Date
    /// The identifier of the local notification: the same on every device, and of the server's own.
    public let notificationID: String

    /// For previews and tests of an app.
    public init(task: KanbanTask, fireAt: Date, notificationID: String = "") {
        self.task = task
        self.fireAt = fireAt
        self.notificationID = notificationID
    }
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

    /// For previews and tests of an app.
    public init(
        at: Date = .now, action: String, task: KanbanID? = nil, title: String? = nil, members: [String] = []
    ) {
        self.init(at: at, action: action, task: task, title: title, members: members, revision: 0, rest: .nowhere)
    }

    init(
        at: Date, action: String, task: KanbanID?, title: String?, members: [String], revision: Int64, rest: Rest
    ) {
        self.at = at
        self.action = action
        self.task = task
        self.title = title
        self.members = members
        self.revision = revision
        self.rest = rest
    }

    enum Rest: Hashable, Sendable {
        case nowhere
        /// On the page of a cursor, `nil` for the newest. The last entry of a page names the next page, any other its own.
        case page(String?)
    }
}

/// The weather, from the server.
public struct Weather: Hashable, Sendable, Codable {
    /// °C.
    public let temperature, high, low: Double
    public let condition: String
    public let observedAt: Date

    /// For previews and tests of an app.
    public init(temperature: Double, high: Double, low: Double, condition: String, observedAt: Date = .now) {
        self.temperature = temperature
        self.high = high
        self.low = low
        self.condition = condition
        self.observedAt = observedAt
    }
}
