import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks

/// A connection that writes: what waits of one account shares a transaction. An account has the same lane always; lanes of
/// different servers meet at the lock of the account's row.
///
/// Unchecked: what is mutable is `waiting`, behind its lock, and the session, which only `queue` touches.
final class Lane: @unchecked Sendable {
    private struct Waiting {
        var jobs: [any LaneJob] = []
        var isAwake = false
        var isClosed = false

        /// Those of the account that came first.
        mutating func take(atMost count: Int) -> [any LaneJob]? {
            guard let account = jobs.first?.account else { return nil }
            var taken: [any LaneJob] = []
            jobs.removeAll { job in
                guard job.account == account, taken.count < count else { return false }
                taken.append(job)
                return true
            }
            return taken
        }
    }

    /// An open connection.
    private struct Session {
        let writing: WriteSession<PostgresConnection>
        let lineage: Lineage
    }

    /// The body of one wrote something and threw: each is run in a transaction of its own.
    private struct Apart: Error {}

    /// So many bodies share a transaction at most.
    private static let batchLimit = 64
    /// Between two tries to reach the database.
    private static let pause = 0.05

    private let queue: DispatchQueue
    private let configuration: PostgresConfiguration
    private let context: BoardContext
    private let publish: @Sendable (_ changed: [(account: AccountKey, feed: FeedState)], _ ended: [AccountKey]) -> Void
    private let waiting = Locked(Waiting())
    private let done: Locked<PostgresStore.Activity>
    private let ids: IDSource
    private var open: Session?
    /// The commit that is under way.
    private var sent: SentCommit?

    init(
        _ number: Int, _ configuration: PostgresConfiguration, context: BoardContext,
        done: Locked<PostgresStore.Activity>,
        publish: @escaping @Sendable ([(account: AccountKey, feed: FeedState)], [AccountKey]) -> Void
    ) {
        queue = DispatchQueue(label: "kanbase.lane-\(number)", qos: .userInitiated)
        self.configuration = configuration
        self.context = context
        self.done = done
        self.publish = publish
        ids = IDSource(random: configuration.random)
    }

    var waitingCount: Int { waiting.withLock { $0.jobs.count } }

    // MARK: - Asking

    func perform<T: Sendable>(
        _ account: AccountKey, session: ID? = nil, within patience: Duration = .seconds(5),
        _ body: @escaping @Sendable (PostgresBoardWriter) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let job = PendingBody(
                account: account, session: session, due: .now + patience, body: body, continuation: continuation)
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

    /// Answers what was taken on, and refuses everything from now on.
    func close() {
        waiting.withLock { $0.isClosed = true }
        queue.sync {
            work()
            open = nil
        }
    }

    // MARK: - Working

    private func work() {
        while let jobs = nextBatch() {
            if settle(jobs) { continue }
            for job in jobs { _ = settle([job]) }
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

    /// Runs the jobs in one transaction, again and again while the database is away and their time is not over, and answers
    /// them.
    /// - Returns: false when they are not answered: each has to be run alone.
    private func settle(_ jobs: [any LaneJob]) -> Bool {
        var conflicts = 0
        var trouble = "it did not come to its turn in time"
        while let due = jobs.map(\.due).min(), ContinuousClock.now < due {
            do {
                try transact(jobs)
                for job in jobs { job.answer() }
                return true
            } catch is Apart {
                return false
            } catch let error as PostgresError where error.endsConnection {
                trouble = error.description
                switch outcome(until: due) {
                case .applied?:
                    for job in jobs { job.answer() }
                    return true
                case .unknown?, .inProgress?:
                    for job in jobs { job.answer(failure: StoreError.unsettled(trouble)) }
                    return true
                case .notApplied?, nil: Thread.sleep(forTimeInterval: Self.pause)
                }
            } catch let error as PostgresError {
                undo()
                if jobs.count > 1, !error.isTransient { return false }
                conflicts += 1
                trouble = error.description
                guard error.isTransient || error.isTwin && conflicts < 3 else {
                    if error.isReadOnly { open = nil }
                    for job in jobs { job.answer(failure: error.storeError) }
                    return true
                }
            } catch {
                undo()
                for job in jobs { job.answer(failure: error) }
                return true
            }
        }
        for job in jobs { job.answer(failure: StoreError.away(trouble)) }
        return true
    }

    /// What became of a commit whose answer did not come; `nil` when none was sent.
    private func outcome(until due: ContinuousClock.Instant) -> CommitOutcome? {
        let wasSent = open?.writing.connection.commitWasSent == true
        open = nil
        guard wasSent, let sent else { return nil }
        while ContinuousClock.now < due {
            do {
                let session = try opened()
                let outcome = try CommitOutcome(
                    of: sent, on: session.writing.connection, lineage: session.lineage)
                if case .inProgress = outcome {} else { return outcome }
            } catch {
                // The database is still away.
                open = nil
            }
            Thread.sleep(forTimeInterval: Self.pause)
        }
        return .unknown
    }

    private func undo() {
        // A session that cannot be brought back to its beginning is given up.
        do { try open?.writing.rollBack() } catch { open = nil }
    }

    private func opened() throws -> Session {
        if let open { return open }
        let connection = try PostgresConnection(configuration.options(for: "lane"))
        let session = Session(writing: WriteSession(connection), lineage: try Lineage(of: connection))
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
        writing.forgetStandings()
        let locked = try account == .nobody ? lockAccess(in: session) : lock(account, in: session)
        for job in jobs { try run(job, of: jobs.count, in: writing, at: locked.now) }
        let ended = writing.takeEndings()
        for account in ended { try note(endingOf: account, in: writing) }
        sent = SentCommit(lineage: session.lineage, number: locked.transaction, account: nil)
        if account != .nobody {
            // Without the account's row there is nothing to compare with, and the outcome stays unknown.
            let after = try? writing.feed(of: account).revision
            sent?.account = after.map {
                SentCommit.Mark(key: account, before: locked.revision, after: $0, writtenAt: locked.now)
            }
        }
        let changed = try writing.commit(at: locked.now)
        done.withLock { done in
            done.commits += 1
            done.writes += jobs.count
            done.time += .now - start
        }
        publish(changed, ended)
    }

    /// Throws only what ends the transaction.
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

    private struct Grip {
        var now: Timestamp
        var transaction: String
        var revision: Revision = 0
    }

    /// Takes the account's row, so that nobody else writes its board until the commit.
    private func lock(_ account: AccountKey, in session: Session) throws -> Grip {
        let statement = try session.writing.connection.statement(
            """
            SELECT epoch, revision, purged_through, used_bytes, used_tasks, written_at,
                floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, pg_current_xact_id()::text, lineage,
                bytes_limit, tasks_limit
            FROM accounts WHERE number = ?1 FOR NO KEY UPDATE
            """)
        statement.bind(1, account.number)
        defer { statement.reset() }
        guard try statement.step() else { throw StoreError.noAccount }
        var feed = FeedState(
            epoch: UInt64(bitPattern: statement.integer(0)), revision: statement.integer(1),
            purgedThrough: statement.integer(2))
        let usage = Usage(bytes: statement.integer(3), tasks: statement.integer(4))
        let now = max(date(statement.timestamp(6)), statement.timestamp(5))
        let locked = Grip(now: now, transaction: statement.text(7), revision: feed.revision)
        let lineage = statement.optionalText(8)
        let limits = OwnLimits(bytes: statement.optionalInteger(9), tasks: statement.optionalInteger(10))
        session.writing.learn(feed, usage, limits, of: account)
        guard configuration.durability == .asynchronous, lineage != session.lineage.text else { return locked }
        if lineage != nil {
            // What was acknowledged last may be gone, and its revisions must not come again.
            feed.epoch = ids.newEpoch()
            feed.revision = max(feed.revision + 1, now.milliseconds)
            try session.writing.setFeed(feed, of: account)
        }
        let update = try session.writing.connection.statement("UPDATE accounts SET lineage = ?2 WHERE number = ?1")
        update.bind(1, account.number)
        update.bind(2, session.lineage.text)
        try update.run()
        return locked
    }

    /// Takes the one lock of all that concerns accounts, whichever server writes it.
    private func lockAccess(in session: Session) throws -> Grip {
        let statement = try session.writing.connection.statement(
            composed: """
                SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, pg_current_xact_id()::text
                FROM pg_advisory_xact_lock(\(AdvisoryLock.access), \(AdvisoryLock.scope))
                """)
        defer { statement.reset() }
        guard try statement.step() else { throw StoreError.away("no lock was given") }
        return Grip(now: date(statement.timestamp(0)), transaction: statement.text(1))
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
