import Kanban

extension SQLBoard {
    package func storedUsage() throws -> Usage {
        let statement = try statement("SELECT used_bytes, used_tasks FROM accounts WHERE number = ?1")
        let usage = try first(of: statement) { Usage(bytes: $0.integer(0), tasks: $0.integer(1)) }
        guard let usage else { throw StoreError.noAccount }
        return usage
    }

    package func usage() throws -> Usage {
        try storedUsage()
    }

    /// Counts the rows instead of looking at the count.
    func countedUsage() throws -> Usage {
        let rows = RowCost.rows(where: "account = ?1")
        let sql = "SELECT coalesce(sum(bytes), 0), coalesce(sum(tasks), 0) FROM (\(rows)) AS counted"
        let statement = try connection.statement(composed: sql)
        statement.bind(1, account.number)
        return try first(of: statement) { Usage(bytes: $0.integer(0), tasks: $0.integer(1)) } ?? Usage()
    }
}

/// What a row is for, which decides what happens when there is no room for it.
package enum ChargePurpose {
    /// What the user made. Refused.
    case content
    /// What is kept for repeats and for walks that are under way. Refused beyond the quota's reserve.
    case kept
    /// A line of history or a tombstone. Never refused, so that deleting always works; the oldest lines go instead.
    case trace
}

extension SQLBoardWriter {
    package func usage() throws -> Usage {
        try writing.usage(of: account)
    }

    /// Counts rows that this transaction writes or, with negative numbers, removes. The one place where quotas are kept:
    /// whatever writes a row that counts calls it with what ``RowCost`` says, content before it is written, traces after.
    ///
    /// Above the quota the oldest history goes first.
    /// - Throws: ``StoreError/quotaExceeded(_:)``.
    package func charge(_ bytes: Int, tasks: Int = 0, for purpose: ChargePurpose) throws {
        guard bytes != 0 || tasks != 0 else { return }
        var taken = try writing.charge(Usage(bytes: Int64(bytes), tasks: Int64(tasks)), to: account)
        guard let standard = context.quota, bytes > 0 || tasks > 0 else { return }
        let quota = try writing.limits(of: account).over(standard)
        if tasks > 0, taken.tasks > quota.tasks { throw StoreError.quotaExceeded(.tasks(quota.tasks)) }
        guard taken.bytes > quota.bytes else { return }
        try dropOldHistory(of: taken.bytes - quota.bytes)
        taken = try usage()
        let isRefused =
            switch purpose {
            case .content: taken.bytes > quota.bytes
            case .kept: taken.bytes > quota.bytes + quota.reserve
            case .trace: false
            }
        if isRefused { throw StoreError.quotaExceeded(.bytes(quota.bytes)) }
    }

    /// Removes the oldest lines of history until so many bytes are free, and some more, so that not every write has to look
    /// for them; or until none are left.
    private func dropOldHistory(of bytes: Int64) throws {
        var wanted = max(bytes, RowCost.leastDropped)
        while wanted > 0, let end = try endOfOldHistory(of: wanted) {
            for action in HistoryEntry.Action.allCases {
                let removal = try statement(
                    """
                    DELETE FROM history WHERE account = ?1 AND action = ?2 AND at <= ?3 RETURNING octet_length(changes)
                    """)
                removal.bind(2, action.rawValue)
                removal.bind(3, end)
                let freed = try all(of: removal) { $0.integer(0) + Int64(RowCost.history) }.reduce(0, +)
                try writing.charge(Usage(bytes: -freed), to: account)
                wanted -= freed
            }
        }
    }

    /// Until when the oldest lines are that take so many bytes, as far as one look reaches; `nil` without any lines.
    private func endOfOldHistory(of bytes: Int64) throws -> Timestamp? {
        // Each action has its own stretch of the index by time.
        var lines: [(at: Timestamp, bytes: Int64)] = []
        var reach: Timestamp?
        for action in HistoryEntry.Action.allCases {
            let oldest = try statement(
                """
                SELECT at, octet_length(changes) FROM history WHERE account = ?1 AND action = ?2 ORDER BY at LIMIT ?3
                """)
            oldest.bind(2, action.rawValue)
            oldest.bind(3, RowCost.mostLooked)
            let found = try all(of: oldest) {
                (at: $0.timestamp(0), bytes: $0.integer(1) + Int64(RowCost.history))
            }
            lines += found
            if found.count == RowCost.mostLooked, let last = found.last { reach = min(reach ?? last.at, last.at) }
        }
        lines.sort { $0.at < $1.at }
        var freed: Int64 = 0
        let end = lines.first { line in
            freed += line.bytes
            return freed >= bytes
        }
        guard let end = end ?? lines.last else { return nil }
        return reach.map { min($0, end.at) } ?? end.at
    }
}
