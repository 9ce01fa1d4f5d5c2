import Dispatch
import Kanban
import Sockets

/// Reads the versions of accounts on an event loop, so that neither another thread nor a task is between a request and its
/// answer. One query for all requests of a turn, sent at its end; those that come while it runs share the next.
///
/// While it has no connection its callers ask ``VersionChecks``, which waits for the database.
// Unchecked because all of it is for the loop's thread only, which debug builds check.
final class LoopVersionChecks: WatchHandler, @unchecked Sendable {
    private typealias Caller = (account: Int64, report: (AccountVersion?) -> Void)

    private let loop: EventLoop
    private let options: PostgresConnection.Options
    /// How long a query may take before its callers ask elsewhere.
    private let patience: Duration
    /// Called at the end of each query, with the number of its callers.
    private let count: (Int) -> Void
    private var open: (connection: PostgresConnection, watch: Watch)?
    private var isConnecting = false
    private var isClosed = false
    private var nextAttempt = Instant.now
    /// Those that wait for the next query, and those of the running one.
    private var waiting: [Caller] = []
    private var asked: [Caller] = []
    private var query: PostgresStatement?
    private var isScheduled = false

    /// The callers of a query: its text must fit into the socket's buffer, because the loop does not wait for room.
    private static let callerLimit = 1_000
    /// Between two attempts to connect.
    private static let pause = Duration.seconds(1)
    /// Between two looks at a connection that is not in use; ends nothing.
    private static let rest = Duration.seconds(3_600)

    init(
        _ loop: EventLoop, _ options: PostgresConnection.Options, patience: Duration, count: @escaping (Int) -> Void
    ) {
        self.loop = loop
        self.options = options
        self.patience = patience
        self.count = count
    }

    /// - Returns: false without a connection; then `report` is not called.
    func checkVersion(of account: AccountKey, _ report: @escaping (AccountVersion?) -> Void) -> Bool {
        loop.assertIsCurrent()
        guard open != nil else {
            connect()
            return false
        }
        waiting.append((account.number, report))
        schedule()
        return true
    }

    /// Sends the callers elsewhere. From any thread.
    func giveUp() {
        loop.execute { self.fail() }
    }

    /// From any thread.
    func close() {
        loop.execute {
            self.isClosed = true
            self.fail()
        }
    }

    // MARK: - The connection

    /// Connecting blocks: not on the loop.
    private func connect() {
        guard !isConnecting, !isClosed, loop.now >= nextAttempt else { return }
        isConnecting = true
        DispatchQueue.global().async { [self, options] in
            // `try?`: the callers ask `VersionChecks`, which meets the same error. Unsafe: handed over, nobody else has it.
            nonisolated(unsafe) let connection = try? PostgresConnection(options)
            loop.execute { self.connected(connection) }
        }
    }

    private func connected(_ connection: PostgresConnection?) {
        isConnecting = false
        nextAttempt = loop.now + Self.pause
        guard let connection, !isClosed else { return }
        // libpq leaves bytes in the kernel when its buffer is full.
        let watch = Watch(connection.descriptor, on: loop, isLevelTriggered: true)
        // `try?`: without room for another descriptor the callers ask `VersionChecks`.
        guard (try? watch.start(self)) != nil else { return }
        open = (connection, watch)
        watch.wait(for: .reading, until: loop.now + Self.rest)
    }

    private func fail() {
        query = nil
        open?.watch.stop()
        // After the watch, which needs the descriptor.
        open = nil
        nextAttempt = loop.now + Self.pause
        let callers = asked + waiting
        (asked, waiting) = ([], [])
        for caller in callers { caller.report(nil) }
    }

    // MARK: - Asking

    /// At most one query runs: the callers that gather meanwhile share the next.
    private func schedule() {
        guard !isScheduled, asked.isEmpty, !waiting.isEmpty else { return }
        isScheduled = true
        loop.atEndOfTurn { [self] in ask() }
    }

    private func ask() {
        isScheduled = false
        guard asked.isEmpty, !waiting.isEmpty, let open else { return }
        swap(&asked, &waiting)
        if asked.count > Self.callerLimit {
            waiting = Array(asked[Self.callerLimit...])
            asked.removeSubrange(Self.callerLimit...)
        }
        do {
            let accounts = asked.count == 1 ? [asked[0].account] : Array(Set(asked.map(\.account)))
            let query = try VersionChecks.query(accounts, on: open.connection)
            self.query = query
            try query.sendAhead()
            try open.connection.sendSync()
            open.watch.wait(for: .reading, until: loop.now + patience)
        } catch {
            fail()
        }
    }

    func becameReady() {
        guard let open else { return }
        open.watch.exhausted(.reading)
        do {
            guard try open.connection.takeArrived(), let query, !asked.isEmpty else {
                return open.watch.wait(for: .reading, until: loop.now + (asked.isEmpty ? Self.rest : patience))
            }
            var found: [Int64: AccountVersion] = [:]
            while query.stepArrived() {
                let (account, version) = VersionChecks.version(in: query)
                found[account] = version
            }
            query.reset()
            let callers = asked
            asked = []
            open.watch.wait(for: .reading, until: loop.now + Self.rest)
            count(callers.count)
            schedule()
            for caller in callers { caller.report(found[caller.account]) }
        } catch {
            fail()
        }
    }

    func timedOut() {
        if asked.isEmpty { open?.watch.wait(for: .reading, until: loop.now + Self.rest) } else { fail() }
    }

    func peerEnded() {}

    func connectionBroke() {}
}
