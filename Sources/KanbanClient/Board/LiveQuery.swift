import Foundation

/// What a ``Live`` reads of its board.
enum LiveQuery: Hashable {
    case tasks(TaskList)
    case today(TimeZone)
    case upcoming(limit: Int)
    case task(KanbanID)
    /// A value that no board has.
    case constant
    case counts, categories, ddays, settings, trash, deletedCategories, deletedDDays, undoState, status, issues, account
}

extension Live: Equatable {
    /// Two are equal when they read the same of the same board: a view that is rebuilt goes on with the value that it follows.
    public static func == (one: Live, other: Live) -> Bool {
        if case .constant = one.query, case .constant = other.query { return one.hasSameValue(as: other) }
        return one.notifier === other.notifier && one.query == other.query
    }

    private func hasSameValue(as other: Live) -> Bool {
        switch (Result { try current() }, Result { try other.current() }) {
        case (.success(let mine), .success(let theirs)): isSame(mine, theirs)
        case (.failure(let mine), .failure(let theirs)): mine as? KanbanError == theirs as? KanbanError
        default: false
        }
    }
}
