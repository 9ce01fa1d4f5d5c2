import Kanban

/// What was read of the feed since its end was reached last, and whether deletions in it left anything out.
struct FeedSpan {
    private(set) var last: Revision
    /// False once a revision is missing. A later change of the same resource took its place: of that, the values between are
    /// not known.
    private(set) var isWhole: Bool
    /// The last tasks in a row that lost the same category, as all do when it is deleted: the revisions before the first and of the
    /// last one.
    private var freed: (category: ID, after: Revision, through: Revision)?

    /// - Parameters:
    ///   - end: the revision at the end of the feed when it was reached last.
    ///   - through: the highest revision that was read.
    init(from end: Revision?, through: Revision) {
        last = max(end ?? 0, through)
        isWhole = end.map { through <= $0 } ?? false
    }

    /// - Parameter category: the one that a task loses with the change.
    mutating func take(_ revision: Revision, freeing category: ID?) {
        isWhole = isWhole && revision == last + 1
        last = max(last, revision)
        guard let category else { return }
        let follows = freed.map { $0.category == category && $0.through == revision - 1 } ?? false
        freed = (category, follows ? freed?.after ?? 0 : revision - 1, revision)
    }

    /// The revision before those at which a category's tasks lost it, when it is deleted now.
    func freedAfter(_ category: ID?, at revision: Revision) -> Revision {
        guard let freed, freed.category == category, freed.through == revision - 1 else { return revision - 1 }
        return freed.after
    }
}

extension Change {
    var resource: ResourceKey { ResourceKey(type: type, id: id) }

    /// The category that a task loses with the change. One in the trash loses it when the category is deleted.
    func freedCategory(of known: Change.Value?) -> ID? {
        guard case .task(let old)? = known else { return nil }
        if case .task(let new) = value, new.categoryID != nil { return nil }
        return old.categoryID
    }
}
