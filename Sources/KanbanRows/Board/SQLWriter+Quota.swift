import Kanban

extension SQLBoard {
    package func storedUsage() throws -> Usage {
        let statement = try statement("SELECT used_bytes, used_tasks FROM accounts WHERE number = ?1")
        let usage = try statement.first { Usage(bytes: $0.integer(), tasks: $0.integer()) }
        guard let usage else { throw StoreError.noAccount }
        return usage
    }

    package func usage() throws -> Usage {
        try storedUsage()
    }

    /// Counts the rows instead of reading the counter.
    func countedUsage() throws -> Usage {
        let rows = RowCost.rows(where: "account = ?1")
        // PostgreSQL's sum of `bigint` is `numeric`.
        let sql = """
            SELECT CAST(coalesce(sum(bytes), 0) AS bigint), CAST(coalesce(sum(tasks), 0) AS bigint)
            FROM (\(rows)) AS counted
            """
        let statement = try connection.statement(composed: sql)
        statement.bind(1, account.number)
        return try statement.first { Usage(bytes: $0.integer(), tasks: $0.integer()) } ?? Usage()
    }
}

/// The purpose of a row, which decides what happens when the quota has no room for it.
package enum ChargePurpose {
    /// Content of the user: refused, and kept out of the reserve of the quota.
    case content
    /// Answers for repeated requests, and respacings: refused.
    case kept
    /// A line of history or a tombstone: never refused, so that deleting always works.
    case trace
}

extension SQLBoardWriter {
    package func usage() throws -> Usage {
        try writing.usage(of: account)
    }

    /// Counts rows that this transaction writes or, with negative numbers, removes. Quotas are enforced here alone: every
    /// write of a row that counts calls it with its ``RowCost``, for content before the write, for a trace after it.
    ///
    /// What would pass the quota makes room first: the oldest history goes, then the oldest kept answers and results.
    /// - Throws: ``StoreError/quotaExceeded(_:)``.
    package func charge(_ bytes: Int, tasks: Int = 0, for purpose: ChargePurpose) throws {
        guard bytes != 0 || tasks != 0 else { return }
        var taken = try writing.charge(Usage(bytes: Int64(bytes), tasks: Int64(tasks)), to: account)
        guard let standard = context.quota, bytes > 0 || tasks > 0 else { return }
        let quota = try writing.limits(of: account).over(standard)
        if tasks > 0, taken.tasks > quota.tasks { throw StoreError.quotaExceeded(.tasks(quota.tasks)) }
        let limit = purpose == .content ? quota.bytes - quota.reserve : quota.bytes
        guard taken.bytes > limit else { return }
        try dropOldHistory(of: taken.bytes - limit)
        taken = try usage()
        if taken.bytes > limit {
            try dropOldKeptRows(of: max(taken.bytes - limit, quota.bytes / 64))
            taken = try usage()
        }
        if taken.bytes > limit, purpose != .trace { throw StoreError.quotaExceeded(.bytes(quota.bytes)) }
    }

    /// Removes the oldest kept answers and results until this many bytes are free, or none are left but those of this
    /// transaction.
    private func dropOldKeptRows(of bytes: Int64) throws {
        var wanted = max(bytes, RowCost.leastDropped)
        let tables = [
            (
                oldest: try statement(
                    """
                    SELECT at, octet_length(result) FROM kept_mutations WHERE account = ?1 AND at < ?2 ORDER BY at LIMIT ?3
                    """),
                removal: try statement(
                    "DELETE FROM kept_mutations WHERE account = ?1 AND at <= ?2 RETURNING octet_length(result)"),
                cost: Int64(RowCost.keptMutation)
            ),
            (
                oldest: try statement(
                    """
                    SELECT at, octet_length(headers) + octet_length(body) FROM kept_answers
                    WHERE account = ?1 AND at < ?2 ORDER BY at LIMIT ?3
                    """),
                removal: try statement(
                    """
                    DELETE FROM kept_answers WHERE account = ?1 AND at <= ?2
                    RETURNING octet_length(headers) + octet_length(body)
                    """),
                cost: Int64(RowCost.keptAnswer)
            ),
        ]
        for table in tables {
            while wanted > 0 {
                table.oldest.bind(2, now)
                table.oldest.bind(3, RowCost.mostLooked)
                let rows = try table.oldest.all { (at: $0.timestamp(), bytes: $0.integer() + table.cost) }
                var found: Int64 = 0
                let enough = rows.first { row in
                    found += row.bytes
                    return found >= wanted
                }
                guard let end = enough ?? rows.last else { break }
                table.removal.bind(2, end.at)
                let freed = try table.removal.all { $0.integer() + table.cost }.reduce(0, +)
                try writing.charge(Usage(bytes: -freed), to: account)
                wanted -= freed
            }
        }
    }

    /// Removes the oldest lines of history until this many bytes are free, or none are left. It removes some more, so
    /// that not every write has to.
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
                let freed = try removal.all { $0.integer() + Int64(RowCost.history) }.reduce(0, +)
                try writing.charge(Usage(bytes: -freed), to: account)
                wanted -= freed
            }
        }
    }

    /// The time of the last of the oldest lines that together take this many bytes, among those that one read finds; `nil`
    /// without any lines.
    private func endOfOldHistory(of bytes: Int64) throws -> Timestamp? {
        // The index is by action, then by time.
        var lines: [(at: Timestamp, bytes: Int64)] = []
        var reach: Timestamp?
        for action in HistoryEntry.Action.allCases {
            let oldest = try statement(
                """
                SELECT at, octet_length(changes) FROM history WHERE account = ?1 AND action = ?2 ORDER BY at LIMIT ?3
                """)
            oldest.bind(2, action.rawValue)
            oldest.bind(3, RowCost.mostLooked)
            let found = try oldest.all {
                (at: $0.timestamp(), bytes: $0.integer() + Int64(RowCost.history))
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
