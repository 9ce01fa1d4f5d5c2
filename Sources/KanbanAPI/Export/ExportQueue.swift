import Kanban
import Locks

/// Lets a few exports run at a time, since an old snapshot keeps the store's log from being cut and what a client has not
/// taken yet is in memory; fewer still of one account. The others wait in line.
package final class ExportQueue: Sendable {
    package init() {}

    private struct State {
        var running: [AccountKey: Int] = [:]
        /// Those that read, by their numbers.
        var pipes: [UInt64: PiecePipe] = [:]
        var waiting: [(ticket: UInt64, account: AccountKey, turn: CheckedContinuation<Void, any Error>)] = []
        var tickets: UInt64 = 0
        /// Given up before they stood in line.
        var cancelled: Set<UInt64> = []
    }

    private static let most = 16
    private static let mostOfOne = 2
    /// How many of one account may wait.
    private static let longest = 8

    private let state = Locked(State())

    /// False when so many of the account wait that another one had better come later.
    func hasRoom(for account: AccountKey) -> Bool {
        state.withLock { $0.waiting.count { $0.account == account } < Self.longest }
    }

    /// Returns when it is the caller's turn, who then has to ``leave(_:)``.
    /// - Throws: `CancellationError`.
    func enter(_ account: AccountKey) async throws {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(ticket) != nil { return true }
                    state.waiting.append((ticket, account, turn))
                    return false
                }
                if isCancelled { turn.resume(throwing: CancellationError()) }
                letIn()
            }
        } onCancel: {
            let waiting = state.withLock { state in
                guard let place = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                    // Not in line yet, or in already: then there is one more number to forget.
                    state.cancelled.insert(ticket)
                    return nil as CheckedContinuation<Void, any Error>?
                }
                return state.waiting.remove(at: place).turn
            }
            waiting?.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.cancelled.remove(ticket) }
    }

    func leave(_ account: AccountKey) {
        state.withLock { state in
            state.running[account] = state.running[account].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
        letIn()
    }

    /// Remembers an export that has begun to read, for ``cutOff()``.
    func began(_ pipe: PiecePipe) -> UInt64 {
        state.withLock { state in
            state.tickets += 1
            state.pipes[state.tickets] = pipe
            return state.tickets
        }
    }

    func ended(_ number: UInt64) {
        state.withLock { _ = $0.pipes.removeValue(forKey: number) }
    }

    /// Ends all exports that run: they hold old snapshots, for which the store's log grows. Their clients see that they
    /// were cut off.
    package func cutOff() {
        for pipe in state.withLock({ Array($0.pipes.values) }) { pipe.abandon() }
    }

    private func letIn() {
        while let turn = state.withLock({ Self.next(&$0) }) { turn.resume() }
    }

    /// Takes out the first one that may run.
    private static func next(_ state: inout State) -> CheckedContinuation<Void, any Error>? {
        guard state.running.values.reduce(0, +) < most,
            let place = state.waiting.firstIndex(where: { state.running[$0.account, default: 0] < mostOfOne })
        else { return nil }
        let next = state.waiting.remove(at: place)
        state.running[next.account, default: 0] += 1
        return next.turn
    }
}
