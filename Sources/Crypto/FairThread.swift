import Dispatch
import Foundation
import Locks

/// Runs work on one thread of low priority, in turns by client: work that takes too long for an event loop.
///
/// Fair queueing: each job gets a virtual finish time, which is the finish of the client's last job (or now, if that is
/// later) plus its cost. The smallest runs next; when too many wait, the largest is refused. So one client with many
/// jobs cannot keep others waiting. The networks around a client's have a share each, too: the latest finish counts, so that
/// many clients of one network wait for each other before they make others wait.
package final class FairThread: Sendable {
    /// The job was not run: too many wait, or it was cancelled.
    package struct Busy: Error {
        package init() {}
    }

    private let worker: Worker

    /// - Parameter capacity: how many jobs may wait.
    package init(capacity: Int) {
        worker = Worker(capacity: capacity)
    }

    deinit {
        worker.stop()
    }

    /// How many jobs wait, for tests.
    package var waitingCount: Int { worker.waitingCount }

    /// Runs `work` on the thread. A job that waits is dropped when its task is cancelled.
    /// - Parameters:
    ///   - client: the client whose share it uses: an address, or the network of one.
    ///   - cost: how much of it.
    ///   - isKnown: whether it has shares apart from those of strangers in its networks.
    /// - Throws: ``Busy``.
    package func run<T: Sendable>(
        for client: String, cost: Int = 1, isKnown: Bool = false, _ work: @escaping @Sendable () -> T
    ) async throws(Busy) -> T {
        let ticket = worker.ticket()
        defer { worker.forget(ticket) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<T?, Never>) in
                worker.add(
                    Job(
                        ticket: ticket, shares: Self.shares(of: client, isKnown: isKnown), cost: cost,
                        run: { continuation.resume(returning: work()) },
                        refuse: { continuation.resume(returning: nil) }))
            }
        } onCancel: {
            worker.cancel(ticket)
        }
        guard let result else { throw Busy() }
        return result
    }

    /// Who has an account is known at it, too: known clients have shares like all others, so that one of them cannot keep the
    /// rest waiting.
    private static func shares(of client: String, isKnown: Bool) -> [String] {
        isKnown ? shares(of: client).map { "known \($0)" } : shares(of: client)
    }

    /// The client, and the networks around it: those of 24 and 16 bits (IPv4), or of 56, 48 and 32 bits (IPv6).
    static func shares(of client: String) -> [String] {
        let address = client.prefix { $0 != "/" }
        guard address.contains(":") else {
            let parts = address.split(separator: ".")
            guard parts.count == 4 else { return [client] }
            return [client, parts.prefix(3).joined(separator: "."), parts.prefix(2).joined(separator: ".")]
        }
        // As ``SocketAddress/network`` writes it: four groups, or fewer before `::`.
        let left = (address.split(separator: "::", omittingEmptySubsequences: false).first ?? "").split(separator: ":")
        let groups = (left + [Substring](repeating: "0", count: max(0, 4 - left.count))).prefix(4)
        let last = groups.last.flatMap { UInt16($0, radix: 16) } ?? 0
        return [
            client, groups.prefix(3).joined(separator: ":") + ":\(last >> 8)/56",
            groups.prefix(3).joined(separator: ":") + "/48", groups.prefix(2).joined(separator: ":") + "/32",
        ]
    }

    private struct Job: Sendable {
        let ticket: UInt64
        let shares: [String]
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
            /// The finish of the last job of each share, while jobs wait.
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
                job.finish = job.shares.reduce(now) { max($0, finishes[$1] ?? 0) } + job.cost
                // Each share grows by the cost alone: one that waits for a wider one must not wait twice.
                for share in job.shares { finishes[share] = max(now, finishes[share] ?? 0) + job.cost }
                waiting.append(job)
            }

            mutating func remove(at index: Int) -> Job {
                let job = waiting.remove(at: index)
                for share in job.shares { finishes[share]? -= job.cost }
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
