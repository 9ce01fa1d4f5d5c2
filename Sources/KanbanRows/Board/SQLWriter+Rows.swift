import JSON
import Kanban

/// The rows besides tasks.
extension SQLBoardWriter {
    package func append(_ entry: HistoryEntry) throws {
        let statement = try statement(
            """
            INSERT INTO history (account, task_id, revision, at, action, changes, session_id, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        let changes = HistoryEntry.MemberChange.encode(entry.changes)
        var row = RowBinding(statement, of: account)
        row.bind(2, entry.taskID)
        row.bind(3, entry.revision)
        row.bind(4, entry.at)
        row.bind(5, entry.action.rawValue)
        row.bind(6, utf8: changes)
        row.bind(7, entry.sessionID)
        statement.bind(8, row.checksum)
        try statement.writeRow()
        try charge(RowCost.history + changes.count, for: .trace)
    }

    package func save(_ category: Category) throws {
        let old = try storedCategory(category.id)
        if old == nil { try charge(RowCost.category, for: .content) }
        try write(category, CategoryRow.table)
        if old == nil { writing.additions += 1 }
        try noteNaming(of: category.namedImage, insteadOf: old?.namedImage)
    }

    package func removeCategory(_ id: ID, revision: Revision) throws {
        try removeCategory(id, revision: revision, at: nil)
    }

    /// - Parameter at: when it was deleted; `nil`: now.
    func removeCategory(_ id: ID, revision: Revision, at deletedAt: Timestamp?) throws {
        let image = try category(id)?.namedImage
        let statement = try statement("DELETE FROM categories WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        try statement.run()
        try charge(-RowCost.category * connection.changes, for: .content)
        try noteNaming(of: nil, insteadOf: image)
        try bury(.category, id, revision: revision, at: deletedAt)
    }

    package func save(_ dday: DDay) throws {
        let old = try storedDDay(dday.id)
        if old == nil { try charge(RowCost.dday, for: .content) }
        try write(dday, DDayRow.table)
        if old == nil { writing.additions += 1 }
        try noteNaming(of: dday.namedImage, insteadOf: old?.namedImage)
    }

    package func removeDDay(_ id: ID, revision: Revision) throws {
        try removeDDay(id, revision: revision, at: nil)
    }

    /// - Parameter at: when it was deleted; `nil`: now.
    func removeDDay(_ id: ID, revision: Revision, at deletedAt: Timestamp?) throws {
        let image = try dday(id)?.namedImage
        let statement = try statement("DELETE FROM ddays WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        try statement.run()
        try charge(-RowCost.dday * connection.changes, for: .content)
        try noteNaming(of: nil, insteadOf: image)
        try bury(.dday, id, revision: revision, at: deletedAt)
    }

    package func save(_ settings: Settings) throws {
        let old = try statement("SELECT octet_length(custom) FROM settings WHERE account = ?1")
        let former = try old.first { RowCost.settings + Int($0.integer()) } ?? 0
        try charge(RowCost.settings + settings.custom.serialized().count - former, for: .content)
        try write(settings, SettingsRow.table)
    }

    private func write<Noun>(_ noun: Noun, _ table: NounTable<Noun>) throws {
        let statement = try statement(table.save)
        table.bind(noun, of: account, to: statement)
        try statement.run()
    }

    // MARK: - Kept for repeated requests

    /// An older one that counts as gone may still be there. Deleted first, so that numbers grow with time.
    private func removeAnswer(key: String) throws {
        let removal = try statement(
            "DELETE FROM kept_answers WHERE account = ?1 AND key = ?2 RETURNING octet_length(headers) + octet_length(body)"
        )
        removal.bind(2, key)
        for removed in try removal.all({ Int($0.integer()) }) {
            try charge(-RowCost.keptAnswer - removed, for: .kept)
        }
    }

    package func keep(_ answer: KeptAnswer, key: String) throws {
        let isNew =
            !writing.foreseenAnswers.isEmpty
            && writing.foreseenAnswers.removeValue(forKey: AnswerKey(account: account, text: key)) == .some(nil)
        if !isNew { try removeAnswer(key: key) }
        let headers = KeptAnswer.Header.encode(answer.headers)
        try charge(RowCost.keptAnswer + headers.utf8.count + answer.body.count, for: .kept)
        let statement = try statement(
            """
            INSERT INTO kept_answers (account, key, fingerprint, status, headers, body, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        statement.bind(2, key)
        statement.bind(3, answer.fingerprint)
        statement.bind(4, answer.status)
        statement.bind(5, headers)
        statement.bind(6, answer.body)
        statement.bind(7, now)
        try statement.run()
    }

    package func keep(_ mutation: KeptMutation, id: ID) throws {
        let key = MutationKey(account: account, id: id)
        let isKnownAbsent =
            !writing.foreseenMutations.isEmpty
            && writing.foreseenMutations.updateValue(mutation, forKey: key) == .some(nil)
        if try insert(mutation, id, isKnownAbsent: isKnownAbsent) { return }
        // An older one that counts as gone. Deleted, so that numbers grow with time.
        try forgetMutation(id)
        guard try insert(mutation, id) else { throw damaged("mutation \(id) is kept and is not") }
    }

    package func forgetMutation(_ id: ID) throws {
        let removal = try statement(
            "DELETE FROM kept_mutations WHERE account = ?1 AND id = ?2 RETURNING octet_length(result)")
        removal.bind(2, id)
        for removed in try removal.all({ Int($0.integer()) }) {
            try charge(-RowCost.keptMutation - removed, for: .kept)
        }
    }

    /// - Parameter isKnownAbsent: true if there is none of this id; then nobody waits for the outcome.
    /// - Returns: false when there is one of this id.
    private func insert(_ mutation: KeptMutation, _ id: ID, isKnownAbsent: Bool = false) throws -> Bool {
        let statement = try statement(
            """
            INSERT INTO kept_mutations (account, id, fingerprint, result, at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (account, id) DO NOTHING
            """)
        statement.bind(2, id)
        statement.bind(3, mutation.fingerprint)
        statement.bind(4, utf8: mutation.result)
        statement.bind(5, now)
        try statement.run()
        guard isKnownAbsent || connection.changes > 0 else { return false }
        try charge(RowCost.keptMutation + mutation.result.count, for: .kept)
        return true
    }
}
