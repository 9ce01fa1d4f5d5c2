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
        var entries = try all(of: statement, historyEntry)
        if entries.count < limit, let creation = try creation(of: task), creation.revision < before ?? .max {
            entries.append(creation)
        }
        return entries
    }

    func history(of task: ID, since revision: Revision) throws -> [HistoryEntry] {
        let statement = try statement(
            """
            SELECT task_id, revision, at, action, changes, session_id FROM history
            WHERE account = ?1 AND task_id = ?2 AND revision > ?3 ORDER BY revision
            """)
        statement.bind(2, task)
        statement.bind(3, revision)
        let entries = try all(of: statement, historyEntry)
        guard let creation = try creation(of: task), creation.revision > revision else { return entries }
        return [creation] + entries
    }

    /// The first line of a task's history, when it stands in the task's row. The server's own respacing of a column is
    /// no line of any history: where one took the task to is shown as its first place.
    private func creation(of id: ID) throws -> HistoryEntry? {
        let statement = try statement(
            """
            SELECT revision, id, status, category_id, due, due_day, position, created_at, updated_at, completed_at,
                deleted_at, member_revisions, title, body, creation, created_by
            FROM tasks WHERE account = ?1 AND id = ?2 AND creation IS NOT NULL
            """)
        statement.bind(2, id)
        let stored = try first(of: statement) { row in
            (task: try TaskRow.decode(row), revision: row.integer(14), session: row.optionalID(15))
        }
        // Not longer than the lines after it.
        guard let (task, revision, session) = stored, context.oldestHistory < task.createdAt else { return nil }
        let changed = TaskMember.allCases.filter { task.memberRevisions[$0] > revision }
        let before = try firstValues(of: Set(changed), in: id, since: revision)
        let changes = TaskMember.allCases.compactMap { member -> HistoryEntry.MemberChange? in
            let value = before[member] ?? task[member]
            return value == .null ? nil : .init(member: member.rawValue, from: .null, to: value)
        }
        return HistoryEntry(
            taskID: id, revision: revision, at: task.createdAt, action: .created, changes: changes, sessionID: session)
    }

    /// What each of these members was before its first change after `revision`.
    private func firstValues(
        of members: Set<TaskMember>, in task: ID, since revision: Revision
    ) throws -> [TaskMember: JSON] {
        let statement = try statement(
            """
            SELECT changes FROM history WHERE account = ?1 AND task_id = ?2 AND revision > ?3 ORDER BY revision
            """)
        statement.bind(2, task)
        statement.bind(3, revision)
        defer { statement.reset() }
        var values: [TaskMember: JSON] = [:]
        // Not all of a long history, as a rule: only until each was met.
        while values.count < members.count, try statement.step() {
            for change in try HistoryEntry.MemberChange.decode(statement.bytes(0)) {
                guard let member = TaskMember(rawValue: change.member), members.contains(member) else { continue }
                values[member] = values[member] ?? change.from
            }
        }
        return values
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
