import JSON
import Kanban

/// How far a walk is in a column.
struct TaskPlace: Equatable {
    var position: Position
    var id: ID
}

/// How far a walk is in one column.
struct ColumnPlace {
    var status: TaskStatus
    var place: TaskPlace
}

extension [ColumnPlace] {
    /// The place, if it is the same in all columns.
    var commonPlace: TaskPlace? {
        guard let place = first?.place, allSatisfy({ $0.place == place }) else { return nil }
        return place
    }
}

/// Where the next page begins when the server respaced a column since the last page. The positions of its tasks are new
/// then but their order is not, so the old position is mapped to the new one by the recorded respacings.
extension SQLBoard {
    package func anchor(
        after last: TaskItem, of query: TaskQuery, at revision: Revision
    ) throws -> TaskQuery.Anchor {
        let anchor = TaskQuery.Anchor(
            id: last.id, key: query.sort.key(of: last), position: last.position, revision: revision)
        return try query.anchor(anchor, from: start(of: query))
    }

    /// The same for a task of which only the id is known.
    /// - Parameter start: where the page of the task began.
    func anchor(
        after last: ID, of query: TaskQuery, from start: [ColumnPlace], at revision: Revision
    ) throws -> TaskQuery.Anchor? {
        guard query.sort == .dueDate || query.sort == .position else {
            return try task(last).map { try self.anchor(after: $0, of: query, at: revision) }
        }
        let statement = try statement("SELECT position, due FROM tasks WHERE account = ?1 AND id = ?2")
        statement.bind(2, last)
        let anchor = try statement.first { row in
            let (position, due) = (Position(text: row.text()), row.optionalInteger())
            let key: TaskQuery.Anchor.Key =
                query.sort == .position
                ? .text(Spelling(position.text))
                : due.map { .number($0) } ?? TaskQuery.Anchor.Key.none
            return TaskQuery.Anchor(id: last, key: key, position: position, revision: revision)
        }
        return anchor.map { query.anchor($0, from: start) }
    }

    /// Where the walk is in each column of the query, by the positions of now; empty at its beginning.
    /// - Parameter now: the account's revision, if it is known.
    func start(of query: TaskQuery, at now: Revision? = nil) throws -> [ColumnPlace] {
        guard let anchor = query.after else { return [] }
        // Most accounts have none, and then one look is enough for all columns.
        let revision = try anchor.revision.flatMap { revision in
            try revision != now && !query.inTrash && hasRespacings() ? revision : nil
        }
        return try query.columns.map { status in
            let known = anchor.places.first { $0.status == status }
            var place = TaskPlace(position: known?.position ?? anchor.position, id: known?.id ?? anchor.id)
            if let revision {
                let descending = query.sort == .position && query.descending
                for respacing in try respacings(of: status, since: revision) {
                    place = try follow(place, through: respacing, of: status, descending: descending)
                }
            }
            return ColumnPlace(status: status, place: place)
        }
    }

    package func hasRespacings() throws -> Bool {
        try statement("SELECT 1 FROM respacings WHERE account = ?1 LIMIT 1").exists()
    }

    private func respacings(of status: TaskStatus, since revision: Revision) throws -> [Revision] {
        let statement = try statement(
            """
            SELECT DISTINCT revision FROM respacings WHERE account = ?1 AND status = ?2 AND revision > ?3
            ORDER BY revision
            """)
        statement.bind(2, status.rawValue)
        statement.bind(3, revision)
        return try statement.all { $0.integer() }
    }

    /// The same place after a respacing: where its task went or, if none stood there, between the neighbours' new places.
    private func follow(
        _ place: TaskPlace, through respacing: Revision, of status: TaskStatus, descending: Bool
    ) throws -> TaskPlace {
        let below = try statement(
            """
            SELECT old_position, new_position FROM respacings
            WHERE account = ?1 AND status = ?2 AND revision = ?3 AND old_position <= ?4
            ORDER BY old_position DESC LIMIT 1
            """)
        below.bind(2, status.rawValue)
        below.bind(3, respacing)
        below.bind(4, place.position.text)
        if let (old, new) = try below.first({ (Position(text: $0.text()), Position(text: $0.text())) }) {
            if old == place.position { return TaskPlace(position: new, id: place.id) }
            if !(new < place.position) { return TaskPlace(position: new, id: descending ? .least : .greatest) }
        }
        let above = try statement(
            """
            SELECT new_position FROM respacings
            WHERE account = ?1 AND status = ?2 AND revision = ?3 AND old_position > ?4
            ORDER BY old_position LIMIT 1
            """)
        above.bind(2, status.rawValue)
        above.bind(3, respacing)
        above.bind(4, place.position.text)
        if let new = try above.first({ Position(text: $0.text()) }), !(place.position < new) {
            return TaskPlace(position: new, id: descending ? .greatest : .least)
        }
        return place
    }
}

extension TaskQuery {
    /// The anchor with the columns whose part of the walk is further already, as counted before a respacing.
    /// - Parameter start: where the page of the anchor's task began.
    fileprivate func anchor(_ anchor: Anchor, from start: [ColumnPlace]) -> Anchor {
        guard let before = after, sort == .position || before.key == anchor.key else { return anchor }
        var anchor = anchor
        let here = TaskPlace(position: anchor.position, id: anchor.id)
        let descending = sort == .position && descending
        if start.commonPlace?.isBeyond(here, descending: descending) == false { return anchor }
        for column in start where column.place.isBeyond(here, descending: descending) {
            anchor.places.append(
                .init(status: column.status, position: column.place.position, id: column.place.id))
        }
        anchor.places.sort { $0.status.rawValue < $1.status.rawValue }
        return anchor
    }

    /// Those that are listed, in their order.
    var columns: [TaskStatus] {
        guard let statuses else { return TaskStatus.allCases }
        return TaskStatus.allCases.filter(statuses.contains)
    }
}

extension TaskPlace {
    func isBeyond(_ other: TaskPlace, descending: Bool) -> Bool {
        if position != other.position { return (other.position < position) != descending }
        return other.id < id
    }
}

extension ID {
    fileprivate static let least = ID(high: 0, low: 0)
    fileprivate static let greatest = ID(high: .max, low: .max)
}

extension TaskQuery.Sort {
    /// What the order goes by first.
    func key(of task: TaskItem) -> TaskQuery.Anchor.Key {
        switch self {
        case .dueDate: task.dueDate.map { .number($0.sortKey.milliseconds) } ?? TaskQuery.Anchor.Key.none
        case .position: .text(Spelling(task.position.text))
        case .createdAt: .number(task.createdAt.milliseconds)
        case .updatedAt: .number(task.updatedAt.milliseconds)
        case .title: .text(task.title.orderKey)
        }
    }
}
