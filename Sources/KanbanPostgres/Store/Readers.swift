import Dispatch
import Foundation
import Kanban
import KanbanAccess
import Locks
import Turns

/// Connections that read, each for one body at a time, on blocking threads. When all are busy, bodies wait for their turn.
final class Readers: Sendable {
    /// Unchecked: used only by the thread that took it.
    private final class Reader: @unchecked Sendable {
        var connection: PostgresConnection?
    }

    private let options: PostgresConnection.Options
    private let configuration: PostgresConfiguration
    private let workers: AccountWorkers
    private let state = Locked((idle: [Reader](), isClosed: false))

    /// How long a read tries to reach the database before it fails.
    private static let timeout = Duration.seconds(2)

    /// - Parameter order: of the bodies; those that it refuses are ``StoreError/busy``.
    init(
        _ order: sending FairQueue<AccountKey, WaitingJob>, _ configuration: PostgresConfiguration,
        _ options: PostgresConnection.Options, label: String
    ) {
        workers = Workers(
            order, at: .queue(DispatchQueue(label: label, attributes: .concurrent)), busy: StoreError.busy)
        self.configuration = configuration
        self.options = options
    }

    var figures: (count: Int, time: Duration, waiting: Int) { workers.figures }

    /// Runs the body in a snapshot of its own. It may be run again when the connection is lost.
    /// - Throws: the error of the body, ``StoreError``, or `CancellationError` when the caller cancelled before it began.
    func run<T: Sendable>(
        for account: AccountKey, _ body: @escaping @Sendable (PostgresConnection) throws -> T
    ) async throws -> T {
        if state.withLock({ $0.isClosed }) { throw StoreError.closed }
        return try await workers.run(for: account) { [self] in
            let reader = state.withLock { $0.idle.popLast() } ?? Reader()
            defer { state.withLock { if !$0.isClosed { $0.idle.append(reader) } } }
            return try read(with: reader, body)
        }
    }

    /// Answers the bodies that wait for a connection.
    func refuseWaiting(_ error: StoreError) {
        workers.refuseWaiting(error)
    }

    /// Closes the idle connections; busy ones close after their body.
    func close() {
        state.withLock { $0 = ([], true) }
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
                // A second time it would take as long.
                if error.isTimeOut { throw StoreError.tooLong }
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
