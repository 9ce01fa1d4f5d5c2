import Foundation
import Kanban
import Turns

/// Work for accounts that takes too long for an event loop, such as searches and large bodies.
package typealias AccountWorkers = Workers<FairQueue<AccountKey, WaitingJob>>

extension AccountWorkers {
    /// Jobs beyond the limit, for accounts that come back while others have a backlog.
    package static var reserve: Int { 1 }

    /// How many run at a time, and ``reserve`` more: short requests find half of the processors free of them.
    package static let limit = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)

    /// For long work. Of one account 128 jobs may wait: a hundred devices that come back at once each ask for what they missed.
    package static var order: FairQueue<AccountKey, WaitingJob> {
        FairQueue(limit: limit, reserve: reserve, mostWaitingOfOne: 128)
    }

    /// Too many jobs of an account are ``StoreError/busy``.
    package convenience init() {
        self.init(Self.order, busy: StoreError.busy)
    }
}
