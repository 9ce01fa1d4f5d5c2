import Foundation
import Kanban
import KanbanRows
import Locks

/// How the board stands with the server.
extension BoardCore {
    func setPhase(_ phase: SyncStatus.Phase, reason: KanbanError?) {
        state.withLock { ($0.phase, $0.reason) = (phase, reason) }
        notifier.notify([.status])
    }

    func countLoaded(_ done: Int, of total: Int?) {
        let isLoading = state.withLock { state in
            guard case .loading = state.phase else { return false }
            state.phase = .loading(done: done, of: total.map { max($0, done) })
            return true
        }
        if isLoading { notifier.notify([.status]) }
    }

    func setFromDevice(_ isFromDevice: Bool) {
        let isNews = state.withLock { state in
            defer { state.isFromDevice = isFromDevice }
            return state.isFromDevice != isFromDevice
        }
        guard isNews else { return }
        notifier.notify([.status])
        // The feed does not tell of the account. Once for each start is enough, for few devices change it.
        if !isFromDevice, account != nil { Task { [self] in await refreshAccount() } }
    }

    /// Changes come as they are made.
    var isLive: Bool { state.withLock { $0.phase == .live } }

    func status(_ reader: SQLiteBoard) throws -> SyncStatus {
        let (phase, reason, isFromDevice) = state.withLock { ($0.phase, $0.reason, $0.isFromDevice) }
        let lastSync = try reader.connection.state(.lastSync).flatMap(Int64.init)
        return SyncStatus(
            phase: phase, reason: reason, pendingEdits: try reader.connection.pendingCount(),
            lastSync: lastSync.map { Date(Timestamp(milliseconds: $0)) }, isFromDevice: isFromDevice)
    }
}
