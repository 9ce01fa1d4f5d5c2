import Kanban
import KanbanRows

/// What was deleted stays on the device as long as on the server.
enum Trash {
    private static let time: Int64 = 30 * 86_400_000

    /// What was deleted up to then is gone.
    static func end(at now: Timestamp) -> Timestamp { now.adding(milliseconds: -time) }

    static func leaves(_ deletedAt: Timestamp) -> Timestamp { deletedAt.adding(milliseconds: time) }
}

/// What the trash may hold.
protocol Trashable {
    var id: ID { get }
    var deletedAt: Timestamp? { get }
}

extension TaskItem: Trashable {}
extension Kanban.Category: Trashable {}
extension DDay: Trashable {}

extension Array where Element: Trashable {
    /// Those that were deleted in the last thirty days, latest first. Only hides the others: the device's clock may be wrong.
    func trashed(at now: Timestamp, without emptied: EmptiedTrash) -> [Element] {
        let end = Swift.max(Trash.end(at: now).milliseconds, emptied.until?.milliseconds ?? .min)
        return map { (element: $0, deletedAt: $0.deletedAt?.milliseconds ?? 0) }
            .filter { $0.deletedAt > end && !emptied.ids.contains($0.element.id) }
            .sorted { ($0.deletedAt, $0.element.id) > ($1.deletedAt, $1.element.id) }
            .map(\.element)
    }
}

/// What the user emptied out of the trash of this device.
struct EmptiedTrash {
    /// All that the server had deleted by then.
    let until: Timestamp?
    /// What was deleted here and not sent yet: the server deletes it later than this device did.
    let ids: Set<ID>

    fileprivate init(_ connection: SQLiteConnection, at now: Timestamp) throws {
        // A time beyond tomorrow is no such time: the clock was ahead when the trash was emptied, and all that is deleted from now on
        // would be taken away, too.
        until = try connection.state(.trashEmptied).flatMap(Int64.init).map { Timestamp(milliseconds: $0) }
            .flatMap { $0 <= now.adding(milliseconds: Timestamp.millisecondsPerDay) ? $0 : nil }
        ids = try connection.emptiedIDs()
    }
}

extension SQLiteConnection {
    func emptiedIDs() throws -> Set<ID> {
        Set(try state(.trashEmptiedIDs)?.split(separator: ",").compactMap { ID(String($0)) } ?? [])
    }
}

extension SQLiteBoard {
    /// None names a category that lies in the trash: as long as it does, a task that is restored is of no category.
    func trashedTasks(at now: Timestamp) throws -> [TaskItem] {
        var query = TaskQuery()
        query.inTrash = true
        let living = Set(try categories().map(\.id))
        return try tasks(query).trashed(at: now, without: EmptiedTrash(connection, at: now)).map { $0.of(living) }
    }

    func trashedCategories(at now: Timestamp) throws -> [Kanban.Category] {
        try categories(inTrash: true).trashed(at: now, without: EmptiedTrash(connection, at: now))
    }

    func trashedDDays(at now: Timestamp) throws -> [DDay] {
        try ddays(inTrash: true, after: nil, limit: nil).trashed(at: now, without: EmptiedTrash(connection, at: now))
    }
}

extension BoardReader {
    /// The task as it is shown, in the trash or not.
    func shownTask(_ id: ID) throws -> TaskItem? {
        guard let task = try task(id), let category = task.categoryID else { return try task(id) }
        return task.of(try self.category(category) == nil ? [] : [category])
    }
}

extension KanbanBoard {
    /// Removes from this device what is in the trash now; what waits to be sent goes once it was. The server keeps
    /// it for the time of its own, so another device may still restore it.
    public func emptyTrash() async throws {
        try await core.replica.write { try $0.emptyTrash() }
    }
}

extension Change.Value {
    fileprivate var isOptimistic: Bool { revision?.isOptimistic ?? false }
}

extension TaskItem {
    /// The task, without its category unless that is one of these.
    fileprivate func of(_ categories: Set<ID>) -> TaskItem {
        guard let categoryID, !categories.contains(categoryID) else { return self }
        var task = self
        task.categoryID = nil
        return task
    }
}

extension Transaction {
    /// Removes what has been in the trash for as many days as the server keeps it, unless it has a pending edit.
    /// - Parameter newest: a time of the server, because the device's clock may be years ahead.
    func emptyTrash(at newest: Timestamp) throws {
        try eraseTrash(before: Trash.end(at: min(now, newest)))
    }

    /// Removes what was deleted before then and has no pending edit.
    private func eraseTrash(before end: Timestamp) throws {
        func isOld(_ resource: some Trashable) -> Bool { resource.deletedAt.map { $0 < end } ?? false }
        let old =
            try rows.trash(before: end, limit: .max).map { ResourceKey.task($0) }
            + rows.categories(inTrash: true).filter(isOld).map { .category($0.id) }
            + rows.ddays(inTrash: true, after: nil, limit: nil).filter(isOld).map { .dday($0.id) }
        for resource in old where try shadow(of: resource) == nil { try erase(resource) }
    }

    /// Empties the trash at the user's wish.
    func emptyTrash() throws {
        var query = TaskQuery()
        query.inTrash = true
        let trash =
            try rows.tasks(query).map { Change.Value.task($0) } + rows.categories(inTrash: true).map { .category($0) }
            + rows.ddays(inTrash: true, after: nil, limit: nil).map { .dday($0) }
        // By the server's times: this device's clock may be another one.
        let (unsent, known) = (trash.filter(\.isOptimistic), trash.filter { !$0.isOptimistic })
        if let last = known.compactMap(\.deletedAt).max() { try setState(.trashEmptied, String(last.milliseconds)) }
        try setEmptiedIDs(rows.connection.emptiedIDs().union(unsent.compactMap(\.resource.id)))
        try forgetEmptied()
        touched.formUnion([.tasks, .categories, .ddays])
    }

    /// Removes what was emptied out and has no pending edit.
    func forgetEmptied() throws {
        let emptied = try EmptiedTrash(rows.connection, at: now)
        if let until = emptied.until {
            try eraseTrash(before: until.adding(milliseconds: 1))
        } else {
            try setState(.trashEmptied, nil)
        }
        try forgetEmptiedIDs()
    }

    /// Removes what was emptied out before it was sent and has been sent since. What lives again may go to the trash again.
    func forgetEmptiedIDs() throws {
        let emptied = try rows.connection.emptiedIDs()
        guard !emptied.isEmpty else { return }
        var left = emptied
        for id in emptied {
            for resource in [ResourceKey.task(id), .category(id), .dday(id)] {
                guard let value = try value(of: resource) else { continue }
                if value.deletedAt == nil {
                    left.remove(id)
                } else if try shadow(of: resource) == nil {
                    try erase(resource)
                }
            }
        }
        if left != emptied { try setEmptiedIDs(left) }
    }

    func setEmptiedIDs(_ ids: Set<ID>) throws {
        try setState(.trashEmptiedIDs, ids.isEmpty ? nil : ids.sorted().map(\.description).joined(separator: ","))
    }

    /// True for what was made and deleted here before a push: the server never hears of it, unless it is restored.
    func isOwnTrash(_ resource: ResourceKey) throws -> Bool {
        guard let base = try serverValue(of: resource), base.deletedAt != nil else { return false }
        return base.revision?.isOptimistic ?? false
    }

    /// Takes deleted things of another board, of which the server never hears: they are as made and deleted here.
    func add(trash: [Change.Value]) throws {
        for value in trash where try rows.value(of: value.resource) == nil {
            try put(value.with(try rows.nextRevision()))
        }
    }
}
