import Foundation
import JSON
import Kanban

/// An anniversary or an exam day to count down to.
public struct KanbanDDay: Identifiable, Hashable, Sendable, Codable {
    public let id: KanbanID
    public let title: String
    public let date: Day
    public let repeatsYearly: Bool
    public let image: KanbanID?
    /// `#rrggbb`.
    public let color: String?
    public let emoji: String?
    /// When it went to the trash; `nil` while it is on the board.
    public let deletedAt: Date?

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), title: String, date: Day, repeatsYearly: Bool = false, image: KanbanID? = nil,
        color: String? = nil, emoji: String? = nil, deletedAt: Date? = nil
    ) {
        self.id = id
        self.title = title
        self.date = date
        self.repeatsYearly = repeatsYearly
        self.image = image
        self.color = color
        self.emoji = emoji
        self.deletedAt = deletedAt
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
    public var color, emoji: String?

    public init(
        id: KanbanID = .init(), title: String, date: Day, repeatsYearly: Bool = false, image: KanbanID? = nil,
        color: String? = nil, emoji: String? = nil
    ) {
        self.id = id
        self.title = title
        self.date = date
        self.repeatsYearly = repeatsYearly
        self.image = image
        self.color = color
        self.emoji = emoji
    }
}

public struct DDayDraft: Hashable, Sendable {
    public var title: String
    public var date: Day
    public var repeatsYearly: Bool
    public var image: KanbanID?
    public var color, emoji: String?

    public init(
        title: String, date: Day, repeatsYearly: Bool = false, image: KanbanID? = nil, color: String? = nil,
        emoji: String? = nil
    ) {
        self.title = title
        self.date = date
        self.repeatsYearly = repeatsYearly
        self.image = image
        self.color = color
        self.emoji = emoji
    }
}
