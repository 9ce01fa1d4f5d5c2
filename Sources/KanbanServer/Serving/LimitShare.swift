import KanbanAPI
import Locks

/// Divides the rate limit among the servers that share a database.
final class LimitShare: Sendable {
    private struct State {
        var servers = 1
        var gate: AccountGate?
    }

    private let state = Locked(State())

    func apply(to gate: AccountGate) {
        state.withLock { state in
            state.gate = gate
            gate.shareLimit(among: state.servers)
        }
    }

    func note(servers: Int) {
        state.withLock { state in
            state.servers = servers
            state.gate?.shareLimit(among: servers)
        }
    }
}
