import Locks

/// The part of a connection's share of the ``MemoryBudget`` that its handler takes: for a decompressed body and what is
/// parsed of it. It is given back after the handler.
package final class HandlerRoom: Sendable {
    private struct State {
        var budget: MemoryBudget?
        var claim: MemoryBudget.Claim?
        /// Bytes of the body as it came.
        var base = 0
        var taken = 0
    }

    private let state = Locked(State())

    package init() {}

    func open(_ budget: MemoryBudget, _ claim: MemoryBudget.Claim, holding base: Int) {
        state.withLock { $0 = State(budget: budget, claim: claim, base: base) }
    }

    /// Takes more bytes, from any thread.
    /// - Returns: false when there is no room for them. Always true where no connection opened it, as in tests.
    package func take(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard let budget = state.budget, let claim = state.claim else { return true }
            guard budget.hold(state.base + state.taken + bytes, for: claim) else { return false }
            state.taken += bytes
            return true
        }
    }

    /// Gives back what the handler took.
    func close() {
        state.withLock { state in
            // To hold less is never refused.
            if let budget = state.budget, let claim = state.claim { _ = budget.hold(state.base, for: claim) }
            state = State()
        }
    }
}
