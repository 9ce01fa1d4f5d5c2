import Foundation
import JSON
import Kanban

/// The query of `GET /tasks` and `GET /board`, from their parameters.
package struct TaskListQuery: Sendable {
    private enum Due: String, CaseIterable {
        case overdue, today, upcoming
        case undated = "none"
    }

    package static let filters: Set<String> = ["status", "categoryId", "due", "dueBefore", "dueAfter", "q", "deleted"]

    private static let statuses = TaskStatus.allCases.map(\.name).joined(separator: ", ")
    private static let dues = Dictionary(uniqueKeysWithValues: Due.allCases.map { ($0.rawValue, $0) })

    /// Without the filter that depends on today; see ``dated(_:_:)``.
    package private(set) var query = TaskQuery()
    /// Bound to the parameters.
    private let cursor: PageCursor
    private var due: Due?

    /// - Parameter status: the column, for a column of the board.
    package init(_ call: Call, sort: String = "dueDate", status: TaskStatus? = nil) throws {
        let parameters = call.query
        let sorted = parameters["sort"] ?? sort
        cursor = PageCursor(for: Self.spelling(of: parameters, sort: sorted, status: status))

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
        if let text = parameters["q"] { query.search = try Self.terms(of: text) }
        try readSort(sorted)
        if let after = try dueBound("dueAfter", call) { query.dueFrom.append(after) }
        if let before = try dueBound("dueBefore", call) { query.dueBefore.append(before) }
        due = try parameters.choice("due", Self.dues)
        query.withoutDueDate = due == .undated
        if let cursor = parameters["cursor"] {
            query.after = try TaskQuery.Anchor(self.cursor.decode(cursor), of: query.sort)
        }
    }

    /// The parameters that must stay the same on the next page, in alphabetical order.
    private static func spelling(of parameters: Query, sort: String, status: TaskStatus?) -> String {
        let isDated = parameters["due"] != nil
        var bound = parameters.items.filter { name, value in
            switch name {
            // A zone matters only where a filter depends on it.
            case "timeZone": isDated
            case "deleted": value != "false"
            default: filters.contains(name)
            }
        }
        if let status { bound.append((name: "status", value: status.name)) }
        // Most lists have no filter.
        guard !bound.isEmpty else { return "sort=" + sort }
        bound.append((name: "sort", value: sort))
        return bound.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private static func terms(of text: String) throws -> [SearchTerm] {
        let terms = SearchTerm.terms(of: text)
        // Each is looked for in every task.
        guard terms.count <= 16 else { throw Problem(.invalidParameter, "q takes at most 16 words.") }
        return terms
    }

    private mutating func readSort(_ text: String) throws {
        guard let sort = TaskQuery.Sort(rawValue: text.hasPrefix("-") ? String(text.dropFirst()) : text) else {
            let words = TaskQuery.Sort.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.invalidParameter, "sort takes \(words), each also with - before it for descending.")
        }
        query.sort = sort
        query.descending = text.hasPrefix("-")
    }

    /// True if a filter depends on today's date.
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
        guard let text = call.query.time(name) else { return nil }
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
        !query.search.isEmpty || query.inTrash || query.categoryIDs != nil
            || ![.dueDate, .position].contains(query.sort)
    }

    /// When the result may change without a write: at midnight for filters by due date, and at any time for the trash,
    /// which is purged without a revision.
    package func validUntil(_ call: Call, _ reader: any BoardReader) throws -> Timestamp? {
        if query.inTrash { return call.now }
        return dependsOnToday ? try call.moment(reader).dayEnds : nil
    }

    /// The cursor of the page that begins there.
    package func cursor(at anchor: TaskQuery.Anchor) -> String {
        cursor.encode(anchor.fields)
    }
}

extension TaskQuery.Anchor {
    /// The fields of a cursor: the id, the key, the position, the revision, and three for each place.
    fileprivate var fields: [String] {
        let key =
            switch key {
            case .none: "-"
            case .number(let number): String(number)
            case .text(Spelling(position.text)): "p"
            case .text(let text): "t" + Data(text.string.utf8).base64URL
            }
        let places = places.flatMap { [String($0.status.rawValue), $0.position.text, $0.id.description] }
        return [id.description, key, position.text, revision.map { String($0) } ?? "-"] + places
    }

    /// - Throws: a 400 problem when these are not the fields of a cursor.
    fileprivate init(_ fields: [String], of sort: TaskQuery.Sort) throws {
        guard fields.count >= 4, (fields.count - 4).isMultiple(of: 3), let id = ID(fields[0]) else {
            throw PageCursor.invalid
        }
        let position = fields[2]
        let key: Key
        switch fields[1] {
        case "-": key = .none
        case "p": key = .text(Spelling(position))
        case let field where field.hasPrefix("t"):
            // Foundation's decoding would drop a byte order mark, and another place in the list is the answer.
            guard let bytes = Data(base64URL: field.dropFirst()), let text = String(validating: bytes, as: UTF8.self)
            else { throw PageCursor.invalid }
            key = .text(Spelling(text))
        case let field:
            guard let number = Int64(field) else { throw PageCursor.invalid }
            key = .number(number)
        }
        // The store compares the key with a column, which has one type.
        switch (sort, key) {
        case (.dueDate, .none), (.dueDate, .number), (.createdAt, .number), (.updatedAt, .number): break
        case (.title, .text), (.position, .text): break
        default: throw PageCursor.invalid
        }
        let revision = Revision(fields[3])
        guard revision != nil || fields[3] == "-" else { throw PageCursor.invalid }
        self.init(
            id: id, key: key, position: Position(text: position), revision: revision,
            places: try stride(from: 4, to: fields.count, by: 3).map { place in
                guard let status = Int(fields[place]).flatMap(TaskStatus.init(rawValue:)),
                    let id = ID(fields[place + 2])
                else { throw PageCursor.invalid }
                return ColumnPosition(status: status, position: Position(text: fields[place + 1]), id: id)
            })
    }
}

extension Data {
    /// RFC 4648 §5, without padding.
    fileprivate var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    fileprivate init?(base64URL text: Substring) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(
            base64Encoded: text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
                + padding)
    }
}
