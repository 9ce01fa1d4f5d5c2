import JSON
import Kanban

/// Pages of tasks by keyset: a page begins after the sort key, the position and the id of the one before.
extension SQLBoard {
    package func tasks(_ query: TaskQuery) throws -> [TaskItem] {
        // The merge reads a whole page of each column: read ids alone.
        try query.mergesColumns
            ? taskIDs(query).compactMap(task) : list(query, from: start(of: query), of: .whole)
    }

    package func taskIDs(_ query: TaskQuery) throws -> [ID] {
        try taskIDs(query, from: start(of: query))
    }

    package func taskPage(_ query: TaskQuery, at revision: Revision) throws -> TaskPage {
        let start = try start(of: query, at: revision)
        guard let limit = query.limit, limit > 0 else {
            return TaskPage(ids: try taskIDs(query, from: start), next: nil)
        }
        var longer = query
        longer.limit = limit + 1
        var ids = try taskIDs(longer, from: start)
        guard ids.count > limit else { return TaskPage(ids: ids, next: nil) }
        ids.removeLast()
        return TaskPage(ids: ids, next: try anchor(after: ids[limit - 1], of: query, from: start, at: revision))
    }

    private func taskIDs(_ query: TaskQuery, from start: [ColumnPlace]) throws -> [ID] {
        guard query.mergesColumns else { return try list(query, from: start, of: .ids) }
        let places = try list(query, from: start, of: .places).sorted { $1.isBeyond($0, descending: query.descending) }
        return places.prefix(query.limit ?? .max).map(\.id)
    }

    private func list<Row>(
        _ query: TaskQuery, from start: [ColumnPlace], of columns: TaskColumns<Database.Statement, Row>
    ) throws -> [Row] {
        let statuses = query.columns
        guard !statuses.isEmpty, query.categoryIDs?.isEmpty != true, query.limit != 0 else { return [] }
        guard query.sort != .position else { return try listByPosition(query, from: start, of: columns) }

        var page: [Row] = []
        for part in TaskListPart.parts(of: query) {
            let limit = query.limit.map { $0 - page.count }
            guard limit != 0 else { break }
            var statement = TaskStatement(
                query, statuses: statuses, seeksStatus: false, part: part, in: Database.dialect)
            statement.add(part, sort: query.sort, descending: query.descending)
            let rows = try run(
                &statement, of: columns, order: part.order(query), limit: limit, isOrdered: query.sort == .dueDate,
                from: part.continues ? start : [], descending: false)
            if page.isEmpty { page = rows } else { page += rows }
        }
        return page
    }

    package func countTasks(_ query: TaskQuery) throws -> Int {
        let statuses = query.columns
        guard !statuses.isEmpty, query.categoryIDs?.isEmpty != true else { return 0 }
        var condition = TaskStatement(query, statuses: statuses, seeksStatus: false, in: Database.dialect)
        if query.withoutDueDate { condition.add("due IS NULL") }
        let statement = try connection.statement(composed: condition.sql(counting: "tasks"))
        statement.bind(1, account.number)
        condition.bind(to: statement, limit: nil)
        return try statement.count()
    }

    /// Reads each column by the index by position, at most `limit` rows of each.
    private func listByPosition<Row>(
        _ query: TaskQuery, from start: [ColumnPlace], of columns: TaskColumns<Database.Statement, Row>
    ) throws -> [Row] {
        var page: [Row] = []
        for (index, status) in query.columns.enumerated() {
            var statement = TaskStatement(query, statuses: [status], seeksStatus: true, in: Database.dialect)
            page += try run(
                &statement, of: columns,
                order: TaskOrder(first: "position", rest: query.descending ? " DESC, id" : ", id"),
                limit: query.limit, isOrdered: true, from: start.isEmpty ? [] : [start[index]],
                descending: query.descending)
        }
        return page
    }

    /// - Parameters:
    ///   - isOrdered: true if an index usually gives the order.
    ///   - start: where to begin.
    private func run<Row>(
        _ statement: inout TaskStatement, of columns: TaskColumns<Database.Statement, Row>, order: TaskOrder,
        limit: Int?, isOrdered: Bool, from start: [ColumnPlace], descending: Bool
    ) throws -> [Row] {
        guard !start.isEmpty else {
            return try run(statement, of: columns, order: order, limit: limit, isOrdered: isOrdered)
        }
        // The last task of the page before mostly stands where it stood. Then the rest of the rows from its position on are
        // those of this page, and SQLite need not compare each of them with it.
        if let id = columns.id, let place = start.commonPlace {
            let mark = statement.mark
            statement.add(from: place.position, descending: descending)
            let longer = limit.map { $0 + 1 }
            var rows = try run(statement, of: columns, order: order, limit: longer, isOrdered: isOrdered)
            if let last = rows.firstIndex(where: { id($0) == place.id }), last == 0 || rows.count != longer {
                rows.removeSubrange(...last)
                return rows
            }
            statement.goBack(to: mark)
        }
        statement.add(places: start, descending: descending)
        return try run(statement, of: columns, order: order, limit: limit, isOrdered: isOrdered)
    }

    private func run<Row>(
        _ taskStatement: TaskStatement, of columns: TaskColumns<Database.Statement, Row>, order: TaskOrder, limit: Int?,
        isOrdered: Bool
    ) throws -> [Row] {
        let sql =
            isOrdered || limit == nil
            ? taskStatement.sql(columns: columns.names, order: order, limit: limit)
            : taskStatement.sqlSortingFirst(columns: columns.names, order: order, limit: limit)
        let statement = try connection.statement(composed: sql)
        statement.bind(1, account.number)
        taskStatement.bind(to: statement, limit: limit)
        return try statement.all(capacity: min(limit ?? 0, 128), columns.decode)
    }
}

extension TaskQuery {
    /// True if several columns have to be merged.
    fileprivate var mergesColumns: Bool { sort == .position && statuses?.count != 1 }
}

/// A stretch of a list whose order an index can give. A list by a member is: the rest of those that are alike with the
/// last one in that member; those beyond; and by due date, in either direction, those without one.
enum TaskListPart {
    case alike(TaskQuery.Anchor.Key)
    case beyond(TaskQuery.Anchor.Key?)
    case undated(continues: Bool)

    static func parts(of query: TaskQuery) -> [TaskListPart] {
        let isDated = !query.dueFrom.isEmpty || !query.dueBefore.isEmpty
        let endsUndated = query.sort == .dueDate && !isDated
        switch query.after?.key {
        case nil where query.withoutDueDate && query.sort == .dueDate: return [.undated(continues: false)]
        case nil: return endsUndated ? [.beyond(nil), .undated(continues: false)] : [.beyond(nil)]
        case .none?: return [.undated(continues: true)]
        case let key?:
            return endsUndated
                ? [.alike(key), .beyond(key), .undated(continues: false)] : [.alike(key), .beyond(key)]
        }
    }

    /// True when it begins within a run of alike ones.
    var continues: Bool {
        switch self {
        case .alike: true
        case .beyond: false
        case .undated(let continues): continues
        }
    }

    /// For the lower and the upper bound of the due date: true if that of this part is narrower than that of the query, and so
    /// the only one to seek by.
    func narrowerBounds(_ query: TaskQuery) -> (from: Bool, before: Bool) {
        guard query.sort == .dueDate else { return (false, false) }
        switch self {
        case .alike: return (true, true)
        case .beyond(nil), .undated: return (false, false)
        case .beyond: return (!query.descending, query.descending)
        }
    }

    func order(_ query: TaskQuery) -> TaskOrder {
        guard case .beyond = self else { return TaskOrder(first: "position", rest: ", id") }
        return TaskOrder(
            first: query.sort.expression, rest: query.descending ? " DESC, position, id" : ", position, id")
    }
}

extension TaskQuery.Sort {
    var expression: StaticString {
        switch self {
        case .dueDate: "due"
        case .position: "position"
        case .createdAt: "created_at"
        case .updatedAt: "updated_at"
        case .title: "COALESCE(title_folded, title)"
        }
    }
}

extension TaskStatement {
    mutating func add(_ part: TaskListPart, sort: TaskQuery.Sort, descending: Bool) {
        switch part {
        case .alike(let key):
            add(sort.expression, " = ", Value(key))
        case .beyond(let key?):
            add(sort.expression, descending ? " < " : " > ", Value(key))
        case .beyond(nil):
            if sort == .dueDate { add("due IS NOT NULL") }
        case .undated:
            add("due IS NULL")
        }
    }

    /// Begins with the tasks of this position.
    mutating func add(from position: Position, descending: Bool) {
        add("position", descending ? " <= " : " >= ", .text(position.text))
    }

    /// Begins after these places, one for each column.
    mutating func add(places: [ColumnPlace], descending: Bool) {
        if let place = places.commonPlace {
            add(condition(place, descending: descending))
        } else {
            let each = places.map { column in
                let status = parameter(.integer(Int64(column.status.rawValue)))
                return "(status = \(status) AND \(condition(column.place, descending: descending)))" as SQLText
            }
            add("(\(each.joined(separator: " OR ")))")
        }
    }

    private mutating func condition(_ place: TaskPlace, descending: Bool) -> SQLText {
        let position = parameter(.text(place.position.text))
        let id = parameter(.id(place.id))
        // The id ascends in either direction, which a row value cannot say; and it takes longer for each row. The ids are
        // compared first, which is faster, and usually enough: a task that was made later is further down.
        return descending
            ? "position <= \(position) AND (id > \(id) OR position < \(position))"
            : "position >= \(position) AND (id > \(id) OR position > \(position))"
    }
}

extension TaskStatement.Value {
    init(_ key: TaskQuery.Anchor.Key) {
        switch key {
        case .number(let number): self = .integer(number)
        case .text(let text): self = .text(text.string)
        case .none: self = .integer(.max)
        }
    }
}
