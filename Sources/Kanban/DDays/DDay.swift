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
    /// When it went to the trash; `nil` for a living one.
    package var deletedAt: Timestamp?
    package var revision: Revision
    package var memberRevisions: MemberRevisions

    package init(
        id: ID, title: String, date: Day, repeats: Repeats = .none, color: String? = nil, emoji: String? = nil,
        image: ID? = nil, createdAt: Timestamp, updatedAt: Timestamp, deletedAt: Timestamp? = nil, revision: Revision,
        memberRevisions: MemberRevisions = MemberRevisions()
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
        self.deletedAt = deletedAt
        self.revision = revision
        self.memberRevisions = memberRevisions
    }
}

extension DDay: ListedNoun {
    package static let type = ResourceType.dday
    package static let members: [Member<DDay>] = [
        Member(required: "title", \.title, .text(.ddayTitle)),
        Member(required: "date", \.date, .day),
        Member("repeats", \.repeats, .word(["none", "yearly"]), standard: .none),
        Member("color", \.color, .color, standard: nil),
        Member("emoji", \.emoji, .emoji, standard: nil),
        Member("image", \.image, .id, standard: nil),
    ]
    package static let shownOnly: Set = ["createdAt", "updatedAt", "deletedAt", "revision", "countdown"]

    package init(id: ID, createdAt: Timestamp) {
        self.init(id: id, title: "", date: Day(number: 0), createdAt: createdAt, updatedAt: createdAt, revision: 0)
    }

    package var historyID: ID { ID(high: id.high ^ 0x0000_0000_6464_6179, low: id.low) }
    package var change: Change.Value { .dday(self) }
}

extension DDay {
    /// The image that it keeps from being purged: what lies in the trash keeps none.
    package var namedImage: ID? { deletedAt == nil ? image : nil }
}
