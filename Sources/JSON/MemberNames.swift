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
        let isNew: Bool
        if list.count < Self.few {
            isNew = !list.contains { $0.isSpelled(like: name) }
            list.append(name)
        } else {
            if set.isEmpty { set = Set(list.map(Spelling.init)) }
            isNew = set.insert(Spelling(name)).inserted
        }
        guard isNew else { throw JSONError(offset: offset, detail: "The member \"\(name)\" is there twice.") }
    }
}
