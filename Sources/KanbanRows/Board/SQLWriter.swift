import Kanban

/// The writing half of a board, in statements.
package protocol SQLBoardWriter<Database>: SQLBoard, BoardWriter, AnyObject {
    /// The transaction that all writers of one connection share.
    var writing: WriteSession<Database> { get }
    var ids: IDSource { get }

    /// The same transaction, on the board of another account.
    func writer(for account: AccountKey) -> Self
}

/// A board in SQLite inside a write transaction. Lives as long as one body.
package final class SQLiteBoardWriter: SQLBoardWriter {
    package typealias Database = SQLiteConnection

    package let account: AccountKey
    package let session: ID?
    package let now: Timestamp
    package let context: BoardContext
    package let writing: WriteSession<SQLiteConnection>
    package let ids: IDSource

    package init(
        account: AccountKey, writingSession: ID?, now: Timestamp,
        session: WriteSession<SQLiteConnection>, context: BoardContext, ids: IDSource
    ) {
        self.account = account
        self.session = writingSession
        self.now = now
        self.context = context
        writing = session
        self.ids = ids
    }

    package func writer(for account: AccountKey) -> SQLiteBoardWriter {
        SQLiteBoardWriter(
            account: account, writingSession: session, now: now, session: writing,
            context: context, ids: ids)
    }
}

extension SQLBoardWriter {
    package var connection: Database { writing.connection }

    package var shouldYield: Bool { writing.shouldYield(account) }

    package func pause() throws { try writing.pause(account) }

    package func makeID() -> ID {
        ids.next(at: now)
    }

    package func nextRevision() throws -> Revision {
        var feed = try writing.feed(of: account)
        feed.revision += 1
        try writing.setFeed(feed, of: account)
        return feed.revision
    }

    package func feedState() throws -> FeedState {
        try writing.feed(of: account)
    }

    package func lastPosition(in status: TaskStatus) throws -> Position? {
        let cached = try writing.cachedAccount(of: account)
        if let known = cached.ends[status] { return known }
        let end = try storedLastPosition(in: status)
        if let end { cached.ends.learn(end, of: status) }
        return end
    }

    package func taskCounts() throws -> [TaskCount] {
        let pending = writing.pendingCounts(of: account)
        guard !pending.isEmpty else { return try storedTaskCounts() }
        var counts: [CountKey: Int] = [:]
        for stored in try storedTaskCounts() {
            counts[.init(account: account.number, categoryID: stored.categoryID, status: stored.status)] = stored.count
        }
        counts.merge(pending, uniquingKeysWith: +)
        return counts.filter { $0.value != 0 }
            .map { TaskCount(categoryID: $0.categoryID, status: $0.status, count: $1) }
            .sorted { left, right in
                guard left.categoryID == right.categoryID else {
                    // As stored: none first, then by id.
                    guard let leftID = left.categoryID else { return true }
                    return right.categoryID.map { leftID < $0 } ?? false
                }
                return left.status.rawValue < right.status.rawValue
            }
    }

    package func nested<T>(_ body: () throws -> T) throws -> T {
        let mark = try writing.savepoint()
        do {
            let result = try body()
            try writing.keep(mark)
            return result
        } catch {
            // Without a sound transaction there is no part of it to undo; the writer ends it as a whole.
            try connection.requireSound()
            try writing.undo(to: mark)
            throw error
        }
    }

    package func eraseBoard() throws {
        writing.noteChangeOfAllTasks()
        try statement("DELETE FROM history WHERE account = ?1").run()
        try statement("DELETE FROM respacings WHERE account = ?1").run()
        try statement("DELETE FROM tasks WHERE account = ?1").run()
        try statement("DELETE FROM task_counts WHERE account = ?1").run()
        if Database.countsInAccounts {
            try statement("UPDATE accounts SET todo_tasks = 0, doing_tasks = 0, done_tasks = 0 WHERE number = ?1").run()
        }
        try statement("DELETE FROM categories WHERE account = ?1").run()
        try statement("DELETE FROM ddays WHERE account = ?1").run()
        try statement("DELETE FROM images WHERE account = ?1").run()
        try statement("DELETE FROM image_contents WHERE account = ?1").run()
        try statement("DELETE FROM tombstones WHERE account = ?1").run()
        try statement("DELETE FROM settings WHERE account = ?1").run()
        // Their effects are gone, so a repeat is performed again.
        try statement("DELETE FROM kept_mutations WHERE account = ?1").run()
        writing.cancelPendingCounts(of: account)
        var feed = try writing.feed(of: account)
        feed.epoch = ids.newEpoch()
        // Even when nothing replaces the old content, the revision grows: clients keep content by its revision.
        feed.revision += 1
        feed.purgedThrough = 0
        try writing.setFeed(feed, of: account)
        // Answers that are kept for repeats are still there.
        try writing.setUsage(countedUsage(), of: account)
    }

    /// Erases the account with everything that is its own. What is left of a large board, which nobody can reach, is removed later;
    /// see ``UnfinishedWrites``.
    package func eraseAccount() throws {
        writing.noteChangeOfAllTasks()
        let leavesRows = try Database.erasesInParts && takesMuch()
        try writing.removeCachedAccount(of: account)
        // First, because it waits for the holder of the account's lock: the rows of that one are erased, too.
        try statement("DELETE FROM accounts WHERE number = ?1").run()
        if leavesRows {
            try UnfinishedWrites.begin(of: account, on: connection)
            writing.leavesRows = true
        }
        for table in Schema.tablesOfAccounts where !(leavesRows && UnfinishedWrites.isLeft(table)) {
            let rows = try connection.statement(composed: "DELETE FROM \(table) WHERE account = ?1")
            rows.bind(1, account.number)
            try rows.run()
        }
        writing.noteEnding(of: account)
        writing.cancelPendingCounts(of: account)
    }

    private func takesMuch() throws -> Bool {
        let statement = try statement("SELECT used_bytes FROM accounts WHERE number = ?1")
        return try statement.first { $0.integer() > UnfinishedWrites.mostErasedAtOnce } ?? false
    }

    package func bury(_ type: ResourceType, _ id: ID, revision: Revision, at: Timestamp? = nil) throws {
        let statement = try statement(
            "INSERT INTO tombstones (account, type, id, revision, at) VALUES (?1, ?2, ?3, ?4, ?5)")
        statement.bind(2, type.rawValue)
        statement.bind(3, id)
        statement.bind(4, revision)
        statement.bind(5, at ?? now)
        try statement.run()
        try charge(RowCost.tombstone, for: .trace)
    }

    package func unbury(_ type: ResourceType, _ id: ID) throws {
        let statement = try statement("DELETE FROM tombstones WHERE account = ?1 AND type = ?2 AND id = ?3")
        statement.bind(2, type.rawValue)
        statement.bind(3, id)
        try statement.run()
        // To ask how many were removed is a round trip of its own.
        let isForeseen = type == .task && writing.recentTasks.isBuried(id, of: account) == true
        try charge(-RowCost.tombstone * (isForeseen ? 1 : connection.changes), for: .trace)
    }
}
