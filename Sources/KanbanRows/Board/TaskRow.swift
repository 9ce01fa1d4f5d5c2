import JSON
import Kanban

/// A task as a row: the columns of its members and how they are read and written. Spelled by hand, because reading and
/// writing rows of tasks is most of what a server does; `MemberTableTests` compares it with ``TaskItem/members``.
enum TaskRow {
    /// In the order of every statement that reads a task, of ``decode(_:)`` and of the checksum. The revision comes first, so
    /// that the change feed can compare rows before it decodes them.
    static let columns: StaticString = """
        revision, id, status, category_id, due, due_day, position, created_at, updated_at, completed_at, \
        deleted_at, member_revisions, title, body, recurrence, series, reminders
        """

    static func decode(_ row: some EngineStatement) throws -> TaskItem {
        let revision = row.integer()
        let id = try row.id()
        guard let status = TaskStatus(rawValue: Int(row.integer())) else {
            throw StoreError.corrupt("a task of no column")
        }
        let categoryID = row.optionalID()
        let dueDate = dueDate(row)
        let position = Position(text: row.text())
        let (createdAt, updatedAt) = (row.timestamp(), row.timestamp())
        let (completedAt, deletedAt) = (row.optionalTimestamp(), row.optionalTimestamp())
        let memberRevisions = try row.memberRevisions(of: revision)
        return TaskItem(
            id: id, title: row.text(), body: row.text(), status: status, categoryID: categoryID,
            dueDate: dueDate, position: position, createdAt: createdAt, updatedAt: updatedAt, completedAt: completedAt,
            deletedAt: deletedAt, revision: revision, memberRevisions: memberRevisions, recurrence: try json(row),
            series: try json(row), reminders: try json(row))
    }

    private static func dueDate(_ row: some EngineStatement) -> DueDate? {
        guard let due = row.optionalInteger() else {
            // Without a date there is no day either.
            row.column += 1
            return nil
        }
        if let day = row.optionalInteger() { return .day(Day(number: Int(day))) }
        return .instant(Timestamp(milliseconds: due))
    }

    private static func json<Value: MemberRepresentable>(_ row: some EngineStatement) throws -> Value? {
        guard !row.skipNull() else { return nil }
        guard let value = Value(.json(try JSON(parsing: row.bytes(), maximumDepth: .max))) else {
            throw StoreError.corrupt("a task with a member that cannot be read")
        }
        return value
    }

    private static let deletion = Int32(columns.description.split(separator: ", ").prefix { $0 != "deleted_at" }.count)

    /// True if a task whose row is not read yet is in the trash.
    static func isDeleted(_ row: some EngineStatement) -> Bool {
        !row.isNull(at: deletion)
    }

    /// The columns that a change writes, in the order of their parameters. Parameters 1 and 2 find the row. The names are those
    /// of the columns but for their case.
    private enum Written: Int32, CaseIterable {
        case revision = 3
        case memberRevisions, title, titleFolded, body, recurrence, series, reminders, updatedAt
        // These are in indexes beside that by revision.
        case status, categoryId, due, dueDay, position, completedAt, deletedAt, remindedUntil

        static let indexed = Written.status

        var column: String {
            "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
        }
    }

    /// Binds the parameters of ``Written``.
    /// - Parameter isIndexed: true if the statement writes those that are in indexes.
    /// - Returns: the checksum of the whole row, in the order of ``columns``, and the next parameter.
    static func bind<Statement: EngineStatement>(
        _ task: TaskItem, of account: AccountKey, to statement: Statement, isIndexed: Bool
    ) -> (checksum: Int64, next: Int32) {
        func place(_ parameter: Written) -> Int32? { isIndexed ? parameter.rawValue : nil }
        var row = RowBinding(statement, of: account)
        row.bind(Written.revision.rawValue, task.revision)
        row.bind(nil, task.id)
        row.bind(place(.status), task.status.rawValue)
        row.bind(place(.categoryId), task.categoryID)
        row.bind(place(.due), task.dueDate?.sortKey)
        row.bind(place(.dueDay), task.dueDate?.wholeDay)
        row.bind(place(.position), task.position.text)
        row.bind(nil, task.createdAt)
        row.bind(Written.updatedAt.rawValue, task.updatedAt)
        row.bind(place(.completedAt), task.completedAt)
        row.bind(place(.deletedAt), task.deletedAt)
        task.memberRevisions.withPacked(below: task.revision) {
            row.bind(Written.memberRevisions.rawValue, copying: $0)
        }
        row.bind(Written.title.rawValue, task.title)
        row.bind(Written.body.rawValue, task.body)
        row.bind(Written.recurrence.rawValue, task.recurrence?.json)
        row.bind(Written.series.rawValue, task.series.map { $0.json })
        row.bind(Written.reminders.rawValue, task.reminders?.json)
        if isIndexed { statement.bind(Written.remindedUntil.rawValue, task.remindedUntil?.milliseconds) }
        // The ``String/orderKey``; NULL when the text is its own.
        let folded = task.title.orderKey.string
        statement.bind(Written.titleFolded.rawValue, folded.isSpelled(like: task.title) ? nil : folded)
        return (row.checksum, (isIndexed ? Written.remindedUntil : .updatedAt).rawValue + 1)
    }
}

/// The statements of rows of tasks, put together from the columns.
extension TaskRow {
    static let byID = ComposedSQL("SELECT \(columns)\nFROM tasks WHERE account = ?1 AND id = ?2")
    /// With what the next version of the row takes over; see ``StoredTask``.
    static let stored = ComposedSQL { dialect in
        "SELECT \(StoredTaskColumns.list(in: dialect))\nFROM tasks WHERE account = ?1 AND id = ?2"
    }
    /// With what stands for the first line of its history.
    static let creation = ComposedSQL(
        """
        SELECT \(columns), creation, created_by, first_changes
        FROM tasks WHERE account = ?1 AND id = ?2 AND creation > ?3 AND creation < ?4 AND created_at > ?5
        """)
    static let changes = ComposedSQL(
        "SELECT \(columns)\nFROM tasks WHERE account = ?1 AND revision > ?2 ORDER BY revision LIMIT ?3")
    static let livingChanges = ComposedSQL(
        """
        SELECT \(columns)
        FROM tasks WHERE account = ?1 AND revision > ?2 AND deleted_at IS NULL ORDER BY revision LIMIT ?3
        """)
    static let fewLivingChanges = ComposedSQL { dialect in
        """
        SELECT \(columns)
        FROM tasks WHERE account = ?1 AND \(dialect.unsought)revision > ?2 AND deleted_at IS NULL
        ORDER BY \(dialect.unsought)revision LIMIT ?3
        """
    }

    static let reminded = ComposedSQL(
        """
        SELECT \(columns)
        FROM tasks
        WHERE account = ?1 AND reminded_until > ?2 AND deleted_at IS NULL AND status < \(TaskStatus.done.rawValue)
        """)

    static let insertion: ComposedSQL = {
        let columns = Written.allCases.map(\.column) + ["creation", "created_by", "created_at", "checksum", "searched"]
        let names = columns.joined(separator: ", ")
        let values = (1...columns.count + 2).map { "?\($0)" }.joined(separator: ", ")
        return ComposedSQL("INSERT INTO tasks (account, id, \(names)) VALUES (\(values))")
    }()
    static let update = update(Written.allCases)
    /// Of what is in no index but the one by revision.
    static let updateOfText = update(Written.allCases.filter { $0.rawValue < Written.indexed.rawValue })

    static let updateOfCreation = ComposedSQL { dialect in
        "UPDATE tasks SET created_at = ?3 WHERE account = ?1 AND \(dialect.taskKey) = ?2"
    }

    private static func update(_ written: [Written]) -> ComposedSQL {
        let columns = written.map(\.column) + ["first_changes", "checksum", "searched"]
        let values = columns.enumerated().map { "\($1) = ?\(Int32($0) + Written.revision.rawValue)" }
            .joined(separator: ", ")
        return ComposedSQL { "UPDATE tasks SET \(values)\nWHERE account = ?1 AND \($0.taskKey) = ?2" }
    }
}

/// The columns of ``StoredTask``, for engines that read rows in advance.
package enum StoredTaskColumns {
    package static func list(in dialect: Dialect) -> String {
        "\(TaskRow.columns), creation, first_changes, octet_length(searched), \(dialect.taskNumber)"
    }
}

/// What a list reads of each task.
struct TaskColumns<Statement: EngineStatement, Row> {
    let names: StaticString
    let decode: (Statement) throws -> Row
    /// The id in a row, where one more row costs little; else `nil`.
    var id: ((Row) -> ID)?
}

extension TaskColumns where Row == TaskItem {
    static var whole: Self { Self(names: TaskRow.columns) { try TaskRow.decode($0) } }
}

extension TaskColumns where Row == TaskPlace {
    static var places: Self {
        Self(names: "position, id") { TaskPlace(position: Position(text: $0.text()), id: try $0.id()) }
    }
}

extension TaskColumns where Row == ID {
    static var ids: Self { Self(names: "id", decode: { try $0.id() }, id: { $0 }) }
}

extension EngineStatement {
    func memberRevisions(of revision: Revision) throws -> MemberRevisions {
        try withBytes { bytes in
            guard let revisions = MemberRevisions(packed: bytes, below: revision) else {
                throw StoreError.corrupt("a row without the revisions of its members")
            }
            return revisions
        }
    }

    /// Of a column that is NULL as long as no member changed.
    func firstChanges(of revision: Revision) throws -> MemberRevisions {
        skipNull() ? MemberRevisions() : try memberRevisions(of: revision)
    }
}

extension DueDate {
    /// The value of `due_day`.
    var wholeDay: Int64? {
        guard case .day(let day) = self else { return nil }
        return Int64(day.number)
    }
}
