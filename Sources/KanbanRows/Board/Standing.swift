import Kanban

/// What an account's row counts. An object, so that a change of it takes no look-up. Used by its session alone.
final class Standing {
    struct Counters {
        var feed: FeedState
        var usage: Usage
        var limits: OwnLimits
    }

    let number: Int64
    var counters: Counters
    /// Whether the transaction has changed it, and its feed.
    var isChanged = false
    var isFeedChanged = false

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
