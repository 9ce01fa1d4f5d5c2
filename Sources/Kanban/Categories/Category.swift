/// A category of tasks. Its name is unique in the account; see ``String/sameKey``.
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
    /// When it went to the trash; `nil` for a living one.
    package var deletedAt: Timestamp?
    /// Of one in the trash: the account's revision before its tasks lost it. They did so between this and ``revision``.
    package var freedAfter: Revision?
    package var revision: Revision
    package var memberRevisions: MemberRevisions

    package init(
        id: ID, name: String, color: String? = nil, emoji: String? = nil, image: ID? = nil, createdAt: Timestamp,
        updatedAt: Timestamp, deletedAt: Timestamp? = nil, freedAfter: Revision? = nil, revision: Revision,
        memberRevisions: MemberRevisions = MemberRevisions()
    ) {
        self.id = id
        self.name = name
        self.color = color
        self.emoji = emoji
        self.image = image
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.deletedAt = deletedAt
        self.freedAfter = freedAfter
        self.revision = revision
        self.memberRevisions = memberRevisions
    }
}

extension Category: ListedNoun {
    package static let type = ResourceType.category
    package static let members: [Member<Category>] = [
        Member(required: "name", \.name, .trimmedText(.categoryName)),
        Member("color", \.color, .color, standard: nil),
        Member("emoji", \.emoji, .emoji, standard: nil),
        Member("image", \.image, .id, standard: nil),
    ]
    package static let shownOnly: Set = ["taskCount", "doneCount", "createdAt", "updatedAt", "deletedAt", "revision"]

    package init(id: ID, createdAt: Timestamp) {
        self.init(id: id, name: "", createdAt: createdAt, updatedAt: createdAt, revision: 0)
    }

    package var historyID: ID { ID(high: id.high ^ 0x6361_7465_676f_7279, low: id.low) }
    package var change: Change.Value { .category(self) }
}

extension Category {
    /// The image that it keeps from being purged: what lies in the trash keeps none.
    package var namedImage: ID? { deletedAt == nil ? image : nil }
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
