import Foundation
import Kanban
import KanbanAccess
import Locks

/// Runs long reads on threads of their own and of low priority, a few at a time. The others wait in a ``FairQueue``.
final class LongReadQueue: Sendable {
    private struct Job {
        var run: @Sendable () -> Void
        var cancel: @Sendable () -> Void
    }

    private struct State {
        var queue: FairQueue<Job>
        var done = StoreActivity.Work()
    }

    private let state: Locked<State>

    init(limit: Int) {
        state = Locked(State(queue: FairQueue(limit: limit)))
    }

    /// Fills in what the long reads do.
    func report(to activity: inout StoreActivity) {
        (activity.longReads, activity.waitingReads) = state.withLock { ($0.done, $0.queue.count) }
    }

    /// - Throws: what the body does, or `CancellationError` when the caller was cancelled before it began.
    func run<T: Sendable>(for account: AccountKey, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        let ticket = state.withLock { $0.queue.makeTicket() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job { [self] in
                    let start = ContinuousClock.now
                    let result = Result(catching: body)
                    state.withLock { $0.done.add(since: start) }
                    continuation.resume(with: result)
                } cancel: {
                    continuation.resume(throwing: CancellationError())
                }
                start(job, of: account, ticket)
            }
        } onCancel: {
            // A job that was cancelled before it waits is run all the same.
            state.withLock { $0.queue.remove(ticket) }?.cancel()
        }
    }

    private func start(_ job: Job, of account: AccountKey, _ ticket: UInt64) {
        let next = state.withLock { state in
            state.queue.add(job, of: account, ticket: ticket)
            return state.queue.next()
        }
        guard let next else { return }
        Thread.detachNewThread {
            ThreadPriority.lower()
            self.work(through: next)
        }
    }

    /// Runs the job and then those that wait. The thread ends after them: to make one takes 20 µs, and what runs here
    /// takes more.
    private func work(through first: (account: AccountKey, element: Job)) {
        var next: (account: AccountKey, element: Job)? = first
        while let (account, job) = next {
            job.run()
            next = state.withLock { state in
                state.queue.end(account)
                return state.queue.next()
            }
        }
    }
}
