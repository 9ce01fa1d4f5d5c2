/// The names that an object has had so far; a second one of the same spelling is an error.
///
/// A few names are compared one by one, which is faster than hashing; many are hashed, so that an object of a hundred
/// thousand members costs no more than its length.
struct MemberNames {
    private static let few = 16
    private var list: [String] = []
    private var set: Set<Spelling> = []

    var isEmpty: Bool { list.isEmpty }

    /// - Parameter offset: where the name is written, for the error.
    mutating func insert(_ name: String, at offset: Int) throws(JSONError) {
        if list.count < Self.few {
            guard !list.contains(where: { $0.isSpelled(like: name) }) else { throw twice(name, at: offset) }
            list.append(name)
        } else {
            if set.isEmpty { set = Set(list.map(Spelling.init)) }
            guard set.insert(Spelling(name)).inserted else { throw twice(name, at: offset) }
        }
    }

    /// The same where the members are kept anyway: while they are few, there is no list beside them.
    mutating func insert(_ name: String, at offset: Int, after members: [JSON.Member]) throws(JSONError) {
        if members.count < Self.few {
            guard !members.contains(where: { $0.name.isSpelled(like: name) }) else { throw twice(name, at: offset) }
        } else {
            if set.isEmpty { set = Set(members.map { Spelling($0.name) }) }
            guard set.insert(Spelling(name)).inserted else { throw twice(name, at: offset) }
        }
    }

    private func twice(_ name: String, at offset: Int) -> JSONError {
        JSONError(offset: offset, detail: "The member \"\(name)\" is there twice.")
    }
}
