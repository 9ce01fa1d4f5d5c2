import Kanban

extension SQLBoard {
    package func task(_ id: ID) throws -> TaskItem? {
        let statement = try statement(TaskRow.byID)
        statement.bind(2, id)
        return try statement.first { try TaskRow.decode($0) }
    }

    package func taskEverExisted(_ id: ID) throws -> Bool {
        try hasEverStored(id)
    }

    func hasEverStored(_ id: ID) throws -> Bool {
        let statement = try statement("SELECT 1 FROM tasks WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        return try statement.exists() || isBuried(.task, id)
    }

    package func remindedTasks(after instant: Timestamp) throws -> [TaskItem] {
        let statement = try statement(TaskRow.reminded)
        statement.bind(2, instant)
        return try statement.all { try TaskRow.decode($0) }
    }

    func storedTaskCounts() throws -> [TaskCount] {
        try countsInAccount() + countsInTable()
    }

    private func countsInAccount() throws -> [TaskCount] {
        guard Database.countsInAccounts else { return [] }
        let statement = try statement("SELECT todo_tasks, doing_tasks, done_tasks FROM accounts WHERE number = ?1")
        let counts = try statement.first { row in
            TaskStatus.allCases.map { status in
                TaskCount(categoryID: nil, status: status, count: Int(row.integer()))
            }
        }
        return (counts ?? []).filter { $0.count != 0 }
    }

    /// Those without a category, where they stand here, come first.
    private func countsInTable() throws -> [TaskCount] {
        let statement = try statement(
            """
            SELECT status, category_id, count FROM task_counts WHERE account = ?1 AND count <> 0
            ORDER BY category_id, status
            """)
        return try statement.all { row in
            guard let status = TaskStatus(rawValue: Int(row.integer())) else { throw damaged("a count of no column") }
            return TaskCount(categoryID: row.optionalID(), status: status, count: Int(row.integer()))
        }
    }

    package func taskCounts() throws -> [TaskCount] {
        try storedTaskCounts()
    }

    package func completions(from: Timestamp) throws -> [Timestamp] {
        let statement = try statement(
            """
            SELECT completed_at FROM tasks
            WHERE account = ?1 AND deleted_at IS NULL AND completed_at >= ?2
            ORDER BY completed_at
            """)
        statement.bind(2, from)
        return try statement.all { $0.timestamp() }
    }

    // MARK: - Places

    package func firstPosition(in status: TaskStatus) throws -> Position? {
        let statement = try statement(
            """
            SELECT position FROM tasks WHERE account = ?1 AND status = ?2 AND deleted_at IS NULL
            ORDER BY position LIMIT 1
            """)
        statement.bind(2, status.rawValue)
        return try statement.first { Position(text: $0.text()) }
    }

    package func lastPosition(in status: TaskStatus) throws -> Position? {
        try storedLastPosition(in: status)
    }

    func storedLastPosition(in status: TaskStatus) throws -> Position? {
        let statement = try statement(
            """
            SELECT position FROM tasks WHERE account = ?1 AND status = ?2 AND deleted_at IS NULL
            ORDER BY position DESC LIMIT 1
            """)
        statement.bind(2, status.rawValue)
        return try statement.first { Position(text: $0.text()) }
    }

    package func position(before position: Position, in status: TaskStatus) throws -> Position? {
        let statement = try statement(
            """
            SELECT position FROM tasks WHERE account = ?1 AND status = ?2 AND deleted_at IS NULL AND position < ?3
            ORDER BY position DESC LIMIT 1
            """)
        statement.bind(2, status.rawValue)
        statement.bind(3, position.text)
        return try statement.first { Position(text: $0.text()) }
    }

    package func position(after position: Position, in status: TaskStatus) throws -> Position? {
        let statement = try statement(
            """
            SELECT position FROM tasks WHERE account = ?1 AND status = ?2 AND deleted_at IS NULL AND position > ?3
            ORDER BY position LIMIT 1
            """)
        statement.bind(2, status.rawValue)
        statement.bind(3, position.text)
        return try statement.first { Position(text: $0.text()) }
    }
}
