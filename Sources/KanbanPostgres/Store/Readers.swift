import Dispatch
import Foundation
import Kanban
import KanbanAccess
import Locks

/// Connections that read, each for one body at a time, on blocking threads. When all are busy, bodies wait in a
/// ``FairQueue``.
final class Readers: Sendable {
    private struct Job {
        var run: @Sendable (Reader) -> Void
        var refuse: @Sendable (any Error) -> Void
    }

    /// Unchecked: used only by the thread that took it.
    private final class Reader: @unchecked Sendable {
        var connection: PostgresConnection?
    }

    private struct State {
        var queue: FairQueue<Job>
        var idle: [Reader] = []
        var isClosed = false
        var reads = 0
        var time = Duration.zero
    }

    private let options: PostgresConnection.Options
    private let configuration: PostgresConfiguration
    private let queue: DispatchQueue
    private let state: Locked<State>
    private let mostWaitingOfOne: Int

    /// How long a read tries to reach the database before it fails.
    private static let timeout = Duration.seconds(2)

    /// - Parameters:
    ///   - reserve: connections beyond the limit, for accounts that come back while others have a backlog.
    ///   - mostWaitingOfOne: bodies of one account that may wait; more are ``StoreError/busy``.
    init(
        limit: Int, reserve: Int = 0, mostWaitingOfOne: Int = .max, _ configuration: PostgresConfiguration,
        _ options: PostgresConnection.Options, label: String
    ) {
        state = Locked(State(queue: FairQueue(limit: limit, reserve: reserve)))
        self.mostWaitingOfOne = mostWaitingOfOne
        self.configuration = configuration
        self.options = options
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    var figures: (reads: Int, time: Duration, waiting: Int) {
        state.withLock { ($0.reads, $0.time, $0.queue.count) }
    }

    /// Runs the body in a snapshot of its own. It may be run again when the connection is lost.
    /// - Throws: the error of the body, ``StoreError``, or `CancellationError` when the caller cancelled before it began.
    func run<T: Sendable>(
        for account: AccountKey, _ body: @escaping @Sendable (PostgresConnection) throws -> T
    ) async throws -> T {
        let (ticket, isClosed) = state.withLock { state in
            (state.queue.makeTicket(), state.isClosed)
        }
        if isClosed { throw StoreError.closed }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job { [self] reader in
                    let start = ContinuousClock.now
                    let result = Result { try read(with: reader, body) }
                    let time = ContinuousClock.now - start
                    state.withLock { state in
                        state.reads += 1
                        state.time += time
                        state.queue.end(account, cost: max(1, Int(time / .microseconds(1))))
                    }
                    continuation.resume(with: result)
                } refuse: {
                    continuation.resume(throwing: $0)
                }
                if !start(job, of: account, ticket) { continuation.resume(throwing: StoreError.busy) }
            }
        } onCancel: {
            // A body that has begun runs to its end.
            state.withLock { $0.queue.remove(ticket) }?.refuse(CancellationError())
        }
    }

    /// Answers the bodies that wait for a connection.
    func refuseWaiting(_ error: StoreError) {
        let jobs = state.withLock { $0.queue.removeWaiting() }
        for job in jobs { job.refuse(error) }
    }

    /// - Returns: false when too many bodies of the account wait.
    private func start(_ job: Job, of account: AccountKey, _ ticket: UInt64) -> Bool {
        let (isTaken, next, reader) = state.withLock { state -> (Bool, Job?, Reader) in
            guard state.queue.count(of: account) < mostWaitingOfOne else { return (false, nil, Reader()) }
            state.queue.add(job, of: account, ticket: ticket)
            guard let next = state.queue.next() else { return (true, nil, Reader()) }
            return (true, next.element, state.idle.popLast() ?? Reader())
        }
        if let next { queue.async { self.work(through: next, with: reader) } }
        return isTaken
    }

    /// Runs the job, then the waiting ones.
    private func work(through first: Job, with reader: Reader) {
        var next: Job? = first
        while let job = next {
            job.run(reader)
            next = state.withLock { state in
                let next = state.queue.next()?.element
                if next == nil, !state.isClosed { state.idle.append(reader) }
                return next
            }
        }
    }

    /// Closes the idle connections; busy ones close after their body.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.connection = nil }
    }

    private func read<T>(with reader: Reader, _ body: (PostgresConnection) throws -> T) throws -> T {
        let end = ContinuousClock.now + Self.timeout
        while true {
            do {
                let connection = try reader.connection ?? PostgresConnection(options)
                reader.connection = connection
                return try Self.snapshot(on: connection, body)
            } catch let error as PostgresError {
                // After any error: the tables may have been changed under its prepared statements.
                reader.connection = nil
                guard error.endsConnection || error.isTransient || error.isOfPooler, ContinuousClock.now < end else {
                    throw configuration.storeError(of: error)
                }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    /// All statements of the body see one snapshot. It ends with the body, because PostgreSQL cannot remove old versions of
    /// rows while a snapshot is open.
    static func snapshot<T>(on connection: PostgresConnection, _ body: (PostgresConnection) throws -> T) throws -> T {
        do {
            try connection.begin(readOnly: true)
            let result = try body(connection)
            try connection.endReading()
            return result
        } catch {
            // The error above is the one to report; a connection that stays in a transaction is not used again.
            try? connection.rollBack()
            throw error
        }
    }
}
