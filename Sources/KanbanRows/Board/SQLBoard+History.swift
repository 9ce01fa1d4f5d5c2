import JSON
import Kanban

extension SQLBoard {
    package func history(of task: ID, before: Revision?, limit: Int) throws -> [HistoryEntry] {
        let statement = try statement(
            """
            SELECT task_id, revision, at, action, changes, session_id FROM history
            WHERE account = ?1 AND task_id = ?2 AND revision < ?3 ORDER BY revision DESC LIMIT ?4
            """)
        statement.bind(2, task)
        statement.bind(3, before ?? .max)
        statement.bind(4, limit)
        var entries = try statement.all(historyEntry)
        if entries.count < limit, let creation = try creation(of: task, since: 0, before: before ?? .max) {
            entries.append(creation)
        }
        return entries
    }

    package func lines(
        of id: ID, since revision: Revision, _ order: HistoryLine.Order, limit: Int
    ) throws -> [HistoryLine] {
        let statement =
            switch order {
            case .oldestFirst:
                try statement(
                    """
                    SELECT revision, changes FROM history
                    WHERE account = ?1 AND task_id = ?2 AND revision > ?3 ORDER BY revision LIMIT ?4
                    """)
            case .newestFirst:
                try statement(
                    """
                    SELECT revision, changes FROM history
                    WHERE account = ?1 AND task_id = ?2 AND revision > ?3 ORDER BY revision DESC LIMIT ?4
                    """)
            }
        statement.bind(2, id)
        statement.bind(3, revision)
        statement.bind(4, limit)
        let lines = try statement.all { HistoryLine(revision: $0.integer(), changes: $0.bytes()) }
        guard let creation = try creation(of: id, since: revision, before: .max).map(HistoryLine.init) else {
            return lines
        }
        return Array((order == .newestFirst ? lines + [creation] : [creation] + lines).prefix(limit))
    }

    /// The first line of a task's history, if the task's row stores it and its revision is above `since` and below
    /// `before`. It expires with other lines of its age, and with the first line that it needs. A respacing by the server
    /// has no line: the position that it gave is shown as the first one.
    func creation(of id: ID, since: Revision, before: Revision) throws -> HistoryEntry? {
        let statement = try statement(TaskRow.creation)
        statement.bind(2, id)
        statement.bind(3, since)
        statement.bind(4, before)
        statement.bind(5, context.oldestHistory)
        let stored = try statement.first { row in
            let task = try TaskRow.decode(row)
            return (
                task: task, revision: row.integer(), session: row.optionalID(),
                firstChanges: try row.firstChanges(of: task.revision)
            )
        }
        guard let (task, revision, session, firstChanges) = stored else { return nil }
        var changes: [HistoryEntry.MemberChange] = []
        for member in TaskMember.allCases {
            var value = task[member]
            if firstChanges[member] > 0 {
                let line = try self.changes(of: id, at: firstChanges[member])
                guard let change = line.first(where: { $0.member == member.rawValue }) else { return nil }
                value = change.from
            }
            if value != .null { changes.append(.init(member: member.rawValue, from: .null, to: value)) }
        }
        return HistoryEntry(
            taskID: id, revision: revision, at: task.createdAt, action: .created, changes: changes, sessionID: session)
    }

    /// The changes of a line; none when it is gone.
    private func changes(of task: ID, at revision: Revision) throws -> [HistoryEntry.MemberChange] {
        let statement = try statement(
            "SELECT changes FROM history WHERE account = ?1 AND task_id = ?2 AND revision = ?3")
        statement.bind(2, task)
        statement.bind(3, revision)
        return try statement.first { try HistoryEntry.MemberChange.decode($0.bytes()) } ?? []
    }

    func historyEntry(_ row: Database.Statement) throws -> HistoryEntry {
        let (taskID, revision, at) = (try row.id(), row.integer(), row.timestamp())
        guard let action = HistoryEntry.Action(rawValue: row.text()) else {
            throw damaged("a history entry of an unknown action")
        }
        return HistoryEntry(
            taskID: taskID, revision: revision, at: at, action: action,
            changes: try HistoryEntry.MemberChange.decode(row.bytes()), sessionID: row.optionalID())
    }
}
