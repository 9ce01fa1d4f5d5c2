import Kanban
import Locks

/// A part of the replica that a view may show.
enum Region: Hashable, Sendable, CaseIterable {
    case tasks, categories, ddays, settings, outbox, issues, undo, status, account
    /// Another account's board is shown.
    case board

    init(_ type: ResourceType) {
        switch type {
        case .task: self = .tasks
        case .category: self = .categories
        case .dday, .image: self = .ddays
        case .settings: self = .settings
        }
    }
}

/// Tells waiters that regions changed, not how: they read again. Several notifications while a waiter is busy count as one.
final class RegionNotifier: Sendable {
    private struct Waiter {
        var regions: Set<Region>
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var versions: [Region: UInt64] = [:]
        var waiters: [UInt64: Waiter] = [:]
        var cancelled: Set<UInt64> = []
        var nextNumber: UInt64 = 0
        var isClosed = false
    }

    private let state = Locked(State())

    /// The number of notifications for these regions. Read it before the replica, so that a later change counts again.
    func version(of regions: Set<Region>) -> UInt64 {
        state.withLock { state in regions.reduce(0) { $0 + state.versions[$1, default: 0] } }
    }

    func notify(_ regions: Set<Region>) {
        guard !regions.isEmpty else { return }
        let woken = state.withLock { state in
            for region in regions { state.versions[region, default: 0] += 1 }
            let woken = state.waiters.filter { !$0.value.regions.isDisjoint(with: regions) }
            for number in woken.keys { state.waiters[number] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Wakes all waiters; they see `isClosed`.
    func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Returns when the version is another one, the notifier is closed, or the task is cancelled.
    func wait(for regions: Set<Region>, after version: UInt64) async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let now = regions.reduce(0) { $0 + state.versions[$1, default: 0] }
                    if state.isClosed || now != version || state.cancelled.remove(number) != nil { return true }
                    state.waiters[number] = Waiter(regions: regions, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil { state.cancelled.insert(number) }
                return waiter
            }
            waiter?.continuation.resume()
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }
}
