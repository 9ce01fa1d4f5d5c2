import Foundation
import Kanban
import Locks

/// Runs work that takes too long for an event loop on threads of its own and of low priority, a few jobs at a time. The
/// others wait in a ``FairQueue``.
package final class Workers: Sendable {
    private struct Job {
        var run: @Sendable () -> Void
        var cancel: @Sendable () -> Void
    }

    private struct State {
        var queue: FairQueue<Job>
        var count = 0
        var time = Duration.zero
    }

    /// Jobs of one account that may wait. A page that opens asks for a handful of things.
    package static let mostWaitingOfOne = 32

    /// Jobs beyond the limit, for accounts that come back while others have a backlog.
    package static let reserve = 1

    private let state: Locked<State>

    /// - Parameter limit: jobs that run at a time, and ``reserve`` more.
    package init(limit: Int) {
        state = Locked(State(queue: FairQueue(limit: limit, reserve: Self.reserve)))
    }

    /// The jobs done, the time they took, and how many wait.
    package var figures: (count: Int, time: Duration, waiting: Int) {
        state.withLock { ($0.count, $0.time, $0.queue.count) }
    }

    /// - Throws: what the body does, `CancellationError` when the caller was cancelled before it began, or
    ///   ``StoreError/busy`` when too many jobs of the account wait.
    package func run<T: Sendable>(
        for account: AccountKey, _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        let ticket = state.withLock { $0.queue.makeTicket() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job { [self] in
                    let start = ContinuousClock.now
                    let result = Result(catching: body)
                    ended(account, after: .now - start)
                    continuation.resume(with: result)
                } cancel: {
                    continuation.resume(throwing: CancellationError())
                }
                if !start(job, of: account, ticket) { continuation.resume(throwing: StoreError.busy) }
            }
        } onCancel: {
            // A job that was cancelled before it waits is run all the same.
            state.withLock { $0.queue.remove(ticket) }?.cancel()
        }
    }

    /// - Returns: false when too many of the account wait.
    private func start(_ job: Job, of account: AccountKey, _ ticket: UInt64) -> Bool {
        let (isTaken, next) = state.withLock { state -> (Bool, Job?) in
            guard state.queue.count(of: account) < Self.mostWaitingOfOne else { return (false, nil) }
            state.queue.add(job, of: account, ticket: ticket)
            return (true, state.queue.next()?.element)
        }
        if let next {
            Thread.detachNewThread {
                ThreadPriority.lower()
                self.work(through: next)
            }
        }
        return isTaken
    }

    /// Counts before the caller goes on, so that the figures hold its job.
    private func ended(_ account: AccountKey, after time: Duration) {
        state.withLock { state in
            state.count += 1
            state.time += time
            state.queue.end(account, cost: max(1, Int(time / .microseconds(1))))
        }
    }

    /// Runs the job and then those that wait. The thread ends after them: to make one takes 20 µs, and what runs here
    /// takes more.
    private func work(through first: Job) {
        var next: Job? = first
        while let job = next {
            job.run()
            next = state.withLock { $0.queue.next()?.element }
        }
    }
}
