import Foundation
import JSON
import Kanban

/// A category with the number of its tasks.
public struct KanbanCategory: Identifiable, Hashable, Sendable, Codable {
    public let id: KanbanID
    public let name: String
    /// `#rrggbb`.
    public let color: String?
    public let emoji: String?
    /// Tasks on the board, done ones included.
    public let taskCount: Int
    public let doneCount: Int
    /// When it went to the trash; `nil` while it is on the board.
    public let deletedAt: Date?
    public let isPending: Bool
    /// For ``KanbanBoard/image(_:)``.
    public let image: KanbanID?

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), name: String, color: String? = nil, emoji: String? = nil, taskCount: Int = 0,
        doneCount: Int = 0, deletedAt: Date? = nil, isPending: Bool = false, image: KanbanID? = nil
    ) {
        self.id = id
        self.name = name
        self.color = color
        self.emoji = emoji
        self.taskCount = taskCount
        self.doneCount = doneCount
        self.deletedAt = deletedAt
        self.isPending = isPending
        self.image = image
    }

    init(_ category: Kanban.Category, counts: (tasks: Int, done: Int) = (0, 0)) {
        self.init(
            id: KanbanID(category.id), name: category.name, color: category.color, emoji: category.emoji,
            taskCount: counts.tasks, doneCount: counts.done, deletedAt: category.deletedAt.map { Date($0) },
            isPending: category.revision.isOptimistic, image: category.image.map { KanbanID($0) })
    }
}

public struct NewCategory: Hashable, Sendable {
    public var id: KanbanID
    public var name: String
    public var color, emoji: String?
    public var image: KanbanID?

    public init(
        id: KanbanID = .init(), name: String, color: String? = nil, emoji: String? = nil, image: KanbanID? = nil
    ) {
        self.id = id
        self.image = image
        self.name = name
        self.color = color
        self.emoji = emoji
    }
}

public struct CategoryDraft: Hashable, Sendable {
    public var name: String
    public var color, emoji: String?
    public var image: KanbanID?

    public init(name: String, color: String? = nil, emoji: String? = nil, image: KanbanID? = nil) {
        self.image = image
        self.name = name
        self.color = color
        self.emoji = emoji
    }
}
