import JSON
import Kanban
import KanbanWire

/// The query of `GET /tasks` and `GET /board`, from their parameters.
package struct TaskListQuery: Sendable {
    private enum Due: String, CaseIterable {
        case overdue, today, upcoming
        case undated = "none"
    }

    package static let filters: Set<String> = ["status", "categoryId", "due", "dueBefore", "dueAfter", "q", "deleted"]

    /// The parameters that filter, in alphabetical order.
    private static let spelled = filters.union(["sort", "timeZone"]).sorted()
    private static let statuses = TaskStatus.allCases.map(\.name).joined(separator: ", ")
    private static let dues = Dictionary(uniqueKeysWithValues: Due.allCases.map { ($0.rawValue, $0) })

    /// Without the filter that depends on today; see ``dated(_:_:)``.
    package private(set) var query = TaskQuery()
    /// The parameters to which a cursor is bound, in canonical form.
    private var spelling: String
    private var due: Due?

    /// - Parameter status: the column, for a column of the board.
    package init(_ call: Call, sort: String = "dueDate", status: TaskStatus? = nil) throws {
        let parameters = call.query
        let sorted = parameters["sort"] ?? sort
        spelling = ""
        for name in Self.spelled {
            let value: String? =
                switch name {
                case "sort": sorted
                case "status": status?.name ?? parameters[name]
                case "deleted": parameters[name] == "false" ? nil : parameters[name]
                // A zone matters to a cursor only where a filter depends on it.
                case "timeZone": parameters["due"] == nil ? nil : parameters[name]
                default: parameters[name]
                }
            if let value { spelling += "\(spelling.isEmpty ? "" : "&")\(name)=\(value)" }
        }

        if let status {
            query.statuses = [status]
        } else if let statuses = try parameters.list("status", of: Self.statuses, TaskStatus.init(name:)) {
            query.statuses = Set(statuses)
        }
        let category = { (text: String) -> ID?? in text == "none" ? .some(nil) : ID(text).map { .some($0) } }
        if let categories = try parameters.list("categoryId", of: "ids or none", category) {
            query.categoryIDs = Set(categories)
        }
        query.inTrash = try parameters.flag("deleted")
        if let text = parameters["q"], !text.isEmpty { query.text = CaseFolding.fold(text) }
        try readSort(sorted)
        if let after = try dueBound("dueAfter", call) { query.dueFrom.append(after) }
        if let before = try dueBound("dueBefore", call) { query.dueBefore.append(before) }
        due = try parameters.choice("due", Self.dues)
        query.withoutDueDate = due == .undated
        if let cursor = parameters["cursor"] {
            query.after = try TaskQuery.Anchor(PageCursor.decode(cursor, for: spelling))
        }
    }

    private mutating func readSort(_ text: String) throws {
        guard let sort = TaskQuery.Sort(rawValue: text.hasPrefix("-") ? String(text.dropFirst()) : text) else {
            let words = TaskQuery.Sort.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.invalidParameter, "sort takes \(words), each also with - before it for descending.")
        }
        query.sort = sort
        query.descending = text.hasPrefix("-")
    }

    /// Whether a filter depends on today's date.
    private var dependsOnToday: Bool { due != nil && due != .undated }

    /// The query with the filter that depends on today, whose zone may be that of the settings in the reader's snapshot.
    package func dated(_ call: Call, _ reader: any BoardReader) throws -> TaskListQuery {
        guard let due, dependsOnToday else { return self }
        var list = self
        let zone = try call.zone(reader)
        let today = zone.day(of: call.now)
        switch due {
        case .overdue:
            list.query.dueBefore.append(.init(startOf: today, in: zone))
            list.query.statuses = (query.statuses ?? Set(TaskStatus.allCases)).subtracting([.done])
        case .today:
            list.query.dueFrom.append(.init(startOf: today, in: zone))
            list.query.dueBefore.append(.init(startOf: today.adding(days: 1), in: zone))
        case .upcoming:
            list.query.dueFrom.append(.init(startOf: today.adding(days: 1), in: zone))
        case .undated:
            break
        }
        return list
    }

    /// A full-date counts as 00:00 UTC of its day, in parameters as in tasks.
    private func dueBound(_ name: String, _ call: Call) throws -> TaskQuery.DueBound? {
        guard let text = call.query[name] else { return nil }
        guard let date = DueDate(text) else {
            throw Problem(.invalidParameter, "\(name) takes a day like 2026-12-01 or a time like 2026-12-01T18:00:00Z.")
        }
        let instant = date.sortKey
        let (days, rest) = instant.milliseconds.quotientAndRemainder(dividingBy: Timestamp.millisecondsPerDay)
        // The first day whose 00:00 UTC is not before the instant.
        return TaskQuery.DueBound(day: Day(number: Int(days) + (rest > 0 ? 1 : 0)), instant: instant)
    }

    /// True for queries without an index: they run on another thread, not on an event loop.
    package var isLong: Bool {
        query.text != nil || query.inTrash || query.categoryIDs != nil
            || ![.dueDate, .position].contains(query.sort)
    }

    /// When the result may change without a write: at midnight for filters by due date, and at any time for the trash,
    /// which is purged without a revision.
    package func validUntil(_ call: Call, _ reader: any BoardReader) throws -> Timestamp? {
        if query.inTrash { return call.now }
        return dependsOnToday ? try call.moment(reader).dayEnds : nil
    }

    /// The cursor that continues after `task`.
    /// - Parameter revision: the account's in the reader's snapshot.
    package func cursor(after task: TaskItem, at revision: Revision, _ reader: any BoardReader) throws -> String {
        let anchor = try reader.anchor(after: task, of: query, at: revision)
        return PageCursor.encode(for: spelling) { $0.elements(of: anchor) }
    }
}

extension JSONWriter {
    /// The elements of a cursor.
    fileprivate mutating func elements(of anchor: TaskQuery.Anchor) {
        value(anchor.id)
        switch anchor.key {
        case .none: null()
        case .number(let number): value(number)
        case .text(let text): value(text)
        }
        value(anchor.position.text)
        if let revision = anchor.revision { value(revision) } else { null() }
        beginArray()
        for place in anchor.places {
            beginArray()
            value(place.status.rawValue)
            value(place.position.text)
            value(place.id)
            endArray()
        }
        endArray()
    }
}

extension TaskQuery.Anchor {
    /// - Throws: a 400 problem when these are not the elements of a cursor.
    fileprivate init(_ parts: [JSON]) throws {
        guard parts.count == 5, let id = parts[0].stringValue.flatMap({ ID($0) }),
            let position = parts[2].stringValue, let places = parts[4].arrayValue
        else { throw PageCursor.invalid }
        let key: Key
        switch parts[1] {
        case .null: key = .none
        case .string(let text): key = .text(text)
        default:
            guard let number = parts[1].intValue else { throw PageCursor.invalid }
            key = .number(Int64(number))
        }
        self.init(
            id: id, key: key, position: Position(text: position), revision: parts[3].intValue.map { Revision($0) },
            places: try places.map { place in
                guard let parts = place.arrayValue, parts.count == 3,
                    let status = parts[0].intValue.flatMap(TaskStatus.init(rawValue:)),
                    let position = parts[1].stringValue, let id = parts[2].stringValue.flatMap({ ID($0) })
                else { throw PageCursor.invalid }
                return ColumnPosition(status: status, position: Position(text: position), id: id)
            })
    }
}
