import Foundation

/// What a ``Live`` reads of its board.
enum LiveQuery: Hashable {
    case tasks(TaskList)
    case today(TimeZone)
    case upcoming(limit: Int)
    case counts, categories, ddays, settings, trash, undoState, status, issues
}

extension Live: Equatable {
    /// Two are equal when they read the same of the same board: a view that is made anew goes on with the one that it follows.
    public static func == (one: Live, other: Live) -> Bool {
        one.doorbell === other.doorbell && one.query == other.query
    }
}
