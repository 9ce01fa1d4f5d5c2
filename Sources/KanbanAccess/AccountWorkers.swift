import Kanban
import Turns

/// Work for accounts that takes too long for an event loop, such as searches and large bodies.
package typealias AccountWorkers = Workers<FairQueue<AccountKey, WaitingJob>>

extension AccountWorkers {
    /// Jobs beyond the limit, for accounts that come back while others have a backlog.
    package static var reserve: Int { 1 }

    /// For long work. Of one account 32 jobs may wait: a page that opens asks for a handful of things.
    /// - Parameter limit: jobs that run at a time, and ``reserve`` more.
    package static func order(limit: Int) -> FairQueue<AccountKey, WaitingJob> {
        FairQueue(limit: limit, reserve: reserve, mostWaitingOfOne: 32)
    }

    /// Too many jobs of an account are ``StoreError/busy``.
    /// - Parameter limit: see ``order(limit:)``.
    package convenience init(limit: Int) {
        self.init(Self.order(limit: limit), busy: StoreError.busy)
    }
}
