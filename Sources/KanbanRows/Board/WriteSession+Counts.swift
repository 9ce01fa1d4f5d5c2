import Kanban

/// The counts of tasks, which are written once a transaction.
extension WriteSession {
    func count(_ by: Int, _ key: CountKey) {
        countChanges.append(CountChange(key: key, by: by))
    }

    /// What is not written yet, of one account.
    func pendingCounts(of account: AccountKey) -> [CountKey: Int] {
        var sums: [CountKey: Int] = [:]
        for change in countChanges where change.key.account == account.number {
            sums[change.key, default: 0] += change.by
        }
        return sums
    }

    /// Cancels changes that are not written yet, for an account whose counts were deleted.
    func cancelPendingCounts(of account: AccountKey) {
        for (key, sum) in pendingCounts(of: account) { count(-sum, key) }
    }

    /// Writes them, those of an account's row into its ``CachedAccount``.
    func writeCounts() throws {
        guard !countChanges.isEmpty else { return }
        defer { countChanges.empty() }
        // Most transactions change one count or two, for which hashing takes longer than these comparisons.
        if countChanges.count == 1 || countChanges.count == 2 && countChanges[0].key != countChanges[1].key {
            for change in countChanges where change.by != 0 { try write(change.by, to: change.key) }
            return
        }
        var sums: [CountKey: Int] = [:]
        for change in countChanges { sums[change.key, default: 0] += change.by }
        for (key, sum) in sums where sum != 0 { try write(sum, to: key) }
    }

    private func write(_ sum: Int, to key: CountKey) throws {
        if Database.countsInAccounts, key.categoryID == nil {
            let cached = try cachedAccount(of: AccountKey(number: key.account))
            cached.tasks.add(sum, to: key.status)
            return noteChange(of: cached, isOfFeed: false)
        }
        let statement = try connection.statement(
            """
            INSERT INTO task_counts (account, category_id, status, count) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (account, category_id, status) DO UPDATE SET count = task_counts.count + excluded.count
            """)
        statement.bind(1, key.account)
        if let id = key.categoryID { statement.bind(2, id) } else { statement.bind(2, [UInt8]()) }
        statement.bind(3, key.status.rawValue)
        statement.bind(4, sum)
        try statement.writeRow()
    }
}

extension Array {
    /// Removes all elements, and keeps the memory for as many as most transactions have.
    mutating func empty() {
        removeAll(keepingCapacity: count < 1_000)
    }
}
