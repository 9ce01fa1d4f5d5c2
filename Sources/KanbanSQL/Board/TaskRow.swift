import CSQLite
import Kanban

/// A task as a row: its columns in the order of every statement that reads one.
enum TaskRow {
    /// Column 0 is the revision, so that the change feed can compare rows before it decodes them.
    static let columns = """
        revision, id, title, body, status, category_id, due, due_day, position, created_at, updated_at, completed_at, \
        deleted_at, title_revision, body_revision, status_revision, category_revision, due_revision, position_revision
        """

    static func decode(_ row: Statement) throws -> TaskItem {
        guard let status = TaskStatus(rawValue: Int(row.integer(4))) else {
            throw SQLiteError(code: SQLITE_CORRUPT, message: "a task of no column")
        }
        var task = TaskItem(
            id: try row.id(1), title: row.text(2), body: row.text(3), status: status, categoryID: row.optionalID(5),
            dueDate: dueDate(row), position: Position(text: row.text(8)), createdAt: row.timestamp(9),
            updatedAt: row.timestamp(10), completedAt: row.optionalTimestamp(11),
            deletedAt: row.optionalTimestamp(12), revision: row.integer(0))
        task.memberRevisions.title = row.integer(13)
        task.memberRevisions.body = row.integer(14)
        task.memberRevisions.status = row.integer(15)
        task.memberRevisions.categoryID = row.integer(16)
        task.memberRevisions.dueDate = row.integer(17)
        task.memberRevisions.position = row.integer(18)
        return task
    }

    private static func dueDate(_ row: Statement) -> DueDate? {
        guard let due = row.optionalInteger(6) else { return nil }
        if let day = row.optionalInteger(7) { return .day(Day(number: Int(day))) }
        return .instant(Timestamp(milliseconds: due))
    }
}

extension DueDate {
    /// What stands in `due_day`.
    var wholeDay: Int64? {
        guard case .day(let day) = self else { return nil }
        return Int64(day.number)
    }
}
