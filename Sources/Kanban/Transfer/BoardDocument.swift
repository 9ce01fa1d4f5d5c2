/// A whole board as it stands in an export, read and found right in itself.
package struct BoardDocument: Sendable {
    /// A thing with the line of the text that it begins in, for the faults that show only beside the account's own data.
    package struct Entry<Value: Sendable>: Sendable {
        package var value: Value
        /// Its place in its array, faulty ones counted.
        package var index: Int
        package var line: Int

        package init(_ value: Value, index: Int, line: Int) {
            self.value = value
            self.index = index
            self.line = line
        }
    }

    /// `nil` when it says nothing of them.
    package var settings: Settings?
    package var categories: [Entry<Category>] = []
    package var ddays: [Entry<DDay>] = []
    package var images: [Entry<ImportedImage>] = []
    /// The place of one that has none, or an impossible one, is empty.
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
    /// The document takes the place of all that is there.
    case replace
}

/// What an import did to each kind of thing.
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
