import Dispatch
import Locks

/// Runs what may take long on threads of its own, a few at a time; the others wait in order.
final class LongReads: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        var done = StoreActivity.Work()
    }

    private let limit: Int
    private let queue = DispatchQueue(label: "kanbase.long-reads", attributes: .concurrent)
    private let state = Locked(State())

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Fills in what the long reads do.
    func report(to activity: inout StoreActivity) {
        (activity.longReads, activity.waitingReads) = state.withLock { ($0.done, $0.waiting.count) }
    }

    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let job: @Sendable () -> Void = { [self] in
                let start = ContinuousClock.now
                let result = Result(catching: body)
                state.withLock { $0.done.add(since: start) }
                continuation.resume(with: result)
            }
            let starts = state.withLock { state in
                guard state.running < limit else {
                    state.waiting.append(job)
                    return false
                }
                state.running += 1
                return true
            }
            if starts { queue.async { self.work(through: job) } }
        }
    }

    /// Runs the job and then those that wait.
    private func work(through first: @escaping @Sendable () -> Void) {
        var next: (@Sendable () -> Void)? = first
        while let job = next {
            job()
            next = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.running -= 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
        }
    }
}
