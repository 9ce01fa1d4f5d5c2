import Kanban

/// The counters of an account's row, and the ends of the columns of its board, as a write session knows them. An object, so
/// that a change of it takes no look-up. Used by its session alone.
final class CachedAccount {
    struct Counters {
        var feed: FeedState
        var usage: Usage
        var limits: OwnLimits
    }

    /// How many tasks without a category each column gains in the transaction.
    struct TaskChange {
        private(set) var todo = 0
        private(set) var doing = 0
        private(set) var done = 0

        mutating func add(_ count: Int, to status: TaskStatus) {
            switch status {
            case .todo: todo += count
            case .doing: doing += count
            case .done: done += count
            }
        }
    }

    let number: Int64
    // Not checked for overlapping access: what changes them calls no code of others.
    @exclusivity(unchecked) var counters: Counters
    @exclusivity(unchecked) var ends = ColumnEnds()
    /// For engines that count tasks in accounts.
    @exclusivity(unchecked) var tasks = TaskChange()
    /// True if the transaction has changed the account.
    @exclusivity(unchecked) var isChanged = false
    /// True if the transaction has changed the feed of the account.
    @exclusivity(unchecked) var isFeedChanged = false

    init(_ account: AccountKey, _ counters: Counters) {
        number = account.number
        self.counters = counters
    }
}

/// What tasks are counted by.
struct CountKey: Hashable {
    var account: Int64
    var categoryID: ID?
    var status: TaskStatus
}

struct CountChange {
    var key: CountKey
    var by: Int
}
