import Foundation
import Kanban
import Locks

/// Runs exports, each on a thread of its own, so that a slow client holds up nobody. There are few at a time, since an
/// old snapshot keeps the store's log from being cut, fewer still of one account, and the others wait in line.
package final class ExportLine: Sendable {
    private struct State {
        var running: [AccountKey: Int] = [:]
        var waiting: [(account: AccountKey, body: @Sendable () -> Void)] = []
    }

    private static let most = 8
    private static let mostOfOne = 2
    private static let longest = 64

    private let state = Locked(State())

    /// False when so many wait that another one had better come later.
    var hasRoom: Bool { state.withLock { $0.waiting.count < Self.longest } }

    /// Runs the body when it is its turn. It may block.
    func run(for account: AccountKey, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting.append((account, body)) }
        startAll()
    }

    private func startAll() {
        while let (account, body) = state.withLock({ Self.next(&$0) }) {
            Thread.detachNewThread { [self] in
                body()
                state.withLock { $0.running[account] = $0.running[account].flatMap { $0 > 1 ? $0 - 1 : nil } }
                startAll()
            }
        }
    }

    /// Takes out the first one that may run.
    private static func next(_ state: inout State) -> (account: AccountKey, body: @Sendable () -> Void)? {
        guard state.running.values.reduce(0, +) < most,
            let place = state.waiting.firstIndex(where: { state.running[$0.account, default: 0] < mostOfOne })
        else { return nil }
        let next = state.waiting.remove(at: place)
        state.running[next.account, default: 0] += 1
        return next
    }
}
