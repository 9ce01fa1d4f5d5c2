import JSON
import Kanban
import KanbanRows
import KanbanWire

/// Tasks in the trash cannot be edited. Those of a category that was deleted and made again keep it here, and go there when
/// they are restored.
extension Transaction {
    func keepFormerCategory(_ category: ID, of task: ID) throws {
        try run(
            "INSERT OR REPLACE INTO former_categories (task, category) VALUES (?1, ?2)", .id(task), .id(category))
    }

    /// The category of a task in the trash, which is forgotten here.
    func takeFormerCategory(of task: ID) throws -> ID? {
        let category = try all("SELECT category FROM former_categories WHERE task = ?1", .id(task)) { try $0.id(0) }
            .first
        guard let category else { return nil }
        try run("DELETE FROM former_categories WHERE task = ?1", .id(task))
        return try rows.category(category) == nil ? nil : category
    }

    /// Call it after a task was restored. One that got a category meanwhile stays there.
    func returnToFormerCategory(_ id: ID) throws {
        guard let category = try takeFormerCategory(of: id), let task = try rows.task(id), task.deletedAt == nil,
            task.categoryID == nil
        else { return }
        // The feed says nothing of tasks in the trash, so the row is older than the deletion that emptied this member. Not a
        // conflict: this device knows of it.
        let base = try state(.through).flatMap(Revision.init)
        try edit(StoredMutation(.patch, .task(id), ["categoryId": .string(category.description)]), base: base)
    }

    /// The tasks in the trash that are of a category or will be when they are restored.
    func trash(of category: ID) throws -> [ID] {
        var query = TaskQuery()
        query.categoryIDs = [category]
        query.inTrash = true
        let former = try all("SELECT task FROM former_categories WHERE category = ?1", .id(category)) { try $0.id(0) }
        return try rows.taskIDs(query) + former
    }

    /// The server deleted a category: the feed says nothing of tasks in the trash.
    func freeTrash(of category: ID) throws {
        var query = TaskQuery()
        query.categoryIDs = [category]
        query.inTrash = true
        for var task in try rows.tasks(query) {
            task.categoryID = nil
            try rows.save(task)
            touched.insert(.tasks)
        }
    }

    func isInTrash(_ resource: ResourceKey) throws -> Bool {
        guard resource.type == .task, let id = resource.id else { return false }
        return try rows.task(id)?.deletedAt != nil
    }

    /// Tasks that the trash no longer has never come back.
    func forgetFormerCategories() throws {
        try run("DELETE FROM former_categories WHERE task NOT IN (SELECT id FROM tasks WHERE account = 1)")
    }
}
