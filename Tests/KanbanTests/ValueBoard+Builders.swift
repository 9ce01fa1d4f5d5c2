import JSON
import TestSupport

@testable import Kanban

extension ValueBoard {
    /// Creates a task; see ``BoardWriter/createTask(id:title:_:)``.
    @discardableResult
    func task(
        _ title: String = "Task", status: TaskStatus? = nil, category: TaskEdit.CategoryChoice? = nil,
        due: String? = nil
    ) throws -> TaskItem {
        let edit = TaskEdit(status: status, category: category, dueDate: due.map { DueDate($0) })
        return try createTask(id: nil, title: title, edit)
    }

    @discardableResult
    func dday(_ title: String = "Exam", on date: String, repeats: DDay.Repeats = .none) throws -> DDay {
        try createDDay(id: nil, contents(title, on: date, repeats: repeats))
    }

    func contents(
        _ title: String = "Exam", on date: String = "2026-12-01", repeats: DDay.Repeats = .none, image: ID? = nil
    ) throws -> Edit<DDay> {
        guard let day = Day(date) else { throw DateFault.malformed }
        return { dday in
            dday.title = title
            dday.date = day
            dday.repeats = repeats
            dday.image = image
        }
    }

    func createCategory(id: ID?, name: String, image: ID? = nil) throws -> Kanban.Category {
        try createCategory(id: id) { category in
            category.name = name
            category.image = image
        }
    }

    /// The titles of a column, in its order.
    func titles(_ status: TaskStatus = .todo) -> [String] {
        var query = TaskQuery()
        query.statuses = [status]
        query.sort = .position
        return tasks(query).map(\.title)
    }

    /// The members that an entry of the history names.
    func lastChange() -> [String] { state.history.last?.changes.map(\.member) ?? [] }
}

/// An id that the tests choose.
func id(_ number: UInt64) -> ID { ID(high: 0, low: number) }
