import JSON

/// A kind of resource with members that a user can change.
package protocol Noun: Hashable, Sendable {
    static var type: ResourceType { get }
    /// The members that a user can change, in the order of the API.
    static var members: [Member<Self>] { get }
    /// What the API shows beside the members, and ignores in a body.
    static var shownOnly: Set<String> { get }

    /// The account's revision at its last change.
    var revision: Revision { get set }
    var memberRevisions: MemberRevisions { get set }
    /// The id of its lines in the history. No two nouns share one.
    var historyID: ID { get }
    var change: Change.Value { get }
}

/// A noun of which an account has many.
package protocol ListedNoun: Noun {
    var id: ID { get }
    var createdAt: Timestamp { get set }
    var updatedAt: Timestamp { get set }
    /// When it went to the trash; `nil` for a living one.
    var deletedAt: Timestamp? { get set }

    /// A new one, with the default of each member; nothing for a member without one.
    init(id: ID, createdAt: Timestamp)
}

/// Sets the members that a body gave.
package typealias Edit<Noun> = @Sendable (inout Noun) throws -> Void

extension Noun {
    /// True if all members that a user can change are equal in the API, byte for byte.
    package func isSpelled(like other: Self) -> Bool {
        !Self.members.contains { $0.differs(self, other) }
    }

    /// This one with the members of another, or some of them.
    package func taking(membersOf other: Self) -> Self { taking(Self.members.map(\.text), of: other) }

    func taking(_ names: [String], of other: Self) -> Self {
        var taken = self
        for member in Self.members where names.contains(member.text) { member.copy(from: other, to: &taken) }
        return taken
    }

    /// The body of a request that creates an equal one.
    package var sentMembers: JSON {
        .object(Self.members.filter(\.isInBodies).map { JSON.Member($0.text, $0.value(of: self).json) })
    }
}
