import JSON
import Kanban
import KanbanWire

/// The type and id of a resource; the settings have no id.
struct ResourceKey: Hashable, Sendable {
    var type: ResourceType
    var id: ID?

    static let settings = ResourceKey(type: .settings, id: nil)

    static func task(_ id: ID) -> ResourceKey { ResourceKey(type: .task, id: id) }
    static func category(_ id: ID) -> ResourceKey { ResourceKey(type: .category, id: id) }
    static func dday(_ id: ID) -> ResourceKey { ResourceKey(type: .dday, id: id) }
    static func image(_ id: ID) -> ResourceKey { ResourceKey(type: .image, id: id) }
}

extension KanbanID {
    /// Zero for the settings, which have no id.
    init(_ resource: ResourceKey) {
        self.init(resource.id ?? ID(high: 0, low: 0))
    }
}

extension Revision {
    /// Revisions of edits that the server does not have begin here, at 2^52: beyond those of any server.
    static let firstOptimistic: Revision = 1 << 52

    var isOptimistic: Bool { self >= .firstOptimistic }

    /// Revisions of what a guest brought along begin here, downward, until the feed brings the server's: beyond the negative ones of an
    /// earlier history, which it is taken for.
    static let firstProvisional: Revision = -(1 << 52)

    var isProvisional: Bool { self <= .firstProvisional }

    /// True for a row of an earlier history while a new one is being loaded; see ``Transaction/startOver()``.
    var isOfEarlierHistory: Bool { self < 0 }
}

extension Change.Value {
    var revision: Revision? {
        switch self {
        case .task(let task): task.revision
        case .category(let category): category.revision
        case .dday(let dday): dday.revision
        case .settings(let settings): settings.revision
        case .image(let image): image.revision
        case .deleted: nil
        }
    }

    /// When it went to the trash; `nil` for what lives, or has no trash.
    var deletedAt: Timestamp? {
        switch self {
        case .task(let task): task.deletedAt
        case .category(let category): category.deletedAt
        case .dday(let dday): dday.deletedAt
        case .settings, .image, .deleted: nil
        }
    }

    /// As the API shows it.
    var json: JSON {
        var writer = JSONWriter(capacity: 512)
        writer.value(self)
        // The writer above writes valid JSON.
        return (try? JSON(parsing: writer.bytes)) ?? .null
    }

    /// As a shadow keeps it: with what the API does not show, and tells which tasks a category comes back to.
    var stored: JSON {
        var json = json
        switch self {
        case .task(let task): json["categoryRevision"] = JSON(Int(task.memberRevisions[.categoryID]))
        case .category(let category): json["freedAfter"] = category.freedAfter.map { JSON(Int($0)) } ?? .null
        case .dday, .settings, .image, .deleted: break
        }
        return json
    }
}

extension BoardReader {
    /// The resource, living or in the trash.
    func value(of resource: ResourceKey) throws -> Change.Value? {
        guard let id = resource.id else { return .settings(try settings()) }
        return switch resource.type {
        case .task: try task(id).map { .task($0) }
        case .category: try (category(id) ?? category(id, inTrash: true)).map { .category($0) }
        case .dday: try (dday(id) ?? dday(id, inTrash: true)).map { .dday($0) }
        case .image: try image(id).map { .image($0) }
        case .settings: nil
        }
    }
}

// Resources in the server's JSON, and in shadows. Members that this version does not know are ignored.

extension TaskItem {
    init?(shown json: JSON) {
        // Of no column that this version knows: better not shown than in another one.
        guard json["status"]?.stringValue.flatMap(TaskStatus.init(name:)) != nil else { return nil }
        self.init(listed: json)
        // The next task beside it gets a position that is made of this one, and a server's fault must not stop the app.
        position =
            Position(reading: position.text) ?? Position(reading: position.text + "V")
            ?? Position(after: nil, before: nil)
        completedAt = json.instant("completedAt")
        series = Series(shown: json)
        if let category = json["categoryRevision"]?.intValue { memberRevisions[.categoryID] = Revision(category) }
    }
}

extension Kanban.Category {
    init?(shown json: JSON) {
        self.init(listed: json)
        freedAfter = json["freedAfter"]?.intValue.map(Revision.init)
    }
}

extension ListedNoun {
    init?(listed json: JSON) {
        guard let id = json["id"]?.stringValue.flatMap({ ID($0) }), let createdAt = json.instant("createdAt"),
            let updatedAt = json.instant("updatedAt"), let revision = json.revision
        else { return nil }
        var blank = Self(id: id, createdAt: createdAt)
        blank.updatedAt = updatedAt
        blank.deletedAt = json.instant("deletedAt")
        blank.revision = revision
        blank.memberRevisions = MemberRevisions(all: revision)
        self.init(shown: json, into: blank)
    }
}

extension Settings {
    init?(shown json: JSON) {
        guard let revision = json.revision else { return nil }
        self.init(shown: json, into: Settings(revision: revision, memberRevisions: MemberRevisions(all: revision)))
    }
}

extension Image {
    /// Without its revision, which is a member of the change. Its bytes are loaded when an app asks for them.
    init?(shown json: JSON) {
        guard let id = json["id"]?.stringValue.flatMap({ ID($0) }), let bytes = json["bytes"]?.intValue,
            let mediaType = json["mediaType"]?.stringValue.flatMap(MediaType.init(rawValue:))
        else { return nil }
        self.init(id: id, mediaType: mediaType, bytes: bytes, fingerprint: 0, revision: 0)
    }
}

extension Change.Value {
    init?(shown json: JSON, as type: ResourceType) {
        switch type {
        case .task: self = TaskItem(shown: json).map { .task($0) } ?? .deleted
        case .category: self = Kanban.Category(shown: json).map { .category($0) } ?? .deleted
        case .dday: self = DDay(listed: json).map { .dday($0) } ?? .deleted
        case .settings: self = Settings(shown: json).map { .settings($0) } ?? .deleted
        case .image: self = Image(shown: json).map { .image($0) } ?? .deleted
        }
        if self == .deleted { return nil }
    }
}

extension Change {
    /// A change of the feed; `nil` for one that this version cannot read.
    init?(shown json: JSON) {
        guard let type = json["type"]?.stringValue.flatMap(ResourceType.init(rawValue:)), let revision = json.revision,
            let name = json["id"]?.stringValue
        else { return nil }
        let id = type == .settings ? nil : ID(name)
        guard type == .settings || id != nil else { return nil }
        if json["deleted"]?.boolValue == true {
            self.init(revision: revision, type: type, id: id, value: .deleted)
        } else {
            guard var value = json["value"].flatMap({ Change.Value(shown: $0, as: type) }) else { return nil }
            if case .image(var image) = value {
                image.revision = revision
                value = .image(image)
            }
            self.init(revision: revision, type: type, id: id, value: value)
        }
    }
}

extension JSON {
    var revision: Revision? { self["revision"]?.intValue.map(Revision.init) }

    func instant(_ name: String) -> Timestamp? {
        self[name]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
    }

    /// Parses text that this library stored.
    init(stored text: String) throws {
        do {
            try self.init(parsing: Array(text.utf8), maximumDepth: 512)
        } catch {
            throw StoreError.corrupt("JSON in the replica: \(error)")
        }
    }

    var text: String { String(decoding: serialized(), as: UTF8.self) }
}
