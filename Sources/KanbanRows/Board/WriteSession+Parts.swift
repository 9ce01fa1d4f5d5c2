import Kanban

/// What a write needs of its session to let others write before it has ended; see ``UnfinishedWrites``.
extension WriteSession where Database == SQLiteConnection {
    /// What the session has in memory of a transaction that goes on later.
    package struct Aside {
        fileprivate var cached: CachedAccount?
        fileprivate var changed: [CachedAccount]
        fileprivate var countChanges: [CountChange]
        fileprivate var changedTasks: [TaskChange]?
        fileprivate var undoLog: [(cached: CachedAccount, counters: CachedAccount.Counters)]
        fileprivate var endings: Set<Int64>
    }

    package var hasSavepoint: Bool { savepoints > 0 }

    /// True if all that was written since the mark is rows that ``UnfinishedWrites`` hides. SQLite counts each row
    /// that is inserted, changed or removed; the session counts those that it adds to these tables.
    package func hasOnlyAdded(since mark: TransactionMark) -> Bool {
        connection.allChanges - mark.rows == additions - mark.additions
    }

    /// True if the transaction changed only this account.
    package func isOnly(of account: AccountKey) -> Bool {
        changed.allSatisfy { $0.number == account.number }
            && countChanges.allSatisfy { $0.key.account == account.number }
    }

    /// Takes out what is not written yet, so that transactions of others know nothing of it.
    package func setAside(_ account: AccountKey) -> Aside {
        let aside = Aside(
            cached: cachedAccounts.removeValue(forKey: account.number), changed: changed, countChanges: countChanges,
            changedTasks: changedTasks, undoLog: undoLog, endings: endings)
        latest = nil
        (changed, countChanges, changedTasks, undoLog, endings) = ([], [], [], [], [])
        return aside
    }

    /// Puts back what was set aside, into a new transaction.
    package func takeUp(_ aside: Aside) {
        if let cached = aside.cached { cachedAccounts[cached.number] = cached }
        latest = nil
        (changed, countChanges, changedTasks) = (aside.changed, aside.countChanges, aside.changedTasks)
        (undoLog, endings) = (aside.undoLog, aside.endings)
    }

    /// Has the account read again: what is known of it may be of a write that was undone.
    package func forgetCachedAccount(of account: AccountKey) {
        cachedAccounts[account.number] = nil
        latest = nil
    }

    /// All counters in the account's row; `nil` without an account.
    package func storedCounters(of account: AccountKey) throws -> [Int64?]? {
        let statement = try connection.statement(
            """
            SELECT epoch, revision, purged_through, used_bytes, used_tasks, bytes_limit, tasks_limit, todo_tasks,
                doing_tasks, done_tasks
            FROM accounts WHERE number = ?1
            """)
        statement.bind(1, account.number)
        return try statement.first { row in (0..<row.columnCount).map { _ in row.optionalInteger() } }
    }
}
