import Kanban
import KanbanAccess
import Locks
import Turns

/// Lets a few exports run at a time: an old snapshot keeps the store from cutting its log, and what a client has not read
/// yet is in memory. The others wait for their turn.
package final class ExportQueue: Sendable {
    package init() {}

    private static let mostWaitingOfOne = 8

    private let turns = AccountWorkers(
        FairQueue(limit: 16, ofOneAccount: 2), at: .caller)
    /// Those that read, by their numbers.
    private let pipes = Locked<(running: [UInt64: PiecePipe], count: UInt64)>(([:], 0))

    /// False when too many of the account wait.
    func hasRoom(for account: AccountKey) -> Bool {
        turns.waiting(of: account) < Self.mostWaitingOfOne
    }

    /// Returns when it is the caller's turn. The caller then has to call ``leave(_:)``.
    /// - Throws: `CancellationError`.
    func enter(_ account: AccountKey) async throws {
        try await turns.enter(account)
    }

    func leave(_ account: AccountKey) {
        turns.leave(account)
    }

    /// Remembers an export that has begun to read, for ``cutOff()``.
    func began(_ pipe: PiecePipe) -> UInt64 {
        pipes.withLock { pipes in
            pipes.count += 1
            pipes.running[pipes.count] = pipe
            return pipes.count
        }
    }

    func ended(_ number: UInt64) {
        pipes.withLock { _ = $0.running.removeValue(forKey: number) }
    }

    /// Ends all exports that run: they hold old snapshots, for which the store's log grows. Their clients see that the
    /// answer is cut off.
    package func cutOff() {
        for pipe in pipes.withLock({ Array($0.running.values) }) { pipe.abandon() }
    }
}
