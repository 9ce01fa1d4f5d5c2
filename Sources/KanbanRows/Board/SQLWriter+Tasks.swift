import Kanban

extension SQLBoardWriter {
    package func add(_ task: TaskItem) throws {
        try insert(task, isCreation: true)
    }

    package func save(_ task: TaskItem) throws {
        guard let stored = try stored(task.id) else { return try insert(task, isCreation: false) }
        writing.note(TaskChange(account: account, id: task.id, revision: task.revision))
        try charge(task.textSize - stored.textSize, for: .content)
        if stored.standsIn(theSameIndexesAs: task) {
            try updateText(of: task, stored: stored)
        } else {
            try update(task, stored: stored)
        }
        if stored.deletedAt == nil { writing.count(-1, countKey(stored.categoryID, stored.status)) }
        count(task, by: 1)
    }

    func count(_ task: TaskItem, by difference: Int) {
        guard task.deletedAt == nil else { return }
        writing.count(difference, countKey(task.categoryID, task.status))
    }

    private func countKey(_ categoryID: ID?, _ status: TaskStatus) -> CountKey {
        .init(account: account.number, categoryID: categoryID, status: status)
    }

    // MARK: - What is there

    private func stored(_ id: ID) throws -> Stored? {
        let statement = try statement(
            """
            SELECT number, status, category_id, due, due_day, position, completed_at, deleted_at, revision,
                creation, first_changes, octet_length(title) + octet_length(body)
            FROM tasks WHERE account = ?1 AND id = ?2
            """)
        statement.bind(2, id)
        return try first(of: statement) { row in
            guard let status = TaskStatus(rawValue: Int(row.integer(1))) else { throw damaged("a task of no column") }
            let revision = row.integer(8)
            return Stored(
                number: row.integer(0), status: status, categoryID: row.optionalID(2), due: row.optionalInteger(3),
                dueDay: row.optionalInteger(4), position: Position(text: row.text(5)),
                completedAt: row.optionalTimestamp(6), deletedAt: row.optionalTimestamp(7),
                creation: row.optionalInteger(9), firstChanges: try row.firstChanges(10, of: revision),
                textSize: Int(row.integer(11)))
        }
    }

    // MARK: - Rows

    /// - Parameter isCreation: whether the row stands for the first line of its history too; see ``Schema``.
    private func insert(_ task: TaskItem, isCreation: Bool) throws {
        try charge(RowCost.task + task.textSize, tasks: 1, for: .content)
        let statement = try statement(
            """
            INSERT INTO tasks (
                account, id, revision, member_revisions, title, title_folded, body, created_at, updated_at, status,
                category_id, due, due_day, position, completed_at, deleted_at, creation, created_by, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
            """)
        statement.bind(2, task.id)
        statement.bind(19, bindText(of: task, to: statement))
        bindPlace(of: task, to: statement)
        statement.bind(17, isCreation ? task.revision : nil)
        statement.bind(18, isCreation ? session : nil)
        bindFoldedBody(of: task, to: statement, at: 20)
        try statement.run()
        count(task, by: 1)
        if task.deletedAt == nil {
            writing.noteAddition(at: task.position, to: .init(account: account.number, status: task.status))
        }
    }

    /// Everything but its number: every index takes the row out and in again.
    private func update(_ task: TaskItem, stored: Stored) throws {
        let statement = try statement(
            """
            UPDATE tasks SET
                revision = ?3, member_revisions = ?4, title = ?5, title_folded = ?6, body = ?7, created_at = ?8,
                updated_at = ?9, status = ?10, category_id = ?11, due = ?12, due_day = ?13, position = ?14,
                completed_at = ?15, deleted_at = ?16, first_changes = ?17, checksum = ?18
            WHERE account = ?1 AND number = ?2
            """)
        bindKey(of: task, stored, to: statement)
        statement.bind(18, bindText(of: task, to: statement))
        bindFoldedBody(of: task, to: statement, at: 19)
        bindPlace(of: task, to: statement)
        statement.bind(17, stored.firstChanges(with: task)?.packed(below: task.revision))
        try statement.run()
    }

    /// What is in no index but the one by revision: half the work of ``update(_:stored:)``.
    private func updateText(of task: TaskItem, stored: Stored) throws {
        let statement = try statement(
            """
            UPDATE tasks SET
                revision = ?3, member_revisions = ?4, title = ?5, title_folded = ?6, body = ?7, created_at = ?8,
                updated_at = ?9, first_changes = ?10, checksum = ?11
            WHERE account = ?1 AND number = ?2
            """)
        bindKey(of: task, stored, to: statement)
        statement.bind(11, bindText(of: task, to: statement))
        bindFoldedBody(of: task, to: statement, at: 12)
        statement.bind(10, stored.firstChanges(with: task)?.packed(below: task.revision))
        try statement.run()
    }

    /// - Returns: the checksum of the whole row.
    private func bindText(of task: TaskItem, to statement: Database.Statement) -> Int64 {
        let folded = CaseFolding.fold(task.title)
        let memberRevisions = task.memberRevisions.packed(below: task.revision)
        statement.bind(3, task.revision)
        statement.bind(4, memberRevisions)
        statement.bind(5, task.title)
        // Byte for byte: `==` would take canonically equivalent texts for the same.
        statement.bind(6, folded.utf8.elementsEqual(task.title.utf8) ? nil : folded)
        statement.bind(7, task.body)
        statement.bind(8, task.createdAt)
        statement.bind(9, task.updatedAt)
        return checksum(of: task, memberRevisions: memberRevisions)
    }

    private func bindKey(of task: TaskItem, _ stored: Stored, to statement: Database.Statement) {
        if Database.hasRowNumbers { statement.bind(2, stored.number) } else { statement.bind(2, task.id) }
    }

    /// For engines whose statements do not fold texts; NULL when the body folds to itself.
    private func bindFoldedBody(of task: TaskItem, to statement: Database.Statement, at index: Int32) {
        guard !Database.foldsText else { return }
        let folded = CaseFolding.fold(task.body)
        statement.bind(index, folded.utf8.elementsEqual(task.body.utf8) ? nil : folded)
    }

    /// In the order of ``TaskRow/columns``.
    private func checksum(of task: TaskItem, memberRevisions: [UInt8]) -> Int64 {
        var checksum = RowChecksum(account)
        checksum.add(task.revision)
        checksum.add(task.id)
        checksum.add(Int64(task.status.rawValue))
        checksum.add(task.categoryID)
        checksum.add(task.dueDate?.sortKey.milliseconds)
        checksum.add(task.dueDate?.wholeDay)
        checksum.add(task.position.text)
        checksum.add(task.createdAt)
        checksum.add(task.updatedAt)
        checksum.add(task.completedAt)
        checksum.add(task.deletedAt)
        checksum.add(memberRevisions)
        checksum.add(task.title)
        checksum.add(task.body)
        return checksum.value
    }

    private func bindPlace(of task: TaskItem, to statement: Database.Statement) {
        statement.bind(10, task.status.rawValue)
        statement.bind(11, task.categoryID)
        statement.bind(12, task.dueDate?.sortKey.milliseconds)
        statement.bind(13, task.dueDate?.wholeDay)
        statement.bind(14, task.position.text)
        statement.bind(15, task.completedAt)
        statement.bind(16, task.deletedAt)
    }

    // MARK: - Respacing

    package func append(_ respacing: Respacing) throws {
        let statement = try statement(
            """
            INSERT INTO respacings (account, status, revision, old_position, new_position, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING
            """)
        statement.bind(2, respacing.status.rawValue)
        statement.bind(3, respacing.revision)
        statement.bind(4, respacing.old.text)
        statement.bind(5, respacing.new.text)
        statement.bind(6, now)
        try statement.run()
        try charge(RowCost.respacing * connection.changes, for: .kept)
    }
}

/// What of the stored row decides about counters and indexes, and goes on in the next.
private struct Stored {
    var number: Int64
    var status: TaskStatus
    var categoryID: ID?
    var due: Int64?
    var dueDay: Int64?
    var position: Position
    var completedAt: Timestamp?
    var deletedAt: Timestamp?
    /// The revision of the task's creation, when its row stands for that line of its history.
    var creation: Revision?
    /// At which revision each member first changed since; 0 for one that did not.
    var firstChanges: TaskItem.MemberRevisions
    /// Bytes of title and body.
    var textSize: Int

    /// `nil` for none, or when nobody will ask.
    func firstChanges(with task: TaskItem) -> TaskItem.MemberRevisions? {
        guard let creation else { return nil }
        var changes = firstChanges
        for member in TaskMember.allCases where changes[member] == 0 && task.memberRevisions[member] > creation {
            changes[member] = task.memberRevisions[member]
        }
        return changes == TaskItem.MemberRevisions() ? nil : changes
    }

    func standsIn(theSameIndexesAs task: TaskItem) -> Bool {
        status == task.status && categoryID == task.categoryID && position == task.position
            && completedAt == task.completedAt && deletedAt == task.deletedAt
            && due == task.dueDate?.sortKey.milliseconds && dueDay == task.dueDate?.wholeDay
    }
}

extension TaskItem {
    /// Bytes of what a client can make long.
    var textSize: Int { title.utf8.count + body.utf8.count }
}
