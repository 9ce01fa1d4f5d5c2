/// A page of the change feed: each resource at most once, in its latest state, in the order of revisions.
package struct ChangePage: Sendable {
    /// The number of changes that are read in less than a millisecond.
    package static let few: Revision = 64
    /// A page ends after this many bytes of JSON.
    package static let mostBytes = 512 << 10

    package var changes: [Change]
    /// The cursor of the next page.
    package var cursor: Cursor
    package var hasMore: Bool
    /// The feed as it was when the page was read.
    package var feed: FeedState
}

extension BoardReader {
    /// The changes after the cursor; without a cursor, the whole living state.
    ///
    /// The cursor of a page is its last revision: what changed before it in the meantime has moved to a higher revision
    /// and comes later.
    /// - Parameter goesOn: called with each change of the page, in order; the page ends with the one for which it returns
    ///   false.
    /// - Throws: ``CursorError/expired``.
    package func changePage(
        after cursor: Cursor?, types: Set<ResourceType> = Set(ResourceType.allCases), limit: Int,
        while goesOn: (Change) -> Bool = { _ in true }
    ) throws -> ChangePage {
        let feed = try feedState()
        try cursor?.check(in: feed)
        var page: [Change] = []
        var last = cursor?.revision ?? 0
        var hasMore = true
        var isFull = false
        while hasMore, !isFull {
            // In steps: a page of large changes ends early and must not read a thousand of them.
            let wanted = min(changesAtOnce, limit - page.count)
            let step = try changes(since: last, types: types, livingOnly: cursor == nil, limit: wanted + 1)
            for change in step.prefix(wanted) where !isFull {
                page.append(change)
                last = change.revision
                isFull = !goesOn(change) || page.count == limit
            }
            hasMore = step.last.map { $0.revision > last } ?? false
        }
        var next = Cursor(epoch: feed.epoch, revision: feed.revision)
        if hasMore {
            next.revision = last
            next.walkBegan = feed.walkBegan(for: cursor, at: last)
        }
        return ChangePage(changes: page, cursor: next, hasMore: hasMore, feed: feed)
    }

    /// Reads a cursor as a client sent it.
    /// - Throws: ``CursorError``.
    package func cursor(_ text: String?) throws -> Cursor? {
        try text.map { try Cursor($0, in: feedState()) }
    }
}

private let changesAtOnce = 200

extension FeedState {
    /// The `walkBegan` of a cursor at `revision`, when the reading continued from `cursor`: `nil`, unless the cursor
    /// would look expired without it.
    package func walkBegan(for cursor: Cursor?, at revision: Revision) -> Revision? {
        guard revision < purgedThrough else { return nil }
        guard let cursor else { return self.revision }
        return cursor.walkBegan
    }
}
