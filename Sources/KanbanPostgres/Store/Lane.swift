import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks

/// A connection that writes. Waiting writes share a transaction, those of several accounts, too. An account has
/// the same lane for all but its long writes; lanes exclude one another by the locks of the accounts' rows.
///
/// Unchecked: what is mutable is `waiting`, behind its lock, and the rest, which only `queue` touches.
final class Lane: @unchecked Sendable {
    /// An open connection.
    struct Session {
        let writing: WriteSession<PostgresConnection>
        /// `nil` where the role may not ask, and need not.
        let lineage: Lineage?
        /// Opened for each transaction, behind a pooler that gives each transaction another session.
        let limits: [String]
    }

    /// The most bodies that share a transaction.
    private static let batchLimit = 64
    /// Between two waits for the lock of an account while others wait for the lane.
    private static let rest = Duration.milliseconds(300)
    /// How long a write for accounts waits for a row, in milliseconds.
    private static let rowTime = 25

    private let queue: DispatchQueue
    let configuration: PostgresConfiguration
    private let statementTime: Int
    private let lockTime: Int
    private let context: BoardContext
    let publish: @Sendable ([AccountKey]) -> Void
    let waiting = Locked(LaneQueue())
    private let done: Locked<PostgresStore.Activity>
    private let ids: IDSource
    var open: Session?
    var marks: CommitMarks
    var turn = Turn()
    /// The transaction that was begun behind the last commit.
    var ahead: Begun?

    init(
        _ number: Int, _ configuration: PostgresConfiguration, statementTime: Int = 10_000, lockTime: Int = 500,
        context: BoardContext,
        done: Locked<PostgresStore.Activity>,
        publish: @escaping @Sendable ([AccountKey]) -> Void
    ) {
        queue = DispatchQueue(label: "kanbase.lane-\(number)", qos: .userInitiated)
        self.configuration = configuration
        self.statementTime = statementTime
        self.lockTime = lockTime
        self.context = context
        self.done = done
        self.publish = publish
        ids = IDSource(random: configuration.random)
        marks = CommitMarks(lane: ids.next(at: configuration.clock()))
    }

    var waitingCount: Int { waiting.withLock { $0.count } }

    // MARK: - Asking

    func perform<T: Sendable>(
        _ account: AccountKey, session: ID? = nil, needs: WriteNeeds = WriteNeeds(),
        _ body: @escaping @Sendable (PostgresBoardWriter) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let job = PendingBody(
                account: account, session: session, needs: needs, due: .now + configuration.patience, body: body,
                continuation: continuation)
            let (isClosed, wasAwake) = waiting.withLock { waiting in
                guard !waiting.isClosed else { return (true, true) }
                waiting.append(job)
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
        for job in waiting.withLock({ $0.takeAll() }) { job.answer(failure: error) }
    }

    // MARK: - Working

    private func work() {
        while let jobs = ahead?.jobs ?? nextBatch() { perform(jobs, looksAhead: configuration.keepsPrepared) }
    }

    /// - Parameter looksAhead: true if the next transaction begins behind the commit. A pooler would give it to another client.
    private func perform(_ jobs: [any LaneJob], looksAhead: Bool) {
        switch settle(jobs, looksAhead: looksAhead) {
        case .answered: break
        case .apart(let parts): for part in parts { perform(Array(part), looksAhead: false) }
        case .later(let jobs): waiting.withLock { $0.putBehind(jobs, until: .now + Self.rest) }
        }
    }

    private func nextBatch() -> [any LaneJob]? {
        waiting.withLock { waiting in
            let jobs = takeBatch(from: &waiting)
            if jobs == nil { waiting.isAwake = false }
            return jobs
        }
    }

    private func takeBatch(from waiting: inout LaneQueue) -> [any LaneJob]? {
        waiting.take(accounts: configuration.groupLimit, atMost: Self.batchLimit, at: .now)
    }

    /// Answers the jobs of the turn, and gives back those that it had no room for.
    func endTurn(_ answer: (any LaneJob) -> Void) {
        for job in turn.done { answer(job) }
        waiting.withLock { waiting in
            waiting.putInFront(turn.rest)
            waiting.putBehind(turn.held, until: .now)
        }
        turn = Turn()
    }

    /// Puts the jobs behind whose accounts are locked by others, after the turn failed.
    /// - Returns: the jobs that can run.
    func withoutHeld(_ jobs: [any LaneJob]) -> [any LaneJob] {
        let held = turn.held
        turn = Turn()
        if held.isEmpty { return jobs }
        waiting.withLock { $0.putBehind(held, until: .now) }
        let accounts = Set(held.map(\.account))
        return jobs.filter { !accounts.contains($0.account) }
    }

    func opened() throws -> Session {
        if let open { return open }
        let options = configuration.options(
            for: "lane", statementTime: statementTime, lockTime: lockTime, planning: .byIndexesOnce)
        let connection = try PostgresConnection(options)
        let session = Session(
            writing: WriteSession(connection), lineage: try lineage(of: connection),
            limits: options.setUp.map { $0.replacing("SET ", with: "SET LOCAL ") })
        session.writing.shouldYield = { [unowned self] in shouldYield($0) }
        open = session
        return session
    }

    private func lineage(of connection: PostgresConnection) throws -> Lineage? {
        if let known = connection.lineage { return known }
        return configuration.durability == .synchronous ? nil : try Lineage(of: connection)
    }

    // MARK: - A transaction

    /// Runs the jobs whose accounts are free, as far as the time allows; `turn` tells which.
    func transact(_ jobs: [any LaneJob], looksAhead: Bool) throws {
        let start = ContinuousClock.now
        turn = Turn()
        let session = try opened()
        let writing = session.writing
        let begun = try ahead.take() ?? begin(jobs, in: session)
        writing.forgetCachedAccounts()
        let sentBefore = writing.connection.allChanges
        let now: Timestamp
        if let rows = begun.rows {
            now = try take(rows, for: jobs, in: session)
        } else {
            now = date(try writing.connection.lockAccess())
            // All servers wait for this lock, and so for a body that waits for the row of an account.
            try writing.connection.run("SET LOCAL lock_timeout = \(Self.rowTime)")
            turn.done = jobs
        }
        // From here: waiting for a lock is not the bodies' time.
        turn.end = .now + configuration.groupTime
        try runBodies(in: writing, at: now, isAlone: jobs.count == 1)
        let ended = writing.takeEndings()
        for account in ended { try writing.connection.noteEnding(of: account) }
        if writing.connection.allChanges != sentBefore {
            turn.sent = try marks.writeNext(at: now, on: writing.connection)
        }
        let changed = try writing.commit(at: now) {
            try commit(in: session, looksAhead: looksAhead && !turn.isMixed && turn.held.isEmpty)
        }.map(\.account)
        done.withLock { done in
            done.commits += 1
            done.writes += turn.done.count
            done.time += .now - start
        }
        publish(changed + ended)
    }

    private func runBodies(
        in writing: WriteSession<PostgresConnection>, at now: Timestamp, isAlone: Bool
    ) throws {
        for (index, job) in turn.done.enumerated() {
            if index > 0, turn.isMixed, isTimeOver {
                turn.rest = Array(turn.done[index...])
                turn.done.removeSubrange(index...)
                return
            }
            if try !run(job, in: writing, at: now, isAlone: isAlone) { throw Apart(index: index) }
        }
    }

    private var isTimeOver: Bool { ContinuousClock.now >= turn.end }

    /// Called by bodies, so on the queue.
    private func shouldYield(_ account: AccountKey) -> Bool {
        isTimeOver && (turn.isMixed || waiting.withLock { $0.hasOthers(than: account) })
    }

    private func writer(
        for account: AccountKey, session: ID? = nil, in writing: WriteSession<PostgresConnection>, at now: Timestamp
    ) -> PostgresBoardWriter {
        PostgresBoardWriter(
            account: account, session: session, now: now, context: context, writing: writing, ids: ids)
    }

    /// Throws only errors that end the transaction.
    /// - Returns: false when the body threw after it had written; then the transaction must be undone.
    private func run(
        _ job: any LaneJob, in writing: WriteSession<PostgresConnection>, at now: Timestamp, isAlone: Bool
    ) throws -> Bool {
        if let endings = job.needs.endings, endings != turn.endings[job.account] {
            job.fail(StoreError.accessChanged)
            return true
        }
        let mark = writing.mark
        do {
            try job.run(on: writer(for: job.account, session: job.session, in: writing, at: now))
        } catch {
            try writing.connection.requireSound()
            job.fail(error)
            if writing.hasWritten(since: mark) {
                if isAlone { throw error }
                return false
            }
            writing.forget(since: mark)
        }
        try writing.connection.requireSound()
        return true
    }

    /// Begins a transaction, takes the rows of the accounts, so that nobody else writes their boards until the commit, and reads
    /// what the jobs need, in one round trip, which it does not wait for: the server reads once it has given the locks.
    private func begin(_ jobs: [any LaneJob], in session: Session) throws -> Begun {
        try session.writing.begin()
        if !configuration.keepsPrepared { for limit in session.limits { try session.writing.connection.run(limit) } }
        return try Begun(jobs, on: session.writing.connection)
    }

    /// Commits. With `looksAhead` it begins the transaction of the next jobs in the same round trip.
    private func commit(in session: Session, looksAhead: Bool) throws {
        let connection = session.writing.connection
        guard looksAhead, let next = waiting.withLock({ takeBatch(from: &$0) }) else { return try connection.commit() }
        do {
            try connection.commit { self.ahead = try Begun(next, on: connection) }
        } catch {
            ahead?.reset()
            ahead = nil
            waiting.withLock { $0.putInFront(next) }
            throw error
        }
    }

    /// Takes what the transaction has locked and read.
    /// - Returns: the time of the transaction.
    private func take(_ begun: Begun.Rows, for jobs: [any LaneJob], in session: Session) throws -> Timestamp {
        let writing = session.writing
        let accounts = Set(jobs.map(\.account))
        defer { begun.needed.reset() }
        var rows = try begun.locks.rows()
        // An account whose time is ahead of the clock has a transaction of its own: the others would take over its time.
        if accounts.count > 1 { rows.removeAll { $0.writtenAt > date($0.time) } }
        let taken = Set(rows.map(\.account))
        guard accounts.count > 1 || !taken.isEmpty else { throw StoreError.noAccount }
        turn.done = jobs.filter { taken.contains($0.account) }
        turn.held = jobs.filter { !taken.contains($0.account) }
        turn.isMixed = taken.count > 1
        let now = rows.map { date($0.time).ofWrite(after: $0.writtenAt) }.max() ?? Timestamp(milliseconds: 0)
        for row in rows {
            writing.learn(row.feed, row.usage, row.limits, of: row.account)
            turn.endings[row.account] = row.endings
        }
        try begun.needed.take { taken.contains($0) ? writer(for: $0, in: writing, at: now) : nil }
        for row in rows { try keepLineage(of: row, in: session, at: now) }
        return now
    }

    /// Begins a new history of an account that was written last in another one.
    private func keepLineage(of row: LockedAccounts.Row, in session: Session, at now: Timestamp) throws {
        guard configuration.durability == .asynchronous, let lineage = session.lineage, row.lineage != lineage.text
        else { return }
        if row.lineage != nil {
            // The last acknowledged writes may be lost, and their revisions must not be used again.
            var feed = row.feed
            feed.epoch = ids.newEpoch()
            feed.revision = max(feed.revision + 1, now.milliseconds)
            try session.writing.setFeed(feed, of: row.account)
        }
        try session.writing.connection.setLineage(lineage, of: row.account)
    }

    private func date(_ moment: Timestamp) -> Timestamp {
        configuration.datesByClock ? configuration.clock() : moment
    }
}
