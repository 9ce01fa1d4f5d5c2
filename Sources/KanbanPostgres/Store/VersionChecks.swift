import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks

/// Reads the versions of accounts, one query for all callers: while a query runs, the next callers gather. A query sees
/// every write that was acknowledged before it was sent, so it answers only callers that asked before it was sent.
///
/// On a thread and a connection of its own: with the query in a reader's queue, requests for kept answers would wait for
/// those that read.
final class VersionChecks: Sendable {
    private typealias Waiting = CheckedContinuation<AccountVersion?, any Error>

    private struct State {
        /// The callers by account: those that wait for the next query, and those of the running one.
        var waiting: [Int64: [Waiting]] = [:]
        var asked: [Int64: [Waiting]] = [:]
        var isAwake = false
        var isClosed = false
        var queries = 0
        var checks = 0

        mutating func takeAll() -> [Waiting] {
            defer { (waiting, asked) = ([:], [:]) }
            return asked.values.flatMap(\.self) + waiting.values.flatMap(\.self)
        }
    }

    private let configuration: PostgresConfiguration
    private let options: PostgresConnection.Options
    private let state = Locked(State())
    private let wakeUp = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// How long a query tries to reach the database.
    private static let timeout = Duration.seconds(2)

    init(_ configuration: PostgresConfiguration, _ options: PostgresConnection.Options) {
        self.configuration = configuration
        self.options = options
        let thread = Thread { self.work() }
        thread.name = "kanbase.version-checks"
        thread.start()
    }

    /// The number of queries, and of the callers they answered.
    var figures: (queries: Int, checks: Int) {
        state.withLock { ($0.queries, $0.checks) }
    }

    /// The version of the account, with every write acknowledged before the call; `nil` when there is no such account.
    func version(of account: AccountKey) async throws -> AccountVersion? {
        try await withCheckedThrowingContinuation { continuation in
            let (isClosed, wasAwake) = state.withLock { state in
                guard !state.isClosed else { return (true, true) }
                state.waiting[account.number, default: []].append(continuation)
                defer { state.isAwake = true }
                return (false, state.isAwake)
            }
            if isClosed { continuation.resume(throwing: StoreError.closed) }
            if !wasAwake { wakeUp.signal() }
        }
    }

    /// Answers all waiting callers.
    func refuseWaiting(_ error: StoreError) {
        for waiting in state.withLock({ $0.takeAll() }) { waiting.resume(throwing: error) }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
        ended.wait()
        refuseWaiting(.closed)
    }

    // MARK: - On the thread

    private func work() {
        var connection: PostgresConnection?
        defer { ended.signal() }
        while true {
            let (accounts, isClosed) = state.withLock { state in
                (state.asked, state.waiting) = (state.waiting, [:])
                state.isAwake = !state.asked.isEmpty
                return (Array(state.asked.keys), state.isClosed)
            }
            if isClosed { return }
            guard !accounts.isEmpty else {
                wakeUp.wait()
                continue
            }
            let found = Result { try ask(accounts, &connection) }
            let asked = state.withLock { state in
                defer { state.asked = [:] }
                state.queries += 1
                for waiting in state.asked.values { state.checks += waiting.count }
                return state.asked
            }
            for (account, all) in asked {
                for waiting in all { waiting.resume(with: found.map { $0[account] }) }
            }
        }
    }

    private func ask(
        _ accounts: [Int64], _ connection: inout PostgresConnection?
    ) throws -> [Int64: AccountVersion] {
        let end = ContinuousClock.now + Self.timeout
        while true {
            do {
                let open = try connection ?? PostgresConnection(options)
                connection = open
                return try Self.ask(accounts, on: open)
            } catch let error as PostgresError {
                // After any error the connection is replaced: keeping the sound ones is not worth the code.
                connection = nil
                guard error.endsConnection || error.isTransient || error.isOfPooler, ContinuousClock.now < end else {
                    throw configuration.storeError(of: error)
                }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    private static func ask(
        _ accounts: [Int64], on connection: PostgresConnection
    ) throws -> [Int64: AccountVersion] {
        let statement = try query(accounts, on: connection)
        return Dictionary(uniqueKeysWithValues: try statement.all(version(in:)))
    }

    static func query(_ accounts: [Int64], on connection: PostgresConnection) throws -> PostgresStatement {
        let statement = try connection.statement(
            "SELECT number, epoch, revision, purged_through, endings FROM accounts WHERE number = ANY (?1::text::bigint[])"
        )
        statement.bind(1, "{" + accounts.map(String.init).joined(separator: ",") + "}")
        return statement
    }

    static func version(in row: PostgresStatement) -> (account: Int64, AccountVersion) {
        let account = row.integer()
        let feed = FeedState(
            epoch: UInt64(bitPattern: row.integer()), revision: row.integer(), purgedThrough: row.integer())
        return (account, AccountVersion(feed: feed, endings: row.integer()))
    }
}
