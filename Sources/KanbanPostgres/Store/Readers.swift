import Dispatch
import Foundation
import Kanban
import Locks

/// Connections that read, each for one body at a time, on threads that wait. The bodies that find none free wait, those of an
/// account of which nothing runs first, and otherwise in order.
final class Readers: Sendable {
    private struct Job {
        var ticket: UInt64
        var account: AccountKey
        var run: @Sendable (Reader) -> Void
        var cancel: @Sendable () -> Void
    }

    /// Unchecked: used only by the thread that took it.
    private final class Reader: @unchecked Sendable {
        var connection: PostgresConnection?
    }

    private struct State {
        var running: [AccountKey] = []
        var waiting: [Job] = []
        var idle: [Reader] = []
        var tickets: UInt64 = 0
        var isClosed = false
        var reads = 0
        var time = Duration.zero

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
    private let options: PostgresConnection.Options
    private let queue: DispatchQueue
    private let state = Locked(State())

    /// How long a read tries to reach the database.
    private static let patience = Duration.seconds(2)

    init(limit: Int, _ options: PostgresConnection.Options, label: String) {
        self.limit = max(1, limit)
        self.options = options
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    var figures: (reads: Int, time: Duration, waiting: Int) {
        state.withLock { ($0.reads, $0.time, $0.waiting.count) }
    }

    /// Runs the body in a snapshot of its own. It may be run again when the connection is lost.
    /// - Throws: what the body does, ``StoreError``, or `CancellationError` when nobody wants it any more before it began.
    func run<T: Sendable>(
        for account: AccountKey, _ body: @escaping @Sendable (PostgresConnection) throws -> T
    ) async throws -> T {
        let (ticket, isClosed) = state.withLock { state in
            state.tickets += 1
            return (state.tickets, state.isClosed)
        }
        if isClosed { throw StoreError.closed }
        let options = options
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job(ticket: ticket, account: account) { [state] reader in
                    let start = ContinuousClock.now
                    let result = Result { try Self.read(with: reader, options, body) }
                    state.withLock { state in
                        state.reads += 1
                        state.time += .now - start
                    }
                    continuation.resume(with: result)
                } cancel: {
                    continuation.resume(throwing: CancellationError())
                }
                start(job)
            }
        } onCancel: {
            // One that does not wait any more runs to its end.
            let job = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
            }
            job?.cancel()
        }
    }

    private func start(_ job: Job) {
        let (next, reader) = state.withLock { state -> (Job?, Reader) in
            state.waiting.append(job)
            guard state.running.count < limit, let next = state.next() else { return (nil, Reader()) }
            return (next, state.idle.popLast() ?? Reader())
        }
        if let next { queue.async { self.work(through: next, with: reader) } }
    }

    /// Runs the job and then those that wait.
    private func work(through first: Job, with reader: Reader) {
        var next: Job? = first
        while let job = next {
            job.run(reader)
            next = state.withLock { state in
                state.end(job.account)
                let next = state.next()
                if next == nil, !state.isClosed { state.idle.append(reader) }
                return next
            }
        }
    }

    /// Ends the idle connections; those that read end with their reading.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.connection = nil }
    }

    private static func read<T>(
        with reader: Reader, _ options: PostgresConnection.Options, _ body: (PostgresConnection) throws -> T
    ) throws -> T {
        let end = ContinuousClock.now + patience
        while true {
            do {
                let connection = try reader.connection ?? PostgresConnection(options)
                reader.connection = connection
                return try snapshot(on: connection, body)
            } catch let error as PostgresError {
                if reader.connection?.isInTransaction != false || error.endsConnection { reader.connection = nil }
                guard error.endsConnection || error.isTransient, ContinuousClock.now < end else {
                    throw error.storeError
                }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    /// All statements of the body see the same moment; it ends with the body, for an open snapshot keeps the old versions of
    /// rows that are written often.
    static func snapshot<T>(on connection: PostgresConnection, _ body: (PostgresConnection) throws -> T) throws -> T {
        do {
            try connection.begin(readOnly: true)
            let result = try body(connection)
            try connection.commit()
            return result
        } catch {
            // The error above is the one to report; a connection that stays in a transaction is not used again.
            try? connection.rollBack()
            throw error
        }
    }
}
