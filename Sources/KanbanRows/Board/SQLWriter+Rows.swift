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
        statement.bind(2, entry.taskID)
        statement.bind(3, entry.revision)
        statement.bind(4, entry.at)
        statement.bind(5, entry.action.rawValue)
        let changes = HistoryEntry.MemberChange.encode(entry.changes)
        statement.bind(6, utf8: changes)
        statement.bind(7, entry.sessionID)
        var checksum = RowChecksum(account)
        checksum.add(entry.taskID)
        checksum.add(entry.revision)
        checksum.add(entry.at)
        checksum.add(entry.action.rawValue)
        checksum.add(changes)
        checksum.add(entry.sessionID)
        statement.bind(8, checksum.value)
        try statement.run()
        try charge(RowCost.history + changes.count, for: .trace)
    }

    package func save(_ category: Category) throws {
        let old = try self.category(category.id)
        if old == nil { try charge(RowCost.category, for: .content) }
        let statement = try statement(
            """
            INSERT INTO categories
                (account, id, name, name_folded, color, emoji, created_at, updated_at, revision, checksum, image)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (account, id) DO UPDATE SET
                name = excluded.name, name_folded = excluded.name_folded, color = excluded.color,
                emoji = excluded.emoji, created_at = excluded.created_at, updated_at = excluded.updated_at,
                revision = excluded.revision, checksum = excluded.checksum, image = excluded.image
            """)
        statement.bind(2, category.id)
        statement.bind(3, category.name)
        let folded = CaseFolding.fold(category.name)
        statement.bind(4, folded)
        statement.bind(5, category.color)
        statement.bind(6, category.emoji)
        statement.bind(7, category.createdAt)
        statement.bind(8, category.updatedAt)
        statement.bind(9, category.revision)
        var checksum = RowChecksum(account)
        checksum.add(category.id)
        checksum.add(category.name)
        checksum.add(folded)
        checksum.add(category.color)
        checksum.add(category.emoji)
        checksum.add(category.image)
        checksum.add(category.createdAt)
        checksum.add(category.updatedAt)
        checksum.add(category.revision)
        statement.bind(10, checksum.value)
        statement.bind(11, category.image)
        try statement.run()
        try noteNaming(of: category.image, insteadOf: old?.image)
    }

    package func removeCategory(_ id: ID, revision: Revision) throws {
        let image = try category(id)?.image
        let statement = try statement("DELETE FROM categories WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        try statement.run()
        try charge(-RowCost.category * connection.changes, for: .content)
        try noteNaming(of: nil, insteadOf: image)
        try bury(.category, id, revision: revision)
    }

    package func save(_ dday: DDay) throws {
        let old = try self.dday(dday.id)
        if old == nil { try charge(RowCost.dday, for: .content) }
        let statement = try statement(
            """
            INSERT INTO ddays
                (account, id, title, date, repeats, color, emoji, created_at, updated_at, revision, checksum, image)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            ON CONFLICT (account, id) DO UPDATE SET
                title = excluded.title, date = excluded.date, repeats = excluded.repeats, color = excluded.color,
                emoji = excluded.emoji, created_at = excluded.created_at, updated_at = excluded.updated_at,
                revision = excluded.revision, checksum = excluded.checksum, image = excluded.image
            """)
        statement.bind(2, dday.id)
        statement.bind(3, dday.title)
        statement.bind(4, dday.date.number)
        statement.bind(5, dday.repeats.rawValue)
        statement.bind(6, dday.color)
        statement.bind(7, dday.emoji)
        statement.bind(8, dday.createdAt)
        statement.bind(9, dday.updatedAt)
        statement.bind(10, dday.revision)
        var checksum = RowChecksum(account)
        checksum.add(dday.id)
        checksum.add(dday.title)
        checksum.add(Int64(dday.date.number))
        checksum.add(dday.repeats.rawValue)
        checksum.add(dday.color)
        checksum.add(dday.emoji)
        checksum.add(dday.image)
        checksum.add(dday.createdAt)
        checksum.add(dday.updatedAt)
        checksum.add(dday.revision)
        statement.bind(11, checksum.value)
        statement.bind(12, dday.image)
        try statement.run()
        try noteNaming(of: dday.image, insteadOf: old?.image)
    }

    package func removeDDay(_ id: ID, revision: Revision) throws {
        let image = try dday(id)?.image
        let statement = try statement("DELETE FROM ddays WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        try statement.run()
        try charge(-RowCost.dday * connection.changes, for: .content)
        try noteNaming(of: nil, insteadOf: image)
        try bury(.dday, id, revision: revision)
    }

    package func save(_ settings: Settings) throws {
        let custom = settings.custom.serialized()
        let old = try statement("SELECT octet_length(custom) FROM settings WHERE account = ?1")
        let former = try first(of: old) { RowCost.settings + Int($0.integer(0)) } ?? 0
        try charge(RowCost.settings + custom.count - former, for: .content)
        let statement = try statement(
            """
            INSERT INTO settings (account, time_zone, locale, custom, revision, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (account) DO UPDATE SET
                time_zone = excluded.time_zone, locale = excluded.locale, custom = excluded.custom,
                revision = excluded.revision, checksum = excluded.checksum
            """)
        statement.bind(2, settings.timeZone)
        statement.bind(3, settings.locale)
        statement.bind(4, utf8: custom)
        statement.bind(5, settings.revision)
        var checksum = RowChecksum(account)
        checksum.add(settings.timeZone)
        checksum.add(settings.locale)
        checksum.add(custom)
        checksum.add(settings.revision)
        statement.bind(6, checksum.value)
        try statement.run()
    }

    // MARK: - Kept for repeated requests

    package func keep(_ answer: KeptAnswer, key: String) throws {
        // An older one that counts as gone may still be there. Deleted first, so that numbers grow with time.
        let removal = try statement(
            "DELETE FROM kept_answers WHERE account = ?1 AND key = ?2 RETURNING octet_length(headers) + octet_length(body)"
        )
        removal.bind(2, key)
        for removed in try all(of: removal, { Int($0.integer(0)) }) {
            try charge(-RowCost.keptAnswer - removed, for: .kept)
        }
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
        if try insert(mutation, id) { return }
        // An older one that counts as gone. Deleted, so that numbers grow with time.
        let removal = try statement(
            "DELETE FROM kept_mutations WHERE account = ?1 AND id = ?2 RETURNING octet_length(result)")
        removal.bind(2, id)
        for removed in try all(of: removal, { Int($0.integer(0)) }) {
            try charge(-RowCost.keptMutation - removed, for: .kept)
        }
        guard try insert(mutation, id) else { throw damaged("mutation \(id) is kept and is not") }
    }

    /// - Returns: false when there is one of this id.
    private func insert(_ mutation: KeptMutation, _ id: ID) throws -> Bool {
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
        guard connection.changes > 0 else { return false }
        try charge(RowCost.keptMutation + mutation.result.count, for: .kept)
        return true
    }
}
