import Kanban
import KanbanRows

/// Deleted tasks stay on the device as long as on the server.
enum Trash {
    private static let time: Int64 = 30 * 86_400_000

    /// What was deleted up to then is gone.
    static func end(at now: Timestamp) -> Timestamp { now.adding(milliseconds: -time) }

    static func leaves(_ deletedAt: Timestamp) -> Timestamp { deletedAt.adding(milliseconds: time) }
}

extension BoardReader {
    /// The tasks that were deleted in the last thirty days, latest first. Only hides the others: the device's clock may be wrong.
    func trash(at now: Timestamp) throws -> [TaskItem] {
        var query = TaskQuery()
        query.inTrash = true
        let end = Trash.end(at: now).milliseconds
        return try tasks(query).map { (task: $0, deletedAt: $0.deletedAt?.milliseconds ?? 0) }
            .filter { $0.deletedAt > end }
            .sorted { ($0.deletedAt, $0.task.id) > ($1.deletedAt, $1.task.id) }
            .map(\.task)
    }
}

extension Transaction {
    /// Removes tasks from the trash after as many days as the server does, unless one has a pending edit.
    /// - Parameter newest: a time of the server, because the device's clock may be years ahead.
    func emptyTrash(at newest: Timestamp) throws {
        let old = try rows.trash(before: Trash.end(at: min(now, newest)), limit: .max)
        guard !old.isEmpty else { return }
        for id in old where try shadow(of: .task(id)) == nil { try rows.erase(task: id) }
        try forgetFormerCategories()
        touched.insert(.tasks)
    }

    /// Takes deleted tasks of another board, of which the server never hears: they are as made and deleted here.
    func add(trash: [TaskItem]) throws {
        for var task in trash where try rows.task(task.id) == nil {
            task.revision = try rows.nextRevision()
            try rows.save(task)
        }
        if !trash.isEmpty { touched.insert(.tasks) }
    }
}
