import Kanban

/// The write connection with its state in memory: the counters of accounts and the changed counts of tasks, which are
/// written once a transaction. Used by one writer.
///
/// Specialized for SQLite, because other modules call it.
package final class WriteSession<Database: Engine> {
    package let connection: Database
    /// True if a body of this account should end so that others get their turn; see ``BoardWriter/shouldYield``.
    package var shouldYield: (AccountKey) -> Bool = { _ in false }
    /// Lets others write in the middle of a body of this account; see ``BoardWriter/pause()``.
    package var pause: (AccountKey) throws -> Void = { _ in }
    /// The board of an account with an unfinished write, as it was before; `nil` for any other account.
    package var boardBeforeWrite: (AccountKey) -> (any BoardReader)? = { _ in nil }
    /// Rows that were added, and are hidden by ``UnfinishedWrites`` until the body has returned.
    @exclusivity(unchecked) var additions: Int64 = 0
    /// How many savepoints are open.
    @exclusivity(unchecked) var savepoints = 0
    /// The accounts as they stand, committed or not. Dropped when there are too many.
    // These are not checked for overlapping access: no method hands out a reference to one or runs a body of somebody else.
    @exclusivity(unchecked) var cachedAccounts: [Int64: CachedAccount] = [:]
    /// The one that was asked for last: the next question is mostly about the same account.
    @exclusivity(unchecked) var latest: CachedAccount?
    /// Those that the transaction changed.
    @exclusivity(unchecked) var changed: [CachedAccount] = []
    @exclusivity(unchecked) var countChanges: [CountChange] = []
    @exclusivity(unchecked) var changedTasks: [TaskChange]? = []
    let recentTasks = RecentTasks()
    /// Answers that were read in advance; `nil` for a key without a row.
    @exclusivity(unchecked) var foreseenAnswers: [AnswerKey: KeptAnswer?] = [:]
    /// Kept results that were looked up in advance; `nil` for a mutation without a row.
    @exclusivity(unchecked) var foreseenMutations: [MutationKey: KeptMutation?] = [:]
    /// The counters to restore when a body or a nested part of one is undone, newest last.
    @exclusivity(unchecked) var undoLog: [(cached: CachedAccount, counters: CachedAccount.Counters)] = []

    /// Accounts of which a session or a token ended in this transaction.
    @exclusivity(unchecked) var endings: Set<Int64> = []
    /// True if a body since the last look may have left rows of an erased account.
    package var leavesRows = false

    private static var cacheLimit: Int { 10_000 }

    package init(_ connection: Database) {
        self.connection = connection
    }

    // MARK: - The transaction

    @_specialize(where Database == SQLiteConnection)
    package func begin() throws {
        try connection.begin()
    }

    /// Drops all that is known of the rows after another process wrote. Call it before anything else in the transaction.
    @_specialize(where Database == SQLiteConnection)
    package func forgetCachedAccounts() {
        forgetAllCachedAccounts()
        forgetTasks()
    }

    private func forgetAllCachedAccounts() {
        cachedAccounts = [:]
        latest = nil
    }

    /// Writes the counters and commits.
    /// - Returns: the accounts whose feed changed.
    @_specialize(where Database == SQLiteConnection)
    package func commit(at now: Timestamp) throws -> [(account: AccountKey, feed: FeedState)] {
        try commit(at: now) { try connection.commit() }
    }

    /// Writes the counters and commits by `commit`.
    /// - Returns: the accounts whose feed changed.
    @inline(__always)
    package func commit(
        at now: Timestamp, by commit: () throws -> Void
    ) throws -> [(account: AccountKey, feed: FeedState)] {
        try writeCounts()
        let changed = try writeCachedAccounts(at: now)
        try commit()
        undoLog.empty()
        if cachedAccounts.count > Self.cacheLimit { forgetAllCachedAccounts() }
        return changed
    }

    /// Undoes the transaction.
    @_specialize(where Database == SQLiteConnection)
    package func rollBack() throws {
        try connection.rollBack()
        savepoints = 0
        forget(since: TransactionMark())
        forgetTasks()
        forgetChanges()
        endings.removeAll(keepingCapacity: true)
    }

    /// A mark to which the state in memory can be undone.
    package var mark: TransactionMark {
        @_specialize(where Database == SQLiteConnection)
        get {
            TransactionMark(
                countChanges: countChanges.count, undoLog: undoLog.count, rows: connection.allChanges,
                additions: additions)
        }
    }

    @_specialize(where Database == SQLiteConnection)
    package func hasWritten(since mark: TransactionMark) -> Bool {
        connection.allChanges != mark.rows
    }

    /// Undoes the state in memory.
    @_specialize(where Database == SQLiteConnection)
    package func forget(since mark: TransactionMark) {
        countChanges.removeSubrange(mark.countChanges...)
        for (cached, counters) in undoLog[mark.undoLog...].reversed() {
            cached.counters = counters
            cachedAccounts[cached.number] = cached
        }
        undoLog.removeSubrange(mark.undoLog...)
        latest = nil
        // Rows that were read in advance stay right when nothing was written.
        if hasWritten(since: mark) { forgetTasks() }
    }

    /// A mark to which everything can be undone.
    @_specialize(where Database == SQLiteConnection)
    package func savepoint() throws -> TransactionMark {
        try connection.savepoint()
        savepoints += 1
        return mark
    }

    @_specialize(where Database == SQLiteConnection)
    package func keep(_ mark: TransactionMark) throws {
        savepoints -= 1
        try connection.releaseSavepoint()
    }

    @_specialize(where Database == SQLiteConnection)
    package func undo(to mark: TransactionMark) throws {
        savepoints -= 1
        try connection.rollBackToSavepoint()
        try connection.releaseSavepoint()
        forget(since: mark)
    }

    // MARK: - The accounts

    package func feed(of account: AccountKey) throws -> FeedState {
        try cachedAccount(of: account).counters.feed
    }

    func usage(of account: AccountKey) throws -> Usage {
        try cachedAccount(of: account).counters.usage
    }

    func limits(of account: AccountKey) throws -> OwnLimits {
        try cachedAccount(of: account).counters.limits
    }

    /// Writes the limits at once: ``commit(at:)`` does not write them.
    @_specialize(where Database == SQLiteConnection)
    package func setLimits(_ limits: OwnLimits, of account: AccountKey) throws {
        let statement = try connection.statement(
            "UPDATE accounts SET bytes_limit = ?2, tasks_limit = ?3 WHERE number = ?1")
        statement.bind(1, account.number)
        statement.bind(2, limits.bytes)
        statement.bind(3, limits.tasks)
        try statement.run()
        try change(account) { $0.limits = limits }
    }

    func cachedAccount(of account: AccountKey) throws -> CachedAccount {
        if let known = known(account) { return known }
        let statement = try connection.statement(
            """
            SELECT epoch, revision, purged_through, used_bytes, used_tasks, bytes_limit, tasks_limit FROM accounts
            WHERE number = ?1
            """)
        statement.bind(1, account.number)
        let counters = try statement.first { row in
            CachedAccount.Counters(
                feed: FeedState(
                    epoch: UInt64(bitPattern: row.integer()), revision: row.integer(), purgedThrough: row.integer()),
                usage: Usage(bytes: row.integer(), tasks: row.integer()),
                limits: OwnLimits(bytes: row.optionalInteger(), tasks: row.optionalInteger()))
        }
        guard let counters else { throw StoreError.noAccount }
        return know(CachedAccount(account, counters))
    }

    /// The account as it stands, if that was read before.
    func known(_ account: AccountKey) -> CachedAccount? {
        if let latest, latest.number == account.number { return latest }
        guard let known = cachedAccounts[account.number] else { return nil }
        latest = known
        return known
    }

    @discardableResult
    private func know(_ cached: CachedAccount) -> CachedAccount {
        cachedAccounts[cached.number] = cached
        latest = cached
        return cached
    }

    /// Changes the counters of an account, and notes how they were.
    @discardableResult
    private func change(_ account: AccountKey, _ body: (inout CachedAccount.Counters) -> Void) throws -> CachedAccount {
        let cached = try cachedAccount(of: account)
        undoLog.append((cached, cached.counters))
        body(&cached.counters)
        return cached
    }

    /// Has the commit write the counters.
    func noteChange(of cached: CachedAccount, isOfFeed: Bool) {
        if !cached.isChanged { changed.append(cached) }
        cached.isChanged = true
        if isOfFeed { cached.isFeedChanged = true }
    }

    private func forgetChanges() {
        for cached in changed {
            cached.tasks = CachedAccount.TaskChange()
            cached.isChanged = false
            cached.isFeedChanged = false
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Caches the counters of an account that were read while its row was locked.
    package func learn(_ feed: FeedState, _ usage: Usage, _ limits: OwnLimits, of account: AccountKey) {
        let counters = CachedAccount.Counters(feed: feed, usage: usage, limits: limits)
        if let known = cachedAccounts[account.number] {
            known.counters = counters
        } else {
            know(CachedAccount(account, counters))
        }
    }

    package func setFeed(_ feed: FeedState, of account: AccountKey) throws {
        noteChange(of: try change(account) { $0.feed = feed }, isOfFeed: true)
    }

    func setUsage(_ usage: Usage, of account: AccountKey) throws {
        noteChange(of: try change(account) { $0.usage = usage }, isOfFeed: false)
    }

    /// Adds to what the account takes.
    /// - Returns: what it takes now.
    @discardableResult
    func charge(_ change: Usage, to account: AccountKey) throws -> Usage {
        let cached = try self.change(account) {
            $0.usage.bytes += change.bytes
            $0.usage.tasks += change.tasks
        }
        noteChange(of: cached, isOfFeed: false)
        return cached.counters.usage
    }

    /// For an account whose row is gone.
    func removeCachedAccount(of account: AccountKey) throws {
        try change(account) { _ in }
        cachedAccounts[account.number] = nil
        latest = nil
    }

    /// - Returns: the accounts whose feed changed.
    private func writeCachedAccounts(at now: Timestamp) throws -> [(account: AccountKey, feed: FeedState)] {
        guard !changed.isEmpty else { return [] }
        defer { forgetChanges() }
        let statement = try connection.statement(
            Database.countsInAccounts
                ? """
                UPDATE accounts SET
                    epoch = ?2, revision = ?3, purged_through = ?4, written_at = ?5, used_bytes = ?6, used_tasks = ?7,
                    todo_tasks = todo_tasks + ?8, doing_tasks = doing_tasks + ?9, done_tasks = done_tasks + ?10
                WHERE number = ?1
                """
                : """
                UPDATE accounts SET
                    epoch = ?2, revision = ?3, purged_through = ?4, written_at = ?5, used_bytes = ?6, used_tasks = ?7
                WHERE number = ?1
                """)
        var feeds: [(account: AccountKey, feed: FeedState)] = []
        // Not those whose row is gone.
        for cached in changed where cachedAccounts[cached.number] === cached {
            let counters = cached.counters
            statement.bind(1, cached.number)
            statement.bind(2, Int64(bitPattern: counters.feed.epoch))
            statement.bind(3, counters.feed.revision)
            statement.bind(4, counters.feed.purgedThrough)
            statement.bind(5, now)
            statement.bind(6, counters.usage.bytes)
            statement.bind(7, counters.usage.tasks)
            if Database.countsInAccounts {
                statement.bind(8, cached.tasks.todo)
                statement.bind(9, cached.tasks.doing)
                statement.bind(10, cached.tasks.done)
            }
            try statement.writeRow()
            if cached.isFeedChanged { feeds.append((AccountKey(number: cached.number), counters.feed)) }
        }
        return feeds
    }

    /// Notes that a session or a token of the account ended: servers that share a database tell each other.
    package func noteEnding(of account: AccountKey) {
        endings.insert(account.number)
    }

    /// The accounts of the current or last transaction whose sessions or tokens ended.
    @_specialize(where Database == SQLiteConnection)
    package func takeEndings() -> [AccountKey] {
        defer { endings.removeAll(keepingCapacity: true) }
        return endings.map(AccountKey.init(number:))
    }

    /// When the last transaction of all accounts was.
    @_specialize(where Database == SQLiteConnection)
    package func latestWrite() throws -> Timestamp {
        try connection.statement("SELECT max(written_at) FROM accounts").first { $0.timestamp() }
            ?? Timestamp(milliseconds: 0)
    }

    @_specialize(where Database == SQLiteConnection)
    package func makeLocalAccount(id: ID, epoch: UInt64, at now: Timestamp) throws {
        let statement = try connection.statement(
            "INSERT INTO accounts (number, id, epoch, created_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING")
        statement.bind(1, AccountKey.local.number)
        statement.bind(2, id)
        statement.bind(3, Int64(bitPattern: epoch))
        statement.bind(4, now)
        try statement.run()
    }

    // MARK: - The tasks that changed

    /// Changes that are undone later stay noted: they only cost one more read.
    func note(_ change: TaskChange) {
        changedTasks?.append(change)
    }

    /// Notes that any task may have changed.
    func noteChangeOfAllTasks() {
        changedTasks = nil
        forgetTasks()
    }

    /// Updates the cached ends of columns.
    /// - Parameters:
    ///   - old: the task before; `nil` for a new one.
    ///   - new: the task now; `nil` for a removed one.
    func noteMove(of account: AccountKey, from old: TaskItem?, to new: TaskItem?) {
        guard let cached = known(account) else { return }
        if let old, old.deletedAt == nil { cached.ends.remove(old.position, from: old.status) }
        if let new, new.deletedAt == nil { cached.ends.add(new.position, to: new.status) }
    }

    private func forgetTasks() {
        recentTasks.forgetAll()
        for cached in cachedAccounts.values { cached.ends = ColumnEnds() }
        forgetAnswers()
    }

    private func forgetAnswers() {
        if !foreseenAnswers.isEmpty { foreseenAnswers = [:] }
        if !foreseenMutations.isEmpty { foreseenMutations = [:] }
    }

    /// The changed tasks of the transaction; `nil` when any task may have changed.
    @_specialize(where Database == SQLiteConnection)
    package func takeChangedTasks() -> [TaskChange]? {
        defer { changedTasks = [] }
        return changedTasks
    }
}

/// A point of a transaction to which it can be undone.
package struct TransactionMark {
    fileprivate var countChanges = 0
    fileprivate var undoLog = 0
    fileprivate(set) var rows: Int64 = 0
    fileprivate(set) var additions: Int64 = 0

    package init() {}

    fileprivate init(countChanges: Int, undoLog: Int, rows: Int64, additions: Int64) {
        (self.countChanges, self.undoLog, self.rows, self.additions) = (countChanges, undoLog, rows, additions)
    }
}
