/// A whole board from an export, parsed and valid in itself.
package struct BoardDocument: Sendable {
    /// A value with its line in the document, for faults that only the account's own data shows.
    package struct Entry<Value: Sendable>: Sendable {
        package var value: Value
        /// Its index in its array, counting faulty ones.
        package var index: Int
        package var line: Int
        /// Names of the members that the document does not give: what is there keeps its own.
        package var absent: [String]
        /// Of a task whose dates are not by the words of the file alone.
        package var basis: DueBasis?

        package init(_ value: Value, index: Int, line: Int, absent: [String] = [], basis: DueBasis? = nil) {
            self.value = value
            self.index = index
            self.line = line
            self.absent = absent
            self.basis = basis
        }
    }

    /// `nil` when the document has none.
    package var settings: Settings?
    package var categories: [Entry<Category>] = []
    package var ddays: [Entry<DDay>] = []
    package var images: [Entry<ImportedImage>] = []
    /// A task without a valid position has an empty one. A done task has no `completedAt` if the document has none.
    package var tasks: [Entry<TaskItem>] = []

    /// The time of what has none in the document, or a later one than it can have. It is not known if that is newer than
    /// what the board has, so the version counts as old if the board had it before.
    package var undatedSince = Timestamp(milliseconds: .max)

    /// True if tasks name their categories, as in files of other systems: one that was deleted for good is made again.
    package var namesCategories = false

    /// The zone in which times without one were read where the account had none.
    package var fallbackZone = Zone.utc

    /// True if writing the document takes more than a moment.
    var isLong: Bool { tasks.count > 1_000 || images.count > 20 }

    package init() {}
}

extension BoardDocument.Entry where Value: Noun {
    /// With what is there for the members that the document does not give.
    func filled(from old: Value?) -> Self {
        guard !absent.isEmpty, let old else { return self }
        var entry = self
        entry.value = value.taking(absent, of: old)
        return entry
    }
}

/// An image of an export.
package struct ImportedImage: Sendable {
    package var id: ID
    package var content: ImageContent

    package init(id: ID, content: ImageContent) {
        self.id = id
        self.content = content
    }
}

package enum ImportMode: String, Sendable, CaseIterable {
    /// Keeps whichever is newer.
    case merge
    /// Makes what the account never had, and leaves the rest as it is.
    case add
    /// The document replaces everything.
    case replace
}

/// Which of two versions of a resource an import takes.
struct VersionRule {
    /// As in ``BoardDocument/undatedSince``.
    var undatedSince: Timestamp
    var mode: ImportMode

    /// True if the version of the document replaces the one of the board.
    /// - Parameter wasBefore: true if the board had the version before; called for a version without a time.
    func isNewer(_ updatedAt: Timestamp, than old: Timestamp, wasBefore: () throws -> Bool) rethrows -> Bool {
        guard mode != .add else { return false }
        return updatedAt < undatedSince ? updatedAt > old : try updatedAt >= old && !wasBefore()
    }
}

/// What an import did, by type of resource.
package struct ImportReport: Hashable, Sendable {
    package struct Counts: Hashable, Sendable {
        package var created = 0
        package var updated = 0
        package var unchanged = 0

        package init() {}
    }

    package var tasks = Counts()
    package var categories = Counts()
    package var ddays = Counts()
    package var images = Counts()
    /// New and changed tasks whose category was deleted for good: they have none.
    package var uncategorized = 0
    /// True if the members of the app in the settings would have been too long together with those that were there.
    package var leavesCustomOut = false
    /// Tasks that differ from those here and are not newer, by their times.
    package var older = 0
    /// What was not there before, with the revisions that it got.
    package var made: [Made] = []

    package init() {}

    package struct Made: Hashable, Sendable {
        package var type: ResourceType
        package var id: ID
        package var revision: Revision

        package init(_ type: ResourceType, _ id: ID, _ revision: Revision) {
            (self.type, self.id, self.revision) = (type, id, revision)
        }

        var resource: Resource { Resource(type: type, id: id) }
    }

    struct Resource: Hashable {
        var type: ResourceType
        var id: ID
    }
}
