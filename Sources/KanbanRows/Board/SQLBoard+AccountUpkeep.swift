import Kanban

/// Removes expired rows account by account: for engines that are spread over machines by account.
extension SQLBoard {
    /// True if the account has an expired answer, mutation or line of history.
    package func hasOldKeptRows() throws -> Bool {
        let answers = try statement("SELECT 1 FROM kept_answers WHERE account = ?1 AND at <= ?2 LIMIT 1")
        answers.bind(2, context.oldestKeptAnswer)
        if try answers.exists() { return true }
        let mutations = try statement("SELECT 1 FROM kept_mutations WHERE account = ?1 AND at <= ?2 LIMIT 1")
        mutations.bind(2, context.oldestKeptMutation)
        if try mutations.exists() { return true }
        for action in HistoryEntry.Action.allCases {
            let lines = try statement("SELECT 1 FROM history WHERE account = ?1 AND action = ?2 AND at <= ?3 LIMIT 1")
            lines.bind(2, action.rawValue)
            lines.bind(3, context.oldestHistory)
            if try lines.exists() { return true }
        }
        return false
    }
}

extension SQLBoardWriter {
    /// - Returns: the number of removed rows; `limit` or more when there may be more.
    package func purgeOldKeptRows(limit: Int) throws -> Int {
        let answers = try statement(
            """
            DELETE FROM kept_answers WHERE account = ?1 AND key IN (
                SELECT key FROM kept_answers WHERE account = ?1 AND at <= ?2 ORDER BY at LIMIT ?3)
            RETURNING octet_length(headers) + octet_length(body)
            """)
        answers.bind(2, context.oldestKeptAnswer)
        answers.bind(3, limit)
        var most = try remove(answers, cost: RowCost.keptAnswer)
        let mutations = try statement(
            """
            DELETE FROM kept_mutations WHERE account = ?1 AND id IN (
                SELECT id FROM kept_mutations WHERE account = ?1 AND at <= ?2 ORDER BY at LIMIT ?3)
            RETURNING octet_length(result)
            """)
        mutations.bind(2, context.oldestKeptMutation)
        mutations.bind(3, limit)
        most = max(most, try remove(mutations, cost: RowCost.keptMutation))
        for action in HistoryEntry.Action.allCases {
            let lines = try statement(
                """
                DELETE FROM history WHERE account = ?1 AND (task_id, revision) IN (
                    SELECT task_id, revision FROM history WHERE account = ?1 AND action = ?2 AND at <= ?3
                    ORDER BY at LIMIT ?4)
                RETURNING octet_length(changes)
                """)
            lines.bind(2, action.rawValue)
            lines.bind(3, context.oldestHistory)
            lines.bind(4, limit)
            most = max(most, try remove(lines, cost: RowCost.history))
        }
        return most
    }

    /// Runs a deletion that returns the bytes of each row beyond its cost.
    private func remove(_ deletion: Database.Statement, cost: Int) throws -> Int {
        let removed = try deletion.all { $0.integer() }
        try writing.charge(
            Usage(bytes: -removed.reduce(0, +) - Int64(cost * removed.count)), to: account)
        return removed.count
    }
}
