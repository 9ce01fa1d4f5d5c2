import Dispatch
import Foundation
import Locks

/// Hashes passwords on one thread of low priority, so that requests to boards do not wait for hashing.
///
/// Fair queueing: each job gets a virtual finish time, which is the finish of the client's last job (or now, if that is
/// later) plus the cost of its purpose; a log-in costs less than a sign-up. The smallest runs next; when the queue is
/// full, the largest is refused. So one client with many jobs cannot keep others from logging in.
package final class PasswordHashQueue: Sendable {
    /// The purpose of hashing.
    package enum Purpose: Int, Sendable {
        case logIn = 1
        case signUp = 8

        fileprivate var cost: Int { rawValue }
    }

    /// The job was not run: too many wait, or its client disconnected.
    package struct Busy: Error {
        package init() {}
    }

    private let worker: Worker

    /// - Parameter capacity: how many jobs may wait.
    package init(capacity: Int = 64) {
        worker = Worker(capacity: capacity)
    }

    deinit {
        worker.stop()
    }

    /// How many jobs wait, for tests.
    package var waitingCount: Int { worker.waitingCount }

    /// Runs `work` on the queue's thread. A job that waits is dropped when its task is cancelled.
    /// - Parameter client: the client whose share it uses.
    /// - Throws: ``Busy``.
    package func run<T: Sendable>(
        _ purpose: Purpose, for client: String, _ work: @escaping @Sendable () -> T
    ) async throws -> T {
        let ticket = worker.ticket()
        defer { worker.forget(ticket) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                worker.add(
                    Job(
                        ticket: ticket, client: client, cost: purpose.cost,
                        run: { continuation.resume(returning: work()) },
                        refuse: { continuation.resume(throwing: Busy()) }))
            }
        } onCancel: {
            worker.cancel(ticket)
        }
    }

    private struct Job: Sendable {
        let ticket: UInt64
        let client: String
        let cost: Int
        /// In virtual time.
        var finish = 0
        let run: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    /// The state that the thread and its owner share; the thread must not keep the owner alive.
    private final class Worker: Sendable {
        private struct State {
            var waiting: [Job] = []
            /// The finish of each client's last job, while jobs wait.
            var finishes: [String: Int] = [:]
            /// The start of the running job, in virtual time.
            var now = 0
            var tickets: UInt64 = 0
            var isRunning = false
            var hasThread = false
            var isStopped = false
            /// Jobs that were cancelled before they were added.
            var cancelled: Set<UInt64> = []

            mutating func insert(_ job: Job) {
                var job = job
                job.finish = max(now, finishes[job.client] ?? 0) + job.cost
                finishes[job.client] = job.finish
                waiting.append(job)
            }

            mutating func remove(at index: Int) -> Job {
                let job = waiting.remove(at: index)
                finishes[job.client]? -= job.cost
                return job
            }

            mutating func next() -> Job? {
                guard let first = waiting.indices.min(by: { waiting[$0].finish < waiting[$1].finish }) else {
                    (finishes, now, isRunning) = ([:], 0, false)
                    return nil
                }
                let job = waiting.remove(at: first)
                now = max(now, job.finish - job.cost)
                isRunning = true
                return job
            }
        }

        private let capacity: Int
        private let state = Locked(State())
        private let signal = DispatchSemaphore(value: 0)

        init(capacity: Int) {
            self.capacity = capacity
        }

        var waitingCount: Int { state.withLock { $0.waiting.count } }

        func ticket() -> UInt64 {
            state.withLock { state in
                state.tickets += 1
                return state.tickets
            }
        }

        func add(_ job: Job) {
            let (refused, isFirst) = state.withLock { state -> (Job?, isFirst: Bool) in
                // A job that need not wait runs even if the client has closed its side of the connection: it may still
                // read.
                let isCancelled = state.cancelled.remove(job.ticket) != nil
                if isCancelled, state.isRunning || !state.waiting.isEmpty { return (job, false) }
                state.insert(job)
                defer { state.hasThread = true }
                guard state.waiting.count > capacity + (state.isRunning ? 0 : 1),
                    let last = state.waiting.indices.max(by: { state.waiting[$0].finish < state.waiting[$1].finish })
                else { return (nil, !state.hasThread) }
                return (state.remove(at: last), false)
            }
            if isFirst { Thread.detachNewThread { self.serve() } }
            if refused?.ticket != job.ticket { signal.signal() }
            refused?.refuse()
        }

        func cancel(_ ticket: UInt64) {
            let job = state.withLock { state -> Job? in
                guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                    // Not added yet, or running: remember the number.
                    state.cancelled.insert(ticket)
                    return nil
                }
                return state.remove(at: index)
            }
            job?.refuse()
        }

        /// Forgets the number of a job that was cancelled while it ran.
        func forget(_ ticket: UInt64) {
            state.withLock { _ = $0.cancelled.remove(ticket) }
        }

        /// Ends the thread after the waiting jobs.
        func stop() {
            state.withLock { $0.isStopped = true }
            signal.signal()
        }

        private func serve() {
            ThreadPriority.lower()
            while true {
                signal.wait()
                while let job = state.withLock({ $0.next() }) { job.run() }
                if state.withLock({ $0.isStopped }) { return }
            }
        }
    }
}
