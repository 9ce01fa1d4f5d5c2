import Kanban

/// A column of an account.
struct ColumnKey: Hashable {
    var account: Int64
    var status: TaskStatus
}

/// A cache of the last position of each column. New tasks go to the end of a column, and reading its end from the index
/// takes a thirtieth of the time of a new task.
///
/// The only writer reports every change of a position, so the cache stays right from one transaction to the next.
struct ColumnEnds {
    private var ends: [ColumnKey: Position] = [:]

    /// The number of cached columns.
    var count: Int { ends.count }

    /// The position of the last living task; `nil` when it is not cached or there is none.
    subscript(_ column: ColumnKey) -> Position? { ends[column] }

    /// Caches a position that was read from the index.
    mutating func learn(_ end: Position, of column: ColumnKey) {
        ends[column] = end
    }

    /// A task now has this position in the column.
    mutating func add(_ position: Position, to column: ColumnKey) {
        if let end = ends[column], end < position { ends[column] = position }
    }

    /// A task no longer has this position.
    mutating func remove(_ position: Position, from column: ColumnKey) {
        if ends[column] == position { ends[column] = nil }
    }

    mutating func forgetAll() {
        ends.removeAll(keepingCapacity: true)
    }
}
