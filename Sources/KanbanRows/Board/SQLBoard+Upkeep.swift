import Kanban

/// Finds and removes expired rows of a board.
extension SQLBoard {
    package func trash(before: Timestamp, limit: Int) throws -> [ID] {
        let statement = try statement(
            """
            SELECT id FROM tasks WHERE account = ?1 AND deleted_at IS NOT NULL AND deleted_at < ?2
            ORDER BY deleted_at LIMIT ?3
            """)
        statement.bind(2, before)
        statement.bind(3, limit)
        return try statement.all { try $0.id() }
    }

    /// The newest of the tombstones above the purge line that are all older; looks at `limit` of them.
    package func newestTombstone(before: Timestamp, limit: Int) throws -> Revision? {
        let statement = try statement(
            "SELECT at, revision FROM tombstones WHERE account = ?1 AND revision > ?2 ORDER BY revision LIMIT ?3")
        statement.bind(2, try feedState().purgedThrough)
        statement.bind(3, limit)
        defer { statement.reset() }
        var newest: Revision?
        while try statement.step(), statement.timestamp() < before { newest = statement.integer() }
        return newest
    }
}

extension SQLBoard {
    /// True if a category or D-day lies in the trash since before `before`.
    package func hasOldTrashBesideTasks(before: Timestamp) throws -> Bool {
        for statement in [
            try statement("SELECT 1 FROM categories WHERE account = ?1 AND deleted_at < ?2 LIMIT 1"),
            try statement("SELECT 1 FROM ddays WHERE account = ?1 AND deleted_at < ?2 LIMIT 1"),
        ] {
            statement.bind(2, before)
            if try statement.exists() { return true }
        }
        return false
    }
}

extension SQLBoardWriter {
    /// Turns categories and D-days that are in the trash since before `before` into tombstones.
    /// - Returns: the number of them; `limit` or more when there may be more.
    package func purgeTrashBesideTasks(before: Timestamp, limit: Int) throws -> Int {
        func isOld(_ deletedAt: Timestamp?) -> Bool { deletedAt.map { $0 < before } ?? false }
        let categories = try categories(inTrash: true).filter { isOld($0.deletedAt) }.prefix(limit)
        for category in categories {
            try removeCategory(category.id, revision: category.revision, at: category.deletedAt)
        }
        let ddays = try ddays(inTrash: true, after: nil, limit: nil).filter { isOld($0.deletedAt) }.prefix(limit)
        for dday in ddays { try removeDDay(dday.id, revision: dday.revision, at: dday.deletedAt) }
        return max(categories.count, ddays.count)
    }

    /// Turns a task that is in the trash since before `before` into a tombstone, and the line of its history that is in
    /// its row into one beside the others.
    package func purgeTask(_ id: ID, before: Timestamp) throws {
        guard let stored = try stored(id), let deletedAt = stored.task.deletedAt, deletedAt < before else { return }
        let task = stored.task
        // The history of the board still lists it until its lines expire.
        if stored.creation != nil, let creation = try creation(of: id, since: 0, before: .max) { try append(creation) }
        let row = try statement("DELETE FROM tasks WHERE account = ?1 AND id = ?2")
        row.bind(2, id)
        try row.run()
        writing.recentTasks.forget(id, of: account)
        try charge(-RowCost.task - stored.size, tasks: -1, for: .content)
        // When it got the revision: its category may have been removed since.
        try bury(.task, id, revision: task.revision, at: min(now, max(deletedAt, task.updatedAt)))
    }

    package func movePurgeLine(to revision: Revision) throws {
        var feed = try writing.feed(of: account)
        feed.purgedThrough = max(feed.purgedThrough, revision)
        try writing.setFeed(feed, of: account)
    }

    /// Removes respacings older than a day: a client fetches the next page within a day.
    package func purgeRespacings(limit: Int) throws -> Int {
        let statement = try statement(
            """
            DELETE FROM respacings WHERE account = ?1 AND (status, revision, old_position) IN (
                SELECT status, revision, old_position FROM respacings WHERE account = ?1 AND at < ?2 LIMIT ?3)
            """)
        statement.bind(2, Timestamp(milliseconds: now.milliseconds - 86_400_000))
        statement.bind(3, limit)
        try statement.run()
        let count = connection.changes
        try charge(-RowCost.respacing * count, for: .kept)
        return count
    }

    package func purgeKeptAnswers(before: Timestamp, limit: Int) throws -> Int {
        try purge(
            reading: "SELECT at, number FROM kept_answers ORDER BY number LIMIT ?1",
            deleting:
                """
                DELETE FROM kept_answers WHERE number <= ?1 RETURNING account, octet_length(headers) + octet_length(body)
                """, cost: RowCost.keptAnswer, before: before, limit: limit)
    }

    package func purgeKeptMutations(before: Timestamp, limit: Int) throws -> Int {
        try purge(
            reading: "SELECT at, number FROM kept_mutations ORDER BY number LIMIT ?1",
            deleting: "DELETE FROM kept_mutations WHERE number <= ?1 RETURNING account, octet_length(result)",
            cost: RowCost.keptMutation, before: before, limit: limit)
    }

    package func purgeHistory(before: Timestamp, limit: Int) throws -> Int {
        try purge(
            reading: "SELECT at, number FROM history ORDER BY number LIMIT ?1",
            deleting: "DELETE FROM history WHERE number <= ?1 RETURNING account, octet_length(changes)",
            cost: RowCost.history, before: before, limit: limit)
    }

    /// - Parameters:
    ///   - deleting: returns the account of each row and the bytes that it counts beyond `cost`.
    private func purge(
        reading: StaticString, deleting: StaticString, cost: Int, before: Timestamp, limit: Int
    ) throws -> Int {
        let oldest = try connection.statement(reading)
        oldest.bind(1, limit)
        var last: Int64?
        while try oldest.step(), !(before < oldest.timestamp()) { last = oldest.integer() }
        oldest.reset()
        guard let last else { return 0 }
        let deletion = try connection.statement(deleting)
        deletion.bind(1, last)
        let removed = try deletion.all { (account: AccountKey(number: $0.integer()), bytes: $0.integer()) }
        for (account, bytes) in removed { try writing.charge(Usage(bytes: -bytes - Int64(cost)), to: account) }
        return removed.count
    }
}
