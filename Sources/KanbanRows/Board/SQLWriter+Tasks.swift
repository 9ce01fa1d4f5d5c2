import JSON
import Kanban

extension SQLBoardWriter {
    package func add(_ task: TaskItem) throws {
        try insert(task, isCreation: true)
    }

    package func save(_ task: TaskItem) throws {
        guard let stored = try stored(task.id) else { return try insert(task, isCreation: false) }
        writing.note(TaskChange(account: account, id: task.id, revision: task.revision))
        try charge(task.textSize - stored.task.textSize, for: .content)
        let firstChanges = stored.firstChanges(with: task)
        if stored.standsIn(theSameIndexesAs: task) {
            try updateText(of: task, stored, firstChanges)
        } else {
            try update(task, stored, firstChanges)
            count(stored.task, by: -1)
            count(task, by: 1)
            writing.noteMove(of: account, from: stored.task, to: task)
        }
        // Only an import changes it, and to name it in every update would write its index anew each time.
        if stored.task.createdAt != task.createdAt { try updateCreation(of: task, stored) }
        stored.task = task
        stored.firstChanges = firstChanges ?? TaskItem.MemberRevisions()
        writing.recentTasks.keep(stored, of: account)
    }

    func count(_ task: TaskItem, by difference: Int) {
        guard task.deletedAt == nil else { return }
        writing.count(
            difference, CountKey(account: account.number, categoryID: task.categoryID, status: task.status))
    }

    // MARK: - What is there

    package func task(_ id: ID) throws -> TaskItem? {
        try stored(id)?.task
    }

    private static func decode(_ row: Database.Statement) throws -> StoredTask {
        let task = try TaskRow.decode(row)
        return StoredTask(
            task: task, number: row.integer(16), creation: row.optionalInteger(14),
            firstChanges: try row.firstChanges(15, of: task.revision))
    }

    private func stored(_ id: ID) throws -> StoredTask? {
        if let known = writing.recentTasks.row(id, of: account) { return known }
        if writing.recentTasks.isBuried(id, of: account) != nil { return nil }
        let statement = try statement(
            """
            SELECT revision, id, status, category_id, due, due_day, position, created_at, updated_at, completed_at,
                deleted_at, member_revisions, title, body, creation, first_changes, number
            FROM tasks WHERE account = ?1 AND id = ?2
            """)
        statement.bind(2, id)
        let stored = try first(of: statement) { try Self.decode($0) }
        if let stored { writing.recentTasks.keep(stored, of: account) }
        return stored
    }

    package func taskEverExisted(_ id: ID) throws -> Bool {
        if let isBuried = writing.recentTasks.isBuried(id, of: account) { return isBuried }
        return try writing.recentTasks.row(id, of: account) != nil || hasEverStored(id)
    }

    // MARK: - Rows that were read in advance

    /// Takes in a task that a body of this transaction will ask for, in the columns that `stored` reads.
    package func foreseeTask(_ row: Database.Statement) throws {
        writing.recentTasks.foresee(try Self.decode(row), of: account)
    }

    /// Takes in that there is no such task.
    /// - Parameter isBuried: whether it was deleted for good.
    package func foreseeNoTask(_ id: ID, isBuried: Bool) {
        writing.recentTasks.foreseeNone(id, isBuried: isBuried, of: account)
    }

    /// Takes in the kept result of a mutation.
    /// - Parameter mutation: `nil` when there is no row, not even of one that counts as gone.
    package func foreseeMutation(_ mutation: KeptMutation?, id: ID) {
        writing.foreseenMutations[MutationKey(account: account, id: id)] = .some(mutation)
    }

    package func keptMutation(_ id: ID) throws -> KeptMutation? {
        if !writing.foreseenMutations.isEmpty,
            let known = writing.foreseenMutations[MutationKey(account: account, id: id)]
        {
            return known
        }
        return try storedMutation(id)
    }

    package func mayHaveKeptMutations(in ids: ClosedRange<ID>) throws -> Bool {
        let foreseen = writing.foreseenMutations
        // The ids of a push are looked up together.
        guard !foreseen.isEmpty, foreseen[MutationKey(account: account, id: ids.lowerBound)] != nil,
            foreseen[MutationKey(account: account, id: ids.upperBound)] != nil
        else { return try mayHaveStoredMutations(in: ids) }
        return foreseen.contains { $0.key.account == account && ids.contains($0.key.id) && $0.value != nil }
    }

    /// Takes in the place of the last task of a column.
    package func foreseeEnd(_ text: String, of status: TaskStatus) {
        writing.known(account)?.ends.learn(Position(text: text), of: status)
    }

    /// Takes in the answer that is kept under a key.
    /// - Parameter answer: `nil` when there is no row, not even of one that counts as gone.
    package func foreseeAnswer(_ answer: KeptAnswer?, key: String) {
        writing.foreseenAnswers[AnswerKey(account: account, text: key)] = .some(answer)
    }

    /// - Parameter headers: as the row has them.
    package func foreseeAnswer(fingerprint: [UInt8], status: Int, headers: String, body: [UInt8], key: String) {
        foreseeAnswer(
            KeptAnswer(
                fingerprint: fingerprint, status: status, headers: KeptAnswer.Header.decode(headers), body: body),
            key: key)
    }

    package func keptAnswer(key: String) throws -> KeptAnswer? {
        if !writing.foreseenAnswers.isEmpty,
            let known = writing.foreseenAnswers[AnswerKey(account: account, text: key)]
        {
            return known
        }
        return try storedAnswer(key: key)
    }

    // MARK: - Rows

    /// - Parameter isCreation: whether the row stands for the first line of its history too; see ``Schema``.
    private func insert(_ task: TaskItem, isCreation: Bool) throws {
        try charge(RowCost.task + task.textSize, tasks: 1, for: .content)
        let statement = try statement(
            """
            INSERT INTO tasks (
                account, id, revision, member_revisions, title, title_folded, body, updated_at, status, category_id,
                due, due_day, position, completed_at, deleted_at, creation, created_by, created_at, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
            """)
        statement.bind(2, task.id)
        let checksum = bind(task, to: statement, withPlace: true)
        statement.bind(16, isCreation ? task.revision : nil)
        statement.bind(17, isCreation ? session : nil)
        statement.bind(18, task.createdAt)
        statement.bind(19, checksum)
        bindFoldedBody(of: task, to: statement, at: 20)
        try statement.writeRow()
        count(task, by: 1)
        writing.recentTasks.noteInsertion(of: task.id, in: account)
        writing.noteMove(of: account, from: nil, to: task)
    }

    /// Every index but those by number, id and creation takes the row out and in again.
    private func update(
        _ task: TaskItem, _ stored: StoredTask, _ firstChanges: TaskItem.MemberRevisions?
    ) throws {
        let statement = try statement(
            """
            UPDATE tasks SET
                revision = ?3, member_revisions = ?4, title = ?5, title_folded = ?6, body = ?7, updated_at = ?8,
                status = ?9, category_id = ?10, due = ?11, due_day = ?12, position = ?13, completed_at = ?14,
                deleted_at = ?15, first_changes = ?16, checksum = ?17
            WHERE account = ?1 AND number = ?2
            """)
        bindKey(of: stored, to: statement)
        let checksum = bind(task, to: statement, withPlace: true)
        bind(firstChanges, of: task, to: statement, at: 16)
        statement.bind(17, checksum)
        bindFoldedBody(of: task, to: statement, at: 18)
        try statement.run()
    }

    /// What is in no index but the one by revision: half the work of ``update(_:_:_:)``.
    private func updateText(
        of task: TaskItem, _ stored: StoredTask, _ firstChanges: TaskItem.MemberRevisions?
    ) throws {
        let statement = try statement(
            """
            UPDATE tasks SET
                revision = ?3, member_revisions = ?4, title = ?5, title_folded = ?6, body = ?7, updated_at = ?8,
                first_changes = ?9, checksum = ?10
            WHERE account = ?1 AND number = ?2
            """)
        bindKey(of: stored, to: statement)
        let checksum = bind(task, to: statement, withPlace: false)
        bind(firstChanges, of: task, to: statement, at: 9)
        statement.bind(10, checksum)
        bindFoldedBody(of: task, to: statement, at: 11)
        try statement.run()
    }

    /// After an update, whose checksum covers it.
    private func updateCreation(of task: TaskItem, _ stored: StoredTask) throws {
        let statement = try statement("UPDATE tasks SET created_at = ?3 WHERE account = ?1 AND number = ?2")
        bindKey(of: stored, to: statement)
        statement.bind(3, task.createdAt)
        try statement.run()
    }

    private func bindKey(of stored: StoredTask, to statement: Database.Statement) {
        if Database.hasRowNumbers { statement.bind(2, stored.number) } else { statement.bind(2, stored.task.id) }
    }

    /// Binds parameters 3 to 8, and with the place 9 to 15.
    /// - Returns: the checksum of the whole row, in the order of ``TaskRow/columns``.
    private func bind(_ task: TaskItem, to statement: Database.Statement, withPlace: Bool) -> Int64 {
        func place(_ index: Int32) -> Int32? { withPlace ? index : nil }
        var row = RowBinding(statement, of: account)
        row.bind(3, task.revision)
        row.bind(nil, task.id)
        row.bind(place(9), task.status.rawValue)
        row.bind(place(10), task.categoryID)
        row.bind(place(11), task.dueDate?.sortKey)
        row.bind(place(12), task.dueDate?.wholeDay)
        row.bind(place(13), task.position.text)
        row.bind(nil, task.createdAt)
        row.bind(8, task.updatedAt)
        row.bind(place(14), task.completedAt)
        row.bind(place(15), task.deletedAt)
        task.memberRevisions.withPacked(below: task.revision) { row.bind(4, copying: $0) }
        row.bind(5, task.title)
        row.bind(7, task.body)
        bind(folded: task.title, to: statement, at: 6)
        return row.checksum
    }

    private func bind(
        _ changes: TaskItem.MemberRevisions?, of task: TaskItem, to statement: Database.Statement, at index: Int32
    ) {
        guard let changes else { return statement.bindNull(index) }
        changes.withPacked(below: task.revision) { statement.bind(index, copying: $0) }
    }

    /// For engines whose statements do not fold texts.
    private func bindFoldedBody(of task: TaskItem, to statement: Database.Statement, at index: Int32) {
        if !Database.foldsText { bind(folded: task.body, to: statement, at: index) }
    }

    /// NULL when the text folds to itself, byte for byte: `==` would take canonically equivalent texts for the same.
    private func bind(folded text: String, to statement: Database.Statement, at index: Int32) {
        let folded = CaseFolding.fold(text)
        statement.bind(index, folded.isSpelled(like: text) ? nil : folded)
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

extension TaskItem {
    /// Bytes of what a client can make long.
    var textSize: Int { title.utf8.count + body.utf8.count }
}
