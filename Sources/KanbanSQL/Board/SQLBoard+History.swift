import JSON
import Kanban

extension SQLBoard {
    func history(of task: ID, before: Revision?, limit: Int) throws -> [HistoryEntry] {
        let statement = try statement(
            """
            SELECT task_id, revision, at, action, changes, session_id FROM history
            WHERE account = ?1 AND task_id = ?2 AND revision < ?3 ORDER BY revision DESC LIMIT ?4
            """)
        statement.bind(2, task)
        statement.bind(3, before ?? .max)
        statement.bind(4, limit)
        return try all(of: statement, historyEntry)
    }

    func history(of task: ID, since revision: Revision) throws -> [HistoryEntry] {
        let statement = try statement(
            """
            SELECT task_id, revision, at, action, changes, session_id FROM history
            WHERE account = ?1 AND task_id = ?2 AND revision > ?3 ORDER BY revision
            """)
        statement.bind(2, task)
        statement.bind(3, revision)
        return try all(of: statement, historyEntry)
    }

    private func historyEntry(_ row: Statement) throws -> HistoryEntry {
        guard let action = HistoryEntry.Action(rawValue: row.text(3)) else {
            throw damaged("a history entry of an unknown action")
        }
        return HistoryEntry(
            taskID: try row.id(0), revision: row.integer(1), at: row.timestamp(2), action: action,
            changes: try HistoryEntry.MemberChange.decode(row.bytes(4)), sessionID: row.optionalID(5))
    }
}

extension HistoryEntry.MemberChange {
    /// `[["title", "before", "after"], …]`
    static func encode(_ changes: [HistoryEntry.MemberChange]) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginArray()
        for change in changes {
            writer.beginArray()
            writer.value(change.member)
            writer.value(change.from)
            writer.value(change.to)
            writer.endArray()
        }
        writer.endArray()
        return writer.bytes
    }

    static func decode(_ text: [UInt8]) throws -> [HistoryEntry.MemberChange] {
        try JSON(parsing: text, maximumDepth: .max).arrayValue?.map { change in
            guard let parts = change.arrayValue, parts.count == 3, let member = parts[0].stringValue else {
                throw StoreError.corrupt("a history entry of an unknown form")
            }
            return HistoryEntry.MemberChange(member: member, from: parts[1], to: parts[2])
        } ?? []
    }
}
