import JSON
import Kanban

/// A task as a row: the columns of its members and how they are read and written. Spelled by hand, because reading and
/// writing rows of tasks is most of what a server does; `MemberTableTests` compares it with ``TaskItem/members``.
enum TaskRow {
    /// In the order of every statement that reads a task, and of the checksum. Column 0 is the revision, so that the change
    /// feed can compare rows before it decodes them.
    static let columns: StaticString = """
        revision, id, status, category_id, due, due_day, position, created_at, updated_at, completed_at, \
        deleted_at, member_revisions, title, body, recurrence, series, reminders
        """
    /// The index of the first column behind them.
    static let end = Int32(columns.description.count { $0 == "," } + 1)

    static func decode(_ row: some EngineStatement) throws -> TaskItem {
        guard let status = TaskStatus(rawValue: Int(row.integer(2))) else {
            throw StoreError.corrupt("a task of no column")
        }
        let revision = row.integer(0)
        return TaskItem(
            id: try row.id(1), title: row.text(12), body: row.text(13), status: status, categoryID: row.optionalID(3),
            dueDate: dueDate(row), position: Position(text: row.text(6)), createdAt: row.timestamp(7),
            updatedAt: row.timestamp(8), completedAt: row.optionalTimestamp(9), deletedAt: row.optionalTimestamp(10),
            revision: revision, memberRevisions: try row.memberRevisions(11, of: revision),
            recurrence: try json(row, 14), series: try json(row, 15), reminders: try json(row, 16))
    }

    private static func json<Value: MemberRepresentable>(_ row: some EngineStatement, _ column: Int32) throws -> Value?
    {
        guard !row.isNull(column) else { return nil }
        guard let value = Value(.json(try JSON(parsing: row.bytes(column), maximumDepth: .max))) else {
            throw StoreError.corrupt("a task with a member that cannot be read")
        }
        return value
    }

    private static func dueDate(_ row: some EngineStatement) -> DueDate? {
        guard let due = row.optionalInteger(4) else { return nil }
        if let day = row.optionalInteger(5) { return .day(Day(number: Int(day))) }
        return .instant(Timestamp(milliseconds: due))
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
    /// - Parameter isIndexed: whether the statement writes those that are in indexes.
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
    /// The index of the first column behind all of them.
    package static let end = TaskRow.end + 4
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
        Self(names: "id, position") { TaskPlace(position: Position(text: $0.text(1)), id: try $0.id(0)) }
    }
}

extension TaskColumns where Row == ID {
    static var ids: Self { Self(names: "id", decode: { try $0.id(0) }, id: { $0 }) }
}

extension EngineStatement {
    func memberRevisions(_ column: Int32, of revision: Revision) throws -> MemberRevisions {
        try withBytes(column) { bytes in
            guard let revisions = MemberRevisions(packed: bytes, below: revision) else {
                throw StoreError.corrupt("a row without the revisions of its members")
            }
            return revisions
        }
    }

    /// Of a column that is NULL as long as no member changed.
    func firstChanges(_ column: Int32, of revision: Revision) throws -> MemberRevisions {
        isNull(column) ? MemberRevisions() : try memberRevisions(column, of: revision)
    }
}

extension DueDate {
    /// What stands in `due_day`.
    var wholeDay: Int64? {
        guard case .day(let day) = self else { return nil }
        return Int64(day.number)
    }
}
