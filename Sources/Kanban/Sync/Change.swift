/// The types of resources in the change feed.
package enum ResourceType: String, Sendable, CaseIterable {
    case task, category, dday, settings, image

    /// The types that mutations change. Images have their own operations, for their bytes.
    package static let pushed: [ResourceType] = [.task, .category, .dday, .settings]

    /// What sentences call it.
    package var noun: String { self == .dday ? "D-day" : rawValue }
}

/// The latest state of one resource, at the revision of its last change.
package struct Change: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case task(TaskItem)
        case category(Category)
        case dday(DDay)
        case settings(Settings)
        case image(Image)
        case deleted
    }

    package var revision: Revision
    package var type: ResourceType
    /// `nil` for settings, of which there is one.
    package var id: ID?
    package var value: Value

    package init(revision: Revision, type: ResourceType, id: ID?, value: Value) {
        self.revision = revision
        self.type = type
        self.id = id
        self.value = value
    }
}

/// The state of an account's feed.
package struct FeedState: Hashable, Sendable {
    /// A random number, renewed whenever the history is replaced.
    package var epoch: UInt64
    /// The newest committed revision.
    package var revision: Revision
    /// Cursors below this have expired: tombstones up to here are purged.
    package var purgedThrough: Revision

    package init(epoch: UInt64, revision: Revision, purgedThrough: Revision) {
        self.epoch = epoch
        self.revision = revision
        self.purgedThrough = purgedThrough
    }
}
