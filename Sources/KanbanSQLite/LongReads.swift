import Foundation
import Kanban
import Locks

/// Runs what may take long on threads of its own and of low priority, a few at a time. The others wait, those of an account
/// of which nothing runs first, and otherwise in order: an account that searches all the time must not keep the others from
/// theirs.
final class LongReads: Sendable {
    private struct Job {
        var ticket: UInt64
        var account: AccountKey
        var run: @Sendable () -> Void
        var cancel: @Sendable () -> Void
    }

    private struct State {
        var running: [AccountKey] = []
        var waiting: [Job] = []
        var tickets: UInt64 = 0
        var done = StoreActivity.Work()

        /// Takes out the one whose turn it is.
        mutating func next() -> Job? {
            guard !waiting.isEmpty else { return nil }
            let job = waiting.remove(at: waiting.firstIndex { !running.contains($0.account) } ?? 0)
            running.append(job.account)
            return job
        }

        mutating func end(_ account: AccountKey) {
            if let place = running.firstIndex(of: account) { running.remove(at: place) }
        }
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Fills in what the long reads do.
    func report(to activity: inout StoreActivity) {
        (activity.longReads, activity.waitingReads) = state.withLock { ($0.done, $0.waiting.count) }
    }

    /// - Throws: what the body does, or `CancellationError` when nobody wants it any more before it began.
    func run<T: Sendable>(for account: AccountKey, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job(ticket: ticket, account: account) { [self] in
                    let start = ContinuousClock.now
                    let result = Result(catching: body)
                    state.withLock { $0.done.add(since: start) }
                    continuation.resume(with: result)
                } cancel: {
                    continuation.resume(throwing: CancellationError())
                }
                start(job)
            }
        } onCancel: {
            // One that does not wait yet is run, for once.
            let job = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
            }
            job?.cancel()
        }
    }

    private func start(_ job: Job) {
        let next = state.withLock { state in
            state.waiting.append(job)
            return state.running.count < limit ? state.next() : nil
        }
        guard let next else { return }
        Thread.detachNewThread {
            ThreadPriority.lower()
            self.work(through: next)
        }
    }

    /// Runs the job and then those that wait. The thread ends after them: to make one takes 20 µs, and what runs here
    /// takes more.
    private func work(through first: Job) {
        var next: Job? = first
        while let job = next {
            job.run()
            next = state.withLock { state in
                state.end(job.account)
                return state.next()
            }
        }
    }
}
