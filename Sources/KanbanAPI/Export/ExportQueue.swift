import Kanban
import KanbanAccess
import Locks

/// Lets a few exports run at a time: an old snapshot keeps the store from cutting its log, and what a client has not read
/// yet is in memory. The others wait in a ``FairQueue``.
package final class ExportQueue: Sendable {
    package init() {}

    private struct State {
        var queue = FairQueue<CheckedContinuation<Void, any Error>>(
            limit: ExportQueue.most, ofOneAccount: ExportQueue.mostOfOne)
        /// Those that read, by their numbers.
        var pipes: [UInt64: PiecePipe] = [:]
        var pipeCount: UInt64 = 0
        /// Tickets of callers that were cancelled before they waited.
        var cancelled: Set<UInt64> = []
    }

    private static let most = 16
    private static let mostOfOne = 2
    private static let mostWaitingOfOne = 8

    private let state = Locked(State())

    /// False when too many of the account wait.
    func hasRoom(for account: AccountKey) -> Bool {
        state.withLock { $0.queue.count(of: account) < Self.mostWaitingOfOne }
    }

    /// Returns when it is the caller's turn. The caller then has to call ``leave(_:)``.
    /// - Throws: `CancellationError`.
    func enter(_ account: AccountKey) async throws {
        let ticket = state.withLock { $0.queue.makeTicket() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(ticket) != nil { return true }
                    state.queue.add(turn, of: account, ticket: ticket)
                    return false
                }
                if isCancelled { turn.resume(throwing: CancellationError()) }
                letIn()
            }
        } onCancel: {
            let waiting = state.withLock { state in
                let turn = state.queue.remove(ticket)
                // It does not wait yet, or runs already: then there is one more number to forget.
                if turn == nil { state.cancelled.insert(ticket) }
                return turn
            }
            waiting?.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.cancelled.remove(ticket) }
    }

    func leave(_ account: AccountKey) {
        state.withLock { $0.queue.end(account) }
        letIn()
    }

    /// Remembers an export that has begun to read, for ``cutOff()``.
    func began(_ pipe: PiecePipe) -> UInt64 {
        state.withLock { state in
            state.pipeCount += 1
            state.pipes[state.pipeCount] = pipe
            return state.pipeCount
        }
    }

    func ended(_ number: UInt64) {
        state.withLock { _ = $0.pipes.removeValue(forKey: number) }
    }

    /// Ends all exports that run: they hold old snapshots, for which the store's log grows. Their clients see that the
    /// answer is cut off.
    package func cutOff() {
        for pipe in state.withLock({ Array($0.pipes.values) }) { pipe.abandon() }
    }

    private func letIn() {
        while let (_, turn) = state.withLock({ $0.queue.next() }) { turn.resume() }
    }
}
