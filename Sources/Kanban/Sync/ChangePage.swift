/// A stretch of the change feed: each resource at most once, in its latest state, in the order of revisions.
package struct ChangePage: Sendable {
    package var changes: [Change]
    /// Where to read on.
    package var cursor: Cursor
    package var hasMore: Bool
    /// The feed as it was when the page was read.
    package var feed: FeedState
}

extension BoardReader {
    /// The changes after the cursor; without one the whole living state from its beginning.
    ///
    /// The last revision of a page is all that its cursor has to know: what changed behind it while the client was
    /// away has moved to a higher revision and comes later.
    /// - Throws: ``CursorError/expired``.
    package func changePage(
        after cursor: Cursor?, types: Set<ResourceType> = Set(ResourceType.allCases), limit: Int
    ) throws -> ChangePage {
        let feed = try feedState()
        try cursor?.check(in: feed)
        var changes = try changes(
            since: cursor?.revision ?? 0, types: types, livingOnly: cursor == nil, limit: limit + 1)
        let hasMore = changes.count > limit
        if hasMore { changes.removeLast(changes.count - limit) }
        var next = Cursor(epoch: feed.epoch, revision: feed.revision)
        if hasMore, let last = changes.last {
            next.revision = last.revision
            next.walkBegan = feed.walkBegan(for: cursor, at: last.revision)
        }
        return ChangePage(changes: changes, cursor: next, hasMore: hasMore, feed: feed)
    }

    /// The changes after a cursor as a client sent it.
    /// - Throws: ``CursorError``.
    package func changePage(
        after text: String?, types: Set<ResourceType> = Set(ResourceType.allCases), limit: Int
    ) throws -> ChangePage {
        let cursor = try text.map { try Cursor($0, in: feedState()) }
        return try changePage(after: cursor, types: types, limit: limit)
    }
}

extension FeedState {
    /// What a cursor at `revision` has to say of the beginning of the walk, when the reading went on from `cursor`:
    /// nothing, unless it would be taken for one that is too old.
    package func walkBegan(for cursor: Cursor?, at revision: Revision) -> Revision? {
        guard revision < purgedThrough else { return nil }
        guard let cursor else { return self.revision }
        return cursor.walkBegan
    }
}
