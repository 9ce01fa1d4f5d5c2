import Dispatch
import Foundation
import Locks

/// Runs work that takes too long for an event loop, a few jobs at a time. The others wait in an order that is fair to clients.
///
/// Inlinable, so that it is specialized in the modules that use it: otherwise a job took three times as long to hand over.
@usableFromInline
package final class Workers<Order: TurnOrder>: Sendable where Order.Element == WaitingJob {
    @usableFromInline
    struct State {
        @usableFromInline var order: Order
        @usableFromInline var tickets: UInt64 = 0
        /// Tickets of callers that were cancelled before their job was added, or while it runs.
        @usableFromInline var cancelled: Set<UInt64> = []
        @usableFromInline var count = 0
        @usableFromInline var time = Duration.zero
    }

    @usableFromInline let state: Locked<State>
    @usableFromInline let place: WorkPlace
    @usableFromInline let busy: any Error

    /// - Parameter busy: the error for a job that there is no room for.
    package init(_ order: sending Order, at place: WorkPlace = .threads, busy: any Error = Busy()) {
        state = Locked(State(order: order))
        self.place = place
        self.busy = busy
    }

    /// The jobs done, the time they took, and how many wait.
    @inlinable
    package var figures: (count: Int, time: Duration, waiting: Int) {
        state.withLock { ($0.count, $0.time, $0.order.count) }
    }

    /// How many jobs of the account wait.
    @inlinable
    package func waiting<Account>(of account: Account) -> Int where Order == FairQueue<Account, WaitingJob> {
        state.withLock { $0.order.count(of: account) }
    }

    /// - Throws: what the body does, `CancellationError` when the caller was cancelled while the job waited, or the error for a
    ///   job that there is no room for.
    @inlinable
    package func run<T: Sendable>(
        for client: Order.Client, _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await wait(for: client) { [self] continuation in
            let start = ContinuousClock.now
            let result = Result(catching: body)
            // Before the caller goes on, so that the figures hold its job.
            let next = end(client, after: .now - start)
            continuation.resume(with: result)
            return next
        }
    }

    /// Returns when it is the caller's turn, who then has to call ``leave(_:)``.
    /// - Throws: as ``run(for:_:)``.
    @inlinable
    package func enter(_ client: Order.Client) async throws {
        try await wait(for: client) { [self] continuation in
            continuation.resume()
            return state.withLock { $0.order.next() }
        }
    }

    @inlinable
    package func leave(_ client: Order.Client) {
        // Each turn costs the same, however long the caller had it.
        start(end(client, after: .milliseconds(1)))
    }

    /// Answers the jobs that wait.
    @inlinable
    package func refuseWaiting(_ error: any Error) {
        for job in state.withLock({ $0.order.removeWaiting() }) { job.refuse(error) }
    }

    @inlinable
    func wait<T: Sendable>(
        for client: Order.Client, _ turn: @escaping @Sendable (CheckedContinuation<T, any Error>) -> WaitingJob?
    ) async throws -> T {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        defer { state.withLock { _ = $0.cancelled.remove(ticket) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(
                    WaitingJob(run: { turn(continuation) }, refuse: { continuation.resume(throwing: $0) }), of: client,
                    ticket)
            }
        } onCancel: {
            let waiting = state.withLock { state in
                let job = state.order.remove(ticket)
                if job == nil { state.cancelled.insert(ticket) }
                return job
            }
            waiting?.refuse(CancellationError())
        }
    }

    @inlinable
    func add(_ job: WaitingJob, of client: Order.Client, _ ticket: UInt64) {
        let (isCancelled, refused, next) = state.withLock { state -> (Bool, WaitingJob?, WaitingJob?) in
            // A job that need not wait runs even if the client has closed its side of the connection: it may still read.
            if state.cancelled.contains(ticket), !state.order.hasTurn(for: client) { return (true, nil, nil) }
            let refused = state.order.add(job, of: client, ticket: ticket)
            return (false, refused, state.order.next())
        }
        if isCancelled { job.refuse(CancellationError()) }
        refused?.refuse(busy)
        start(next)
    }

    /// - Returns: the job whose turn it is then.
    @inlinable
    func end(_ client: Order.Client, after time: Duration) -> WaitingJob? {
        state.withLock { state in
            state.count += 1
            state.time += time
            state.order.end(client, cost: max(1, Int(time / .microseconds(1))))
            return state.order.next()
        }
    }

    /// Runs the job and then those that wait.
    @usableFromInline
    func start(_ first: WaitingJob?) {
        guard let first else { return }
        switch place {
        case .caller: first.runWithFollowing()
        case .queue(let queue): queue.async { first.runWithFollowing() }
        case .threads:
            // The thread ends after them: to make one takes 20 µs, and what runs here takes more.
            Thread.detachNewThread {
                ThreadPriority.lower()
                first.runWithFollowing()
            }
        }
    }
}

/// Where ``Workers`` run their jobs.
@usableFromInline
package enum WorkPlace: Sendable {
    /// On threads of their own and of low priority.
    case threads
    case queue(DispatchQueue)
    /// Where the turn is given: for jobs that only tell somebody that it is their turn.
    case caller
}

/// What waits for its turn in ``Workers``.
@usableFromInline
package struct WaitingJob: Sendable {
    /// Returns the job whose turn it is then.
    @usableFromInline let run: @Sendable () -> WaitingJob?
    @usableFromInline let refuse: @Sendable (any Error) -> Void

    @usableFromInline
    init(run: @escaping @Sendable () -> WaitingJob?, refuse: @escaping @Sendable (any Error) -> Void) {
        self.run = run
        self.refuse = refuse
    }

    fileprivate func runWithFollowing() {
        var next: WaitingJob? = self
        while let job = next { next = job.run() }
    }
}

/// The job was not run: too many wait.
@usableFromInline
package struct Busy: Error {
    @inlinable
    package init() {}
}
