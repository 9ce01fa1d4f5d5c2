import Kanban

/// A column of an account.
struct ColumnKey: Hashable {
    var account: Int64
    var status: TaskStatus
}

/// The last places of columns, as far as they are known. New tasks go to the end, and to ask the index for it is a
/// thirtieth of what a new task takes.
///
/// What is known stays right as long as every change of a place is told, so it outlives a transaction of the only writer.
struct ColumnEnds {
    private var ends: [ColumnKey: Position] = [:]

    /// How many columns are known.
    var count: Int { ends.count }

    /// The place of the last living task; `nil`: unknown, or there is none.
    subscript(_ column: ColumnKey) -> Position? { ends[column] }

    /// Takes in what the index says.
    mutating func learn(_ end: Position, of column: ColumnKey) {
        ends[column] = end
    }

    /// A task has come into the column, or a place of it has changed to this one.
    mutating func add(_ position: Position, to column: ColumnKey) {
        if let end = ends[column], end < position { ends[column] = position }
    }

    /// A task has left the place.
    mutating func remove(_ position: Position, from column: ColumnKey) {
        if ends[column] == position { ends[column] = nil }
    }

    mutating func forgetAll() {
        ends.removeAll(keepingCapacity: true)
    }
}
