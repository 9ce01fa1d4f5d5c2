import Kanban

/// The history of all tasks. It merges the range of each action in the index; the creations of existing tasks are
/// stored in their rows, see ``Schema``.
extension SQLBoard {
    package func history(_ query: HistoryQuery) throws -> [TitledHistoryEntry] {
        var entries: [HistoryEntry] = []
        for action in query.actions { entries += try lines(of: action, query) }
        if query.actions.contains(.created) { entries += try creations(query) }
        // The order of the cursor: a device may say of a task that it was made before others.
        entries.sort { ($0.at, $0.revision) > ($1.at, $1.revision) }
        return try entries.prefix(query.limit).map { TitledHistoryEntry($0, title: try title(of: $0.taskID)) }
    }

    private func lines(of action: HistoryEntry.Action, _ query: HistoryQuery) throws -> [HistoryEntry] {
        // The table also has the edits of categories, D-days and settings, for the merge; see ``Noun/historyID``.
        let statement = try statement(
            """
            SELECT task_id, revision, at, action, changes, session_id FROM history
            WHERE account = ?1 AND action = ?2 AND at >= ?3 AND (at, revision) < (?4, ?5) AND (
                EXISTS (SELECT 1 FROM tasks WHERE account = ?1 AND id = task_id)
                OR EXISTS (SELECT 1 FROM tombstones WHERE account = ?1 AND type = 'task' AND id = task_id))
            ORDER BY at DESC, revision DESC LIMIT ?6
            """)
        statement.bind(2, action.rawValue)
        bind(query, to: statement, from: 3)
        statement.bind(6, query.limit)
        return try statement.all(historyEntry)
    }

    private func creations(_ query: HistoryQuery) throws -> [HistoryEntry] {
        let statement = try statement(
            """
            SELECT id, created_at, creation FROM tasks
            WHERE account = ?1 AND creation IS NOT NULL AND created_at >= ?2 AND (created_at, creation) < (?3, ?4)
            ORDER BY created_at DESC, creation DESC LIMIT ?5
            """)
        bind(query, to: statement, from: 2)
        statement.bind(5, query.limit)
        var entries: [HistoryEntry] = []
        while entries.count < query.limit {
            let tasks = try statement.all { (id: try $0.id(), at: $0.integer(), revision: $0.integer()) }
            for task in tasks where entries.count < query.limit {
                // It needs later lines of the task, and those may be gone.
                if let creation = try creation(of: task.id, since: 0, before: .max) { entries.append(creation) }
            }
            guard tasks.count == query.limit, let last = tasks.last else { break }
            statement.bind(3, last.at)
            statement.bind(4, last.revision)
        }
        return entries
    }

    /// Binds three parameters: the earliest time, and the anchor.
    private func bind(_ query: HistoryQuery, to statement: Database.Statement, from index: Int32) {
        let kept = context.oldestHistory.adding(milliseconds: 1)
        statement.bind(index, max(query.since ?? kept, kept))
        statement.bind(index + 1, query.after?.at.milliseconds ?? .max)
        statement.bind(index + 2, query.after?.revision ?? .max)
    }

    private func title(of task: ID) throws -> String? {
        let statement = try statement("SELECT title FROM tasks WHERE account = ?1 AND id = ?2")
        statement.bind(2, task)
        return try statement.first { $0.text() }
    }
}
