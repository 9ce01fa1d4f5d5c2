/// The member names of an object so far; a duplicate is an error.
///
/// A few names are compared one by one, which is faster than hashing. More are hashed, so that the time stays linear for
/// an object of a hundred thousand members.
struct MemberNames {
    private static let few = 16
    private var list: [String] = []
    private var set: Set<Spelling> = []

    var isEmpty: Bool { list.isEmpty }

    /// - Parameter offset: the place of the name, for the error.
    mutating func insert(_ name: String, at offset: Int) throws(JSONError) {
        if list.count < Self.few {
            guard !list.contains(where: { $0.isSpelled(like: name) }) else { throw twice(name, at: offset) }
            list.append(name)
        } else {
            if set.isEmpty { set = Set(list.map(Spelling.init)) }
            guard set.insert(Spelling(name)).inserted else { throw twice(name, at: offset) }
        }
    }

    /// The same where the caller keeps the members: while they are few, no second list is needed.
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
