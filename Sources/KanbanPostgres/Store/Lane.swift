import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks

/// A connection that writes. The waiting writes of an account share a transaction. An account always has the same lane; lanes
/// of different servers exclude one another by the lock of the account's row.
///
/// Unchecked: what is mutable is `waiting`, behind its lock, and the session, which only `queue` touches.
final class Lane: @unchecked Sendable {
    private struct Waiting {
        var jobs: [any LaneJob] = []
        var isAwake = false
        var isClosed = false

        /// The jobs of the account that waits longest. The rest of them move behind the jobs of other accounts, so that an
        /// account with many writes does not delay the others.
        mutating func take(atMost count: Int) -> [any LaneJob]? {
            guard let account = jobs.first?.account else { return nil }
            let own = jobs.filter { $0.account == account }
            jobs.removeAll { $0.account == account }
            jobs += own.dropFirst(count)
            return Array(own.prefix(count))
        }
    }

    /// An open connection.
    private struct Session {
        let writing: WriteSession<PostgresConnection>
        let lineage: Lineage
        /// Opened for each transaction, behind a pooler that gives each transaction another session.
        let limits: [String]
    }

    /// A body wrote something and threw: each body runs in a transaction of its own.
    private struct Apart: Error {}

    /// The outcome of jobs that ran.
    private enum Settlement {
        case answered
        /// Each must run alone.
        case apart([any LaneJob])
        /// Another transaction locked their account for too long.
        case later([any LaneJob])
    }

    /// The most bodies that share a transaction.
    private static let batchLimit = 64
    /// The pause between two tries to reach the database.
    private static let pause = 0.05

    private let queue: DispatchQueue
    private let configuration: PostgresConfiguration
    private let context: BoardContext
    private let publish: @Sendable ([AccountKey]) -> Void
    private let waiting = Locked(Waiting())
    private let done: Locked<PostgresStore.Activity>
    private let ids: IDSource
    private var open: Session?
    private var marks: CommitMarks
    /// The running commit; `nil` when it wrote nothing.
    private var sent: CommitMarks.Mark?

    init(
        _ number: Int, _ configuration: PostgresConfiguration, context: BoardContext,
        done: Locked<PostgresStore.Activity>,
        publish: @escaping @Sendable ([AccountKey]) -> Void
    ) {
        queue = DispatchQueue(label: "kanbase.lane-\(number)", qos: .userInitiated)
        self.configuration = configuration
        self.context = context
        self.done = done
        self.publish = publish
        ids = IDSource(random: configuration.random)
        marks = CommitMarks(lane: ids.next(at: configuration.clock()))
    }

    var waitingCount: Int { waiting.withLock { $0.jobs.count } }

    // MARK: - Asking

    func perform<T: Sendable>(
        _ account: AccountKey, session: ID? = nil, needs: WriteNeeds = WriteNeeds(),
        within timeout: Duration = .seconds(5),
        _ body: @escaping @Sendable (PostgresBoardWriter) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let job = PendingBody(
                account: account, session: session, needs: needs, due: .now + timeout, body: body,
                continuation: continuation)
            let (isClosed, wasAwake) = waiting.withLock { waiting in
                guard !waiting.isClosed else { return (true, true) }
                waiting.jobs.append(job)
                defer { waiting.isAwake = true }
                return (false, waiting.isAwake)
            }
            if isClosed { job.answer(failure: StoreError.closed) }
            if !wasAwake { queue.async { self.work() } }
        }
    }

    /// Answers all accepted jobs, and refuses new ones.
    func close() {
        waiting.withLock { $0.isClosed = true }
        queue.sync {
            work()
            open = nil
        }
    }

    /// Answers the waiting jobs.
    func refuseWaiting(_ error: StoreError) {
        let jobs = waiting.withLock { waiting in
            defer { waiting.jobs = [] }
            return waiting.jobs
        }
        for job in jobs { job.answer(failure: error) }
    }

    // MARK: - Working

    private func work() {
        while let jobs = nextBatch() {
            switch settle(jobs) {
            case .answered: break
            case .apart(let jobs):
                for job in jobs { if case .later(let jobs) = settle([job]) { putBack(jobs) } }
            case .later(let jobs): putBack(jobs)
            }
        }
    }

    private func nextBatch() -> [any LaneJob]? {
        waiting.withLock { waiting in
            guard let jobs = waiting.take(atMost: Self.batchLimit) else {
                waiting.isAwake = false
                return nil
            }
            return jobs
        }
    }

    /// Adds them behind the waiting jobs.
    private func putBack(_ jobs: [any LaneJob]) {
        waiting.withLock { $0.jobs += jobs }
    }

    /// Runs the jobs in one transaction and answers them. Retries while the database is unreachable and their time is not over.
    private func settle(_ all: [any LaneJob]) -> Settlement {
        var jobs = all
        var conflicts = 0
        var trouble = "it did not come to its turn in time"
        while true {
            let now = ContinuousClock.now
            for job in jobs where job.due <= now { job.answer(failure: StoreError.away(trouble)) }
            jobs.removeAll { $0.due <= now }
            guard let due = jobs.map(\.due).max() else { return .answered }
            do {
                try transact(jobs)
                for job in jobs { job.answer() }
                return .answered
            } catch is Apart {
                return .apart(jobs)
            } catch let error as PostgresError where error.endsConnection {
                trouble = error.description
                switch outcome(for: jobs[0].account, until: due) {
                case .applied?:
                    for job in jobs { job.answer() }
                    return .answered
                case .unknown?:
                    for job in jobs { job.answer(failure: StoreError.unsettled(trouble)) }
                    return .answered
                case .notApplied?, nil: Thread.sleep(forTimeInterval: Self.pause)
                }
            } catch let error as PostgresError {
                undo()
                trouble = error.description
                if error.isLockTimeOut {
                    endHungSessions()
                    return .later(jobs)
                }
                if jobs.count > 1, !error.isTransient { return .apart(jobs) }
                conflicts += 1
                guard error.isTransient || error.isTwin && conflicts < 3 else {
                    if error.isReadOnly { open = nil }
                    for job in jobs { job.answer(failure: error.storeError) }
                    return .answered
                }
            } catch {
                undo()
                for job in jobs { job.answer(failure: error) }
                return .answered
            }
        }
    }

    private enum CommitOutcome {
        case applied, notApplied
        /// The database did not come back in time, or the lost session still holds its lock.
        case unknown
    }

    /// The outcome of a commit without an answer; `nil` when no commit was sent that wrote something.
    private func outcome(for account: AccountKey, until due: ContinuousClock.Instant) -> CommitOutcome? {
        let wasSent = open?.writing.connection.commitWasSent == true
        open = nil
        guard wasSent, let sent else { return nil }
        while ContinuousClock.now < due {
            do {
                let writing = try opened().writing
                try writing.begin()
                // The lost session keeps the same lock until its transaction ends.
                if account == .nobody {
                    _ = try lockAccess(in: writing.connection)
                } else {
                    try wait(for: account, on: writing.connection)
                }
                let isApplied = try marks.isWritten(sent, on: writing.connection)
                try writing.rollBack()
                guard isApplied else { return .notApplied }
                publish(account == .nobody ? [] : [account])
                return .applied
            } catch {
                // The database is still unreachable, or the lost session still runs.
                undo()
            }
            Thread.sleep(forTimeInterval: Self.pause)
        }
        return .unknown
    }

    /// Ends the sessions of lanes that are idle in the middle of a transaction and hold its locks. PostgreSQL's own limits do not
    /// apply to them, because its clock runs only between a Sync and the next statement. If the server of such a session is
    /// still alive, it runs the transaction again.
    private func endHungSessions() {
        do {
            guard let connection = open?.writing.connection else { return }
            let statement = try connection.statement(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = current_user AND wait_event = 'ClientRead'
                    AND application_name = current_setting('application_name') AND xact_start IS NOT NULL
                    AND state_change < clock_timestamp() - interval '2 seconds'
                """)
            defer { statement.reset() }
            guard try statement.step(), statement.integer(0) > 0 else { return }
            configuration.report(
                "a server stood still in a transaction, whose session was ended", "\(statement.integer(0)) sessions")
        } catch {
            // The next time-out tries it again.
            undo()
        }
    }

    private func undo() {
        // A session that cannot be reset is closed.
        do { try open?.writing.rollBack() } catch { open = nil }
    }

    private func opened() throws -> Session {
        if let open { return open }
        let options = configuration.options(for: "lane", lockTime: 500)
        let connection = try PostgresConnection(options)
        let session = Session(
            writing: WriteSession(connection), lineage: try Lineage(of: connection),
            limits: options.setUp.map { $0.replacing("SET ", with: "SET LOCAL ") })
        open = session
        return session
    }

    // MARK: - A transaction

    private func transact(_ jobs: [any LaneJob]) throws {
        let start = ContinuousClock.now
        let session = try opened()
        let writing = session.writing
        let account = jobs[0].account
        sent = nil
        try writing.begin()
        if !configuration.prepares { for limit in session.limits { try writing.connection.run(limit) } }
        writing.forgetStandings()
        let sentBefore = writing.connection.allChanges
        let now =
            try account == .nobody ? lockAccess(in: writing.connection) : lock(account, for: jobs, in: session)
        for job in jobs { try run(job, of: jobs.count, in: writing, at: now) }
        let ended = writing.takeEndings()
        for account in ended { try note(endingOf: account, in: writing) }
        if writing.connection.allChanges != sentBefore { sent = try marks.writeNext(at: now, on: writing.connection) }
        let changed = try writing.commit(at: now).map(\.account)
        done.withLock { done in
            done.commits += 1
            done.writes += jobs.count
            done.time += .now - start
        }
        publish(changed + ended)
    }

    /// Throws only errors that end the transaction.
    private func run(
        _ job: any LaneJob, of count: Int, in writing: WriteSession<PostgresConnection>, at now: Timestamp
    ) throws {
        let mark = writing.mark
        do {
            try job.run(
                on: PostgresBoardWriter(
                    account: job.account, session: job.session, now: now, context: context, writing: writing, ids: ids))
        } catch {
            try writing.connection.requireSound()
            let hasWritten = writing.hasWritten(since: mark)
            job.fail(error)
            if hasWritten, count > 1 {
                try writing.rollBack()
                throw Apart()
            }
            if hasWritten { throw error }
            writing.forget(since: mark)
        }
        try writing.connection.requireSound()
    }

    /// Takes the account's row, so that nobody else writes its board until the commit, and reads what the jobs need in the
    /// same round trip: the server runs these statements once it has given the lock.
    /// - Returns: the time of the transaction.
    private func lock(_ account: AccountKey, for jobs: [any LaneJob], in session: Session) throws -> Timestamp {
        let connection = session.writing.connection
        let statement = try session.writing.connection.statement(
            """
            SELECT epoch, revision, purged_through, used_bytes, used_tasks, written_at,
                floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, lineage, bytes_limit, tasks_limit
            FROM accounts WHERE number = ?1 FOR NO KEY UPDATE
            """)
        statement.bind(1, account.number)
        defer { statement.reset() }
        try statement.sendAhead()
        let needed = try NeededRows(of: jobs.map(\.needs), account: account, on: connection)
        defer { needed.reset() }
        guard try statement.step() else { throw StoreError.noAccount }
        var feed = FeedState(
            epoch: UInt64(bitPattern: statement.integer(0)), revision: statement.integer(1),
            purgedThrough: statement.integer(2))
        let usage = Usage(bytes: statement.integer(3), tasks: statement.integer(4))
        let now = max(date(statement.timestamp(6)), statement.timestamp(5))
        let lineage = statement.optionalText(7)
        let limits = OwnLimits(bytes: statement.optionalInteger(8), tasks: statement.optionalInteger(9))
        session.writing.learn(feed, usage, limits, of: account)
        try needed.take(
            by: PostgresBoardWriter(
                account: account, session: nil, now: now, context: context, writing: session.writing, ids: ids))
        guard configuration.durability == .asynchronous, lineage != session.lineage.text else { return now }
        if lineage != nil {
            // The last acknowledged writes may be lost, and their revisions must not be used again.
            feed.epoch = ids.newEpoch()
            feed.revision = max(feed.revision + 1, now.milliseconds)
            try session.writing.setFeed(feed, of: account)
        }
        let update = try session.writing.connection.statement("UPDATE accounts SET lineage = ?2 WHERE number = ?1")
        update.bind(1, account.number)
        update.bind(2, session.lineage.text)
        try update.run()
        return now
    }

    /// Locks the account's row alone; without a row there is nothing to wait for.
    private func wait(for account: AccountKey, on connection: PostgresConnection) throws {
        let statement = try connection.statement("SELECT 1 FROM accounts WHERE number = ?1 FOR NO KEY UPDATE")
        statement.bind(1, account.number)
        defer { statement.reset() }
        _ = try statement.step()
    }

    /// Takes the one lock for writes of accounts, which all servers share.
    /// - Returns: the time of the transaction.
    private func lockAccess(in connection: PostgresConnection) throws -> Timestamp {
        let statement = try connection.statement(
            composed: """
                SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
                FROM pg_advisory_xact_lock(\(AdvisoryLock.access), \(AdvisoryLock.scope))
                """)
        defer { statement.reset() }
        guard try statement.step() else { throw StoreError.away("no lock was given") }
        return date(statement.timestamp(0))
    }

    private func date(_ moment: Timestamp) -> Timestamp {
        configuration.datesByClock ? configuration.clock() : moment
    }

    private func note(endingOf account: AccountKey, in writing: WriteSession<PostgresConnection>) throws {
        let statement = try writing.connection.statement("UPDATE accounts SET endings = endings + 1 WHERE number = ?1")
        statement.bind(1, account.number)
        try statement.run()
    }
}
