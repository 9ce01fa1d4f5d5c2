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
