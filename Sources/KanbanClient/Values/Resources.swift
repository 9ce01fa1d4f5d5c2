import Foundation
import JSON
import Kanban

/// A category with the number of its tasks.
public struct KanbanCategory: Identifiable, Hashable, Sendable {
    public let id: KanbanID
    public let name: String
    /// `#rrggbb`.
    public let color: String?
    public let emoji: String?
    /// Tasks on the board, done ones included.
    public let taskCount: Int
    public let doneCount: Int
    public let isPending: Bool

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), name: String, color: String? = nil, emoji: String? = nil, taskCount: Int = 0,
        doneCount: Int = 0, isPending: Bool = false
    ) {
        self.id = id
        self.name = name
        self.color = color
        self.emoji = emoji
        self.taskCount = taskCount
        self.doneCount = doneCount
        self.isPending = isPending
    }

    init(_ category: Kanban.Category, counts: (tasks: Int, done: Int)) {
        self.init(
            id: KanbanID(category.id), name: category.name, color: category.color, emoji: category.emoji,
            taskCount: counts.tasks, doneCount: counts.done, isPending: category.revision.isOptimistic)
    }
}

public struct NewCategory: Hashable, Sendable {
    public var id: KanbanID
    public var name: String
    public var color, emoji: String?

    public init(id: KanbanID = .init(), name: String, color: String? = nil, emoji: String? = nil) {
        self.id = id
        self.name = name
        self.color = color
        self.emoji = emoji
    }
}

public struct CategoryDraft: Hashable, Sendable {
    public var name: String
    public var color, emoji: String?

    public init(name: String, color: String? = nil, emoji: String? = nil) {
        self.name = name
        self.color = color
        self.emoji = emoji
    }
}

/// An anniversary or an exam day to count down to.
public struct KanbanDDay: Identifiable, Hashable, Sendable {
    public let id: KanbanID
    public let title: String
    public let date: Day
    public let repeatsYearly: Bool
    public let image: KanbanID?

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), title: String, date: Day, repeatsYearly: Bool = false, image: KanbanID? = nil
    ) {
        self.id = id
        self.title = title
        self.date = date
        self.repeatsYearly = repeatsYearly
        self.image = image
    }

    /// `D-3`, `D-DAY` or `D+2`, to the date or the next time that it comes round.
    public func countdown(now: Date, zone: TimeZone) -> String {
        let dday = DDay(
            id: id.id, title: title, date: date.day, repeats: repeatsYearly ? .yearly : .none,
            createdAt: Timestamp(now), updatedAt: Timestamp(now), revision: 0)
        return dday.countdown(today: Moment(Timestamp(now), in: zone).today).label
    }
}

public struct NewDDay: Hashable, Sendable {
    public var id: KanbanID
    public var title: String
    public var date: Day
    public var repeatsYearly: Bool
    public var image: KanbanID?

    public init(
        id: KanbanID = .init(), title: String, date: Day, repeatsYearly: Bool = false, image: KanbanID? = nil
    ) {
        self.id = id
        self.title = title
        self.date = date
        self.repeatsYearly = repeatsYearly
        self.image = image
    }
}

public struct DDayDraft: Hashable, Sendable {
    public var title: String
    public var date: Day
    public var repeatsYearly: Bool
    public var image: KanbanID?

    public init(title: String, date: Day, repeatsYearly: Bool = false, image: KanbanID? = nil) {
        self.title = title
        self.date = date
        self.repeatsYearly = repeatsYearly
        self.image = image
    }
}

/// What the account chose for all its devices.
public struct KanbanSettings: Hashable, Sendable {
    /// An IANA name.
    public let timeZone: String?
    /// `ko`, `en` or `ja`.
    public let locale: String?
    /// The app's own texts, such as theme colours. What another client put there that is no text is left out here, and
    /// stays where it is.
    public let custom: [String: String]

    /// For previews and tests of an app.
    public init(timeZone: String? = nil, locale: String? = nil, custom: [String: String] = [:]) {
        self.timeZone = timeZone
        self.locale = locale
        self.custom = custom
    }

    init(_ settings: Settings) {
        let members = (settings.custom.objectMembers ?? []).compactMap { member in
            member.value.stringValue.map { (member.name, $0) }
        }
        self.init(
            timeZone: settings.timeZone, locale: settings.locale,
            custom: Dictionary(members, uniquingKeysWith: { $1 }))
    }
}

public struct SettingsDraft: Hashable, Sendable {
    public var timeZone, locale: String?
    public var custom: [String: String]

    public init(timeZone: String? = nil, locale: String? = nil, custom: [String: String] = [:]) {
        self.timeZone = timeZone
        self.locale = locale
        self.custom = custom
    }
}

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
    /// Where the page after the one that this entry came with begins; `nil` when there is none.
    let next: String?
}

/// The weather, from the server.
public struct Weather: Hashable, Sendable {
    /// °C.
    public let temperature, high, low: Double
    public let condition: String
    public let observedAt: Date
}
