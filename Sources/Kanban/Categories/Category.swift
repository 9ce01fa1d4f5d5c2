import JSON

/// A category of tasks. Its name is unique in the account without regard to case.
package struct Category: Hashable, Sendable {
    package var id: ID
    /// 1–50 code points, trimmed.
    package var name: String
    /// `#rrggbb`.
    package var color: String?
    /// One grapheme.
    package var emoji: String?
    package var image: ID?
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    package var revision: Revision

    package init(
        id: ID, name: String, color: String? = nil, emoji: String? = nil, image: ID? = nil, createdAt: Timestamp,
        updatedAt: Timestamp, revision: Revision
    ) {
        self.id = id
        self.name = name
        self.color = color
        self.emoji = emoji
        self.image = image
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
    }
}

extension Category {
    /// Whether all members are equal, texts byte for byte. `==` of String compares canonically equivalent texts as
    /// equal.
    func isSpelled(like other: Category) -> Bool {
        self == other && name.isSpelled(like: other.name) && (emoji ?? "").isSpelled(like: other.emoji ?? "")
    }
}

/// How many living tasks there are of a category and status; zero counts are left out.
package struct TaskCount: Hashable, Sendable {
    package var categoryID: ID?
    package var status: TaskStatus
    package var count: Int

    package init(categoryID: ID?, status: TaskStatus, count: Int) {
        self.categoryID = categoryID
        self.status = status
        self.count = count
    }
}
