import JSON
import Kanban
import KanbanRows
import KanbanWire

/// The server's trash. The feed says that something was deleted, and not what it was: this is read from the lists of the trash and
/// kept, so that it can be restored without a network.

/// A reading of the lists of the trash: of all that is there, or until what the device misses is found.
struct TrashReading: Sendable {
    /// Days that the server keeps what it deletes may be other than the device's, so it is asked for all once a day.
    private static let daily: Int64 = 86_400_000

    let isWhole: Bool
    /// What the feed said was deleted, and at which revision.
    let wanted: [ResourceKey: Revision]
    /// What this device had in the trash before, with its revisions.
    fileprivate var before: [ResourceKey: Revision] = [:]
    /// What was emptied out here, and has been sent.
    fileprivate var emptied: Set<ID> = []
    fileprivate var listed: Set<ResourceKey> = []

    /// - Returns: `nil` when there is nothing to read.
    init?(_ reader: SQLiteBoard, at now: Timestamp) throws {
        let connection = reader.connection
        guard try connection.hasCursor else { return nil }
        wanted = Dictionary(
            uniqueKeysWithValues: try connection.all("SELECT type, id, revision FROM wanted_trash", []) { row in
                guard let type = ResourceType(rawValue: row.text()) else {
                    throw StoreError.corrupt("a deletion of an unknown type")
                }
                return (ResourceKey(type: type, id: try row.id()), row.integer())
            })
        let last = try connection.state(.trashRead).flatMap(Int64.init)
        isWhole = last.map { !(0..<Self.daily ~= now.milliseconds - $0) } ?? true
        guard isWhole || !wanted.isEmpty else { return nil }
        guard isWhole else { return }
        let tasks = try connection.all(
            "SELECT id, revision FROM tasks WHERE account = 1 AND deleted_at IS NOT NULL", []
        ) { (ResourceKey.task(try $0.id()), $0.integer()) }
        before = Dictionary(
            uniqueKeysWithValues: try tasks
                + reader.categories(inTrash: true).map { (.category($0.id), $0.revision) }
                + reader.ddays(inTrash: true, after: nil, limit: nil).map { (.dday($0.id), $0.revision) })
        emptied = try connection.emptiedIDs().subtracting(before.keys.compactMap(\.id))
    }

    /// True if more of a list has to be read.
    func needs(_ type: ResourceType) -> Bool {
        isWhole || wanted.keys.contains { $0.type == type && !listed.contains($0) }
    }

    mutating func note(_ page: [Change.Value]) {
        listed.formUnion(page.map(\.resource))
    }
}

extension Transaction {
    /// Call it for a deletion whose value this device may not know.
    func want(_ resource: ResourceKey, at revision: Revision) throws {
        try run(
            "INSERT OR REPLACE INTO wanted_trash (type, id, revision) VALUES (?1, ?2, ?3)",
            .text(resource.type.rawValue), .id(resource.id), .integer(revision))
    }

    func wantsTrash() throws -> Bool {
        try !all("SELECT 1 FROM wanted_trash LIMIT 1") { $0.integer() }.isEmpty
    }

    /// Integrates a page of the trash, below the edits.
    func integrate(trash page: [Change.Value]) throws {
        let news = try page.filter { value in
            guard let known = try serverValue(of: value.resource), let seen = known.revision, !seen.isOptimistic else {
                return true
            }
            // Restored since the list was read, or known as it is.
            return seen <= value.revision ?? 0 && known.json != value.json
        }
        guard !news.isEmpty else { return }
        try rollBackEdits()
        isEditing = false
        for value in news { try put(value.following(try self.value(of: value.resource))) }
        isEditing = true
        try replayEdits()
    }

    /// All lists were read that had to be. What they no longer have was deleted for good, or is of a history that ended.
    func finish(_ reading: TrashReading) throws {
        // What a stream wanted meanwhile may be newer than the lists.
        for (resource, revision) in reading.wanted {
            try run(
                "DELETE FROM wanted_trash WHERE type = ?1 AND id = ?2 AND revision = ?3",
                .text(resource.type.rawValue), .id(resource.id), .integer(revision))
        }
        guard reading.isWhole else { return }
        for (resource, revision) in reading.before where !reading.listed.contains(resource) && !revision.isOptimistic {
            guard try shadow(of: resource) == nil, let value = try value(of: resource), value.deletedAt != nil,
                value.revision == revision
            else { continue }
            try erase(resource)
        }
        // The server has deleted these for good by now.
        let gone = reading.emptied.subtracting(reading.listed.compactMap(\.id))
        try setEmptiedIDs(rows.connection.emptiedIDs().subtracting(gone))
        try forgetEmptied()
        try setState(.trashRead, String(now.milliseconds))
    }
}

extension Change.Value {
    /// Of what has an id.
    var resource: ResourceKey {
        switch self {
        case .task(let task): .task(task.id)
        case .category(let category): .category(category.id)
        case .dday(let dday): .dday(dday.id)
        case .image(let image): .image(image.id)
        case .settings, .deleted: .settings
        }
    }

    /// The value with what the server does not tell, and a restored category asks for: since when a task is of its category, and
    /// the revision before those at which its tasks lost one that was deleted.
    func following(_ known: Change.Value?) -> Change.Value {
        // Numbers of this device alone, or of another history, tell nothing.
        guard let known, let seen = known.revision, !seen.isOptimistic, !seen.isOfEarlierHistory else { return self }
        switch (self, known) {
        case (.task(var task), .task(let old)) where old.categoryID == task.categoryID:
            task.memberRevisions[.categoryID] = old.memberRevisions[.categoryID]
            return .task(task)
        case (.category(var category), .category(let old)) where category.deletedAt != nil:
            category.freedAfter = old.freedAfter
            return .category(category)
        default:
            return self
        }
    }

    func with(_ revision: Revision) -> Change.Value {
        switch self {
        case .task(var task):
            task.revision = revision
            return .task(task)
        case .category(var category):
            category.revision = revision
            return .category(category)
        case .dday(var dday):
            dday.revision = revision
            return .dday(dday)
        case .image(var image):
            image.revision = revision
            return .image(image)
        case .settings, .deleted:
            return self
        }
    }

    /// The value in the trash. A device whose clock is behind deletes nothing before the server changed it last: it would leave the
    /// trash at once.
    /// - Parameters:
    ///   - revision: of the deletion, where the device knows what was deleted; else `nil`: the value keeps the revision that was seen.
    ///   - freedAfter: of a category, the revision before those at which its tasks lost it.
    func trashed(at now: Timestamp, revision: Revision?, freedAfter: Revision) -> Change.Value {
        let value: Change.Value
        switch self {
        case .task(var task):
            task.deletedAt = task.deletedAt ?? max(now, task.updatedAt)
            value = .task(task)
        case .category(var category):
            if category.deletedAt == nil { category.freedAfter = freedAfter }
            category.deletedAt = category.deletedAt ?? max(now, category.updatedAt)
            value = .category(category)
        case .dday(var dday):
            dday.deletedAt = dday.deletedAt ?? max(now, dday.updatedAt)
            value = .dday(dday)
        case .settings, .image, .deleted:
            return self
        }
        return revision.map { value.with($0) } ?? value
    }
}
