import JSON

/// An anniversary or an exam day that the user counts down to.
package struct DDay: Hashable, Sendable {
    package enum Repeats: String, Sendable {
        case none, yearly
    }

    package var id: ID
    /// 1–100 code points.
    package var title: String
    package var date: Day
    package var repeats: Repeats
    /// `#rrggbb`.
    package var color: String?
    /// One grapheme.
    package var emoji: String?
    package var image: ID?
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    package var revision: Revision

    package init(
        id: ID, title: String, date: Day, repeats: Repeats = .none, color: String? = nil, emoji: String? = nil,
        image: ID? = nil, createdAt: Timestamp, updatedAt: Timestamp, revision: Revision
    ) {
        self.id = id
        self.title = title
        self.date = date
        self.repeats = repeats
        self.color = color
        self.emoji = emoji
        self.image = image
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
    }
}

extension DDay {
    /// Whether all members are equal, texts byte for byte. `==` of String compares canonically equivalent texts as
    /// equal.
    func isSpelled(like other: DDay) -> Bool {
        self == other && title.isSpelled(like: other.title) && (emoji ?? "").isSpelled(like: other.emoji ?? "")
    }
}
