/// A whole board from an export, parsed and valid in itself.
package struct BoardDocument: Sendable {
    /// A value with its line in the document, for faults that only the account's own data shows.
    package struct Entry<Value: Sendable>: Sendable {
        package var value: Value
        /// Its index in its array, counting faulty ones.
        package var index: Int
        package var line: Int

        package init(_ value: Value, index: Int, line: Int) {
            self.value = value
            self.index = index
            self.line = line
        }
    }

    /// `nil` when the document has none.
    package var settings: Settings?
    package var categories: [Entry<Category>] = []
    package var ddays: [Entry<DDay>] = []
    package var images: [Entry<ImportedImage>] = []
    /// A task without a valid position has an empty one. A done task has no `completedAt` if the document has none.
    package var tasks: [Entry<TaskItem>] = []

    package init() {}
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
    /// The document replaces everything.
    case replace
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

    package init() {}
}
