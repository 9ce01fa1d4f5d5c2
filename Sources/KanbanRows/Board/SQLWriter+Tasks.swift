import JSON
import Kanban

extension SQLBoardWriter {
    package func add(_ task: TaskItem) throws {
        try insert(task, isCreation: true)
    }

    package func save(_ task: TaskItem) throws {
        guard let stored = try stored(task.id) else { return try insert(task, isCreation: false) }
        writing.note(TaskChange(account: account, id: task.id, revision: task.revision))
        let searched = String.searched(title: task.title, body: task.body)
        try charge(task.textSize + searched.size - stored.size, for: .content)
        let firstChanges = stored.firstChanges(with: task)
        if stored.standsIn(theSameIndexesAs: task) {
            try update(task, stored, firstChanges, searched, isIndexed: false)
        } else {
            try update(task, stored, firstChanges, searched, isIndexed: true)
            count(stored.task, by: -1)
            count(task, by: 1)
            writing.noteMove(of: account, from: stored.task, to: task)
        }
        // Only an import changes it, and to name it in every update would rewrite its index each time.
        if stored.task.createdAt != task.createdAt { try updateCreation(of: task, stored) }
        stored.task = task
        stored.searchedSize = searched.size
        stored.firstChanges = firstChanges ?? MemberRevisions()
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
            task: task, creation: row.optionalInteger(), firstChanges: try row.firstChanges(of: task.revision),
            searchedSize: Int(row.optionalInteger() ?? 0), number: row.integer())
    }

    func stored(_ id: ID) throws -> StoredTask? {
        if let known = writing.recentTasks.row(id, of: account) { return known }
        if writing.recentTasks.isBuried(id, of: account) != nil { return nil }
        let statement = try statement(TaskRow.stored)
        statement.bind(2, id)
        let stored = try statement.first(Self.decode)
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

    /// Lets the rows go that were read in advance.
    package func forgetForeseenTasks() {
        writing.recentTasks.forgetForeseen()
    }

    /// Takes in that there is no such task.
    /// - Parameter isBuried: true if the task was deleted for good.
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

    /// - Parameter isCreation: true if the row stands for the first line of its history too; see ``Schema``.
    private func insert(_ task: TaskItem, isCreation: Bool) throws {
        let searched = String.searched(title: task.title, body: task.body)
        try charge(RowCost.task + task.textSize + searched.size, tasks: 1, for: .content)
        let statement = try statement(TaskRow.insertion)
        statement.bind(2, task.id)
        let (checksum, next) = TaskRow.bind(task, of: account, to: statement, isIndexed: true)
        statement.bind(next, isCreation ? task.revision : nil)
        statement.bind(next + 1, isCreation ? session : nil)
        statement.bind(next + 2, task.createdAt)
        statement.bind(next + 3, checksum)
        statement.bind(next + 4, searched)
        try statement.writeRow()
        writing.additions += 1
        count(task, by: 1)
        writing.recentTasks.noteInsertion(of: task.id, in: account)
        writing.noteMove(of: account, from: nil, to: task)
    }

    /// - Parameter isIndexed: true if columns change that are in indexes: then every index but those by number, id and
    ///   creation takes the row out and in again, which is twice the work.
    private func update(
        _ task: TaskItem, _ stored: StoredTask, _ firstChanges: MemberRevisions?, _ searched: String?, isIndexed: Bool
    ) throws {
        let statement = try statement(isIndexed ? TaskRow.update : TaskRow.updateOfText)
        bindKey(of: stored, to: statement)
        let (checksum, next) = TaskRow.bind(task, of: account, to: statement, isIndexed: isIndexed)
        bind(firstChanges, of: task, to: statement, at: next)
        statement.bind(next + 1, checksum)
        statement.bind(next + 2, searched)
        try statement.run()
    }

    /// After an update, whose checksum covers it.
    private func updateCreation(of task: TaskItem, _ stored: StoredTask) throws {
        let statement = try statement(TaskRow.updateOfCreation)
        bindKey(of: stored, to: statement)
        statement.bind(3, task.createdAt)
        try statement.run()
    }

    private func bindKey(of stored: StoredTask, to statement: Database.Statement) {
        if Database.dialect.hasRowNumbers {
            statement.bind(2, stored.number)
        } else {
            statement.bind(2, stored.task.id)
        }
    }

    private func bind(
        _ changes: MemberRevisions?, of task: TaskItem, to statement: Database.Statement, at index: Int32
    ) {
        guard let changes else { return statement.bindNull(index) }
        changes.withPacked(below: task.revision) { statement.bind(index, copying: $0) }
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

extension String? {
    /// Bytes in the row.
    fileprivate var size: Int { self?.utf8.count ?? 0 }
}

extension TaskItem {
    /// Bytes of what a client can make long.
    var textSize: Int { title.utf8.count + body.utf8.count + (recurrence.map { $0.json.serialized().count } ?? 0) }
}
