import Kanban

/// A `SELECT` of tasks put together from conditions; every value is a parameter.
struct TaskStatement {
    enum Value {
        case integer(Int64)
        case text(String)
        case id(ID)
    }

    /// With ` AND ` between them.
    private var conditions = SQLText(capacity: 16)
    /// From parameter 2 on; 1 is the account.
    private(set) var values: [Value] = []

    private let dialect: Dialect

    /// The conditions of the query but for its beginning and its order.
    ///
    /// - Parameter seeksStatus: the index to use begins with the status. Otherwise SQLite, which knows nothing of how many
    ///   rows there are, would take that index and sort.
    /// - Parameter part: where it says more about the due date than the query, SQLite must not seek by the query's bounds.
    init(
        _ query: TaskQuery, statuses: [TaskStatus], seeksStatus: Bool, part: TaskListPart? = nil, in dialect: Dialect
    ) {
        self.dialect = dialect
        conditions.append(
            query.inTrash ? "account = ?1 AND deleted_at IS NOT NULL" : "account = ?1 AND deleted_at IS NULL")
        values.reserveCapacity(4)
        if statuses.count < TaskStatus.allCases.count {
            let wanted = statuses.map { parameter(.integer(Int64($0.rawValue))) }
            let sign = seeksStatus ? "" : dialect.unsought
            add(
                wanted.count == 1
                    ? "\(sign)status = \(wanted[0])" : "\(sign)status IN (\(wanted.joined(separator: ", ")))")
        }
        if let categoryIDs = query.categoryIDs { add(categories: categoryIDs) }
        let narrower = part?.narrowerBounds(query) ?? (from: false, before: false)
        for bound in query.dueFrom {
            let instant = parameter(.integer(bound.instant.milliseconds))
            let day = parameter(.integer(Int64(bound.day.number)))
            // What lies beyond both is found in the index alone; only in between `due_day` has to be looked at.
            let beyond = parameter(.integer(max(bound.instant, bound.dayStart).milliseconds))
            add("(due >= \(beyond) OR CASE WHEN due_day IS NULL THEN due >= \(instant) ELSE due_day >= \(day) END)")
            add(
                narrower.from ? dialect.unsought : "", "due >= ",
                .integer(min(bound.instant, bound.dayStart).milliseconds))
        }
        for bound in query.dueBefore {
            let instant = parameter(.integer(bound.instant.milliseconds))
            let day = parameter(.integer(Int64(bound.day.number)))
            let beyond = parameter(.integer(min(bound.instant, bound.dayStart).milliseconds))
            add("(due < \(beyond) OR CASE WHEN due_day IS NULL THEN due < \(instant) ELSE due_day < \(day) END)")
            add(
                narrower.before ? dialect.unsought : "", "due < ",
                .integer(max(bound.instant, bound.dayStart).milliseconds))
        }
        if query.withoutDueDate, query.sort != .dueDate { add("due IS NULL") }
        for term in query.search {
            switch term {
            case .text(let text):
                let wanted = parameter(.text(text))
                let (first, rest) = (
                    dialect.hasText("coalesce(searched, title)", wanted), dialect.hasText("body", wanted)
                )
                add("(\(first) OR searched IS NULL AND \(rest))")
            case .initials(let pattern):
                let wanted = parameter(.text(pattern))
                let (first, rest) = (
                    dialect.hasInitials("coalesce(searched, title)", wanted), dialect.hasInitials("body", wanted)
                )
                add("(\(first) OR searched IS NULL AND \(rest))")
            }
        }
    }

    private mutating func add(categories: Set<ID?>) {
        let wanted = categories.compactMap { $0 }.sorted().map { parameter(.id($0)) }
        let named: SQLText =
            wanted.count == 1 ? "category_id = \(wanted[0])" : "category_id IN (\(wanted.joined(separator: ", ")))"
        switch (wanted.isEmpty, categories.contains(nil)) {
        case (true, _): add("category_id IS NULL")
        case (false, true): add("(category_id IS NULL OR \(named))")
        case (false, false): add(named)
        }
    }

    mutating func add(_ condition: SQLText) {
        conditions.append(" AND ")
        conditions.append(contentsOf: condition)
    }

    /// Compares a column or an expression with a value.
    mutating func add(_ expression: StaticString, _ comparison: StaticString, _ value: Value) {
        conditions.append(" AND ")
        conditions.append(expression)
        conditions.append(comparison)
        values.append(value)
        conditions.append(parameter: values.count + 1)
    }

    /// Where to go back to, instead of a copy from before.
    var mark: (conditions: SQLText.Mark, values: Int) { (conditions.mark, values.count) }

    mutating func goBack(to mark: (conditions: SQLText.Mark, values: Int)) {
        conditions.goBack(to: mark.conditions)
        values.removeSubrange(mark.values...)
    }

    /// Adds a value and returns the name of its parameter.
    mutating func parameter(_ value: Value) -> SQLText {
        values.append(value)
        return SQLText(parameter: values.count + 1)
    }

    func sql(columns: StaticString, order: TaskOrder, limit: Int?) -> SQLText {
        var text: SQLText = "SELECT \(columns) FROM tasks WHERE \(conditions) ORDER BY \(order.first)\(order.rest)"
        if limit != nil {
            text.append(" LIMIT ")
            text.append(parameter: values.count + 2)
        }
        return text
    }

    /// The same rows where no index gives the order: it sorts row numbers and reads only the rows of the page. Sorting newest
    /// first, nearly every row is among the first for a while. (SQLite must seek by number, not by account.)
    func sqlSortingFirst(columns: StaticString, order: TaskOrder, limit: Int?) -> SQLText {
        let key = dialect.taskKey
        let keys = sql(columns: key, order: order, limit: limit)
        return """
            SELECT \(columns) FROM tasks WHERE \(dialect.unsought)account = ?1 AND \(key) IN (\(keys)) \
            ORDER BY \(order.first)\(order.rest)
            """
    }

    func sql(counting rows: StaticString) -> SQLText {
        "SELECT count(*) FROM \(rows) WHERE \(conditions)"
    }

    func bind(to statement: some EngineStatement, limit: Int?) {
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 2)
            switch value {
            case .integer(let integer): statement.bind(index, integer)
            case .text(let text): statement.bind(index, text)
            case .id(let id): statement.bind(index, id)
            }
        }
        if let limit { statement.bind(Int32(values.count + 2), limit) }
    }
}

/// What an `ORDER BY` names.
struct TaskOrder {
    var first: StaticString
    var rest: StaticString
}

extension TaskQuery.DueBound {
    /// The sort key of the day.
    fileprivate var dayStart: Timestamp { DueDate.day(day).sortKey }
}
