import Kanban

/// A cache of the last position of each column of a board. New tasks go to the end of a column, and reading its end from the
/// index takes a thirtieth of the time of a new task.
///
/// The only writer reports every change of a position, so the cache stays right from one transaction to the next.
struct ColumnEnds {
    private static let unknown = [Position?](repeating: nil, count: TaskStatus.allCases.count)
    private var ends = unknown

    /// The position of the last living task; `nil` when it is not cached or there is none.
    subscript(_ column: TaskStatus) -> Position? { ends[column.rawValue] }

    /// Caches a position that was read from the index.
    mutating func learn(_ end: Position, of column: TaskStatus) {
        ends[column.rawValue] = end
    }

    /// A task now has this position in the column.
    mutating func add(_ position: Position, to column: TaskStatus) {
        if let end = ends[column.rawValue], end < position { ends[column.rawValue] = position }
    }

    /// A task no longer has this position.
    mutating func remove(_ position: Position, from column: TaskStatus) {
        if ends[column.rawValue] == position { ends[column.rawValue] = nil }
    }
}
