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
    private struct Session {
        let writing: WriteSession<PostgresConnection>
        let lineage: Lineage
        /// Opened for each transaction, behind a pooler that gives each transaction another session.
        let limits: [String]
    }

    /// The most bodies that share a transaction.
    private static let batchLimit = 64
    /// Between two waits for the lock of an account while others wait for the lane.
    private static let rest = Duration.milliseconds(300)
    /// The pause between two tries to reach the database.
    private static let pause = 0.05

    private let queue: DispatchQueue
    private let configuration: PostgresConfiguration
    private let statementTime: Int
    private let lockTime: Int
    private let context: BoardContext
    private let publish: @Sendable ([AccountKey]) -> Void
    private let waiting = Locked(LaneQueue())
    private let done: Locked<PostgresStore.Activity>
    private let ids: IDSource
    private var open: Session?
    private var marks: CommitMarks
    private var turn = Turn()

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
        while let jobs = nextBatch() { perform(jobs) }
    }

    private func perform(_ jobs: [any LaneJob]) {
        switch settle(jobs) {
        case .answered: break
        case .apart(let parts): for part in parts { perform(Array(part)) }
        case .later(let jobs): waiting.withLock { $0.putBehind(jobs, until: .now + Self.rest) }
        }
    }

    private func nextBatch() -> [any LaneJob]? {
        waiting.withLock { waiting in
            guard let jobs = waiting.take(accounts: configuration.groupLimit, atMost: Self.batchLimit, at: .now) else {
                waiting.isAwake = false
                return nil
            }
            return jobs
        }
    }

    /// Answers the jobs of the turn, and gives back those that it had no room for.
    private func endTurn(_ answer: (any LaneJob) -> Void) {
        for job in turn.done { answer(job) }
        waiting.withLock { waiting in
            waiting.putInFront(turn.rest)
            waiting.putBehind(turn.held, until: .now)
        }
        turn = Turn()
    }

    /// Puts the jobs behind whose accounts are locked by others, after the turn failed.
    /// - Returns: the jobs that can run.
    private func withoutHeld(_ jobs: [any LaneJob]) -> [any LaneJob] {
        let held = turn.held
        turn = Turn()
        if held.isEmpty { return jobs }
        waiting.withLock { $0.putBehind(held, until: .now) }
        let accounts = Set(held.map(\.account))
        return jobs.filter { !accounts.contains($0.account) }
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
                endTurn { $0.answer() }
                return .answered
            } catch let apart as Apart {
                undo()
                let jobs = withoutHeld(jobs)
                return .apart([jobs[..<apart.index], jobs[apart.index...apart.index], jobs[(apart.index + 1)...]])
            } catch let error as PostgresError where error.endsConnection {
                trouble = error.description
                switch outcome(until: due) {
                case .applied?:
                    endTurn { $0.answer() }
                    return .answered
                case .unknown?:
                    endTurn { $0.answer(failure: StoreError.unsettled(trouble)) }
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
                if jobs.count > 1, !error.isTransient || conflicts > 0 { return apart(jobs) }
                conflicts += 1
                guard error.isTransient || error.isTwin && conflicts < 3 else {
                    if error.isReadOnly { open = nil }
                    for job in jobs { job.answer(failure: error.storeError) }
                    return .answered
                }
            } catch {
                undo()
                if jobs.count > 1 { return apart(jobs) }
                jobs[0].answer(failure: error)
                return .answered
            }
        }
    }

    /// Nobody knows which of them the error is of: each runs alone.
    private func apart(_ jobs: [any LaneJob]) -> Settlement {
        let jobs = withoutHeld(jobs)
        return .apart(jobs.indices.map { jobs[$0...$0] })
    }

    private enum CommitOutcome {
        case applied, notApplied
        /// The database did not come back in time, or the lost session still holds its lock.
        case unknown
    }

    /// The outcome of a commit without an answer; `nil` when no commit was sent that wrote something.
    private func outcome(until due: ContinuousClock.Instant) -> CommitOutcome? {
        let wasSent = open?.writing.connection.commitWasSent == true
        open = nil
        guard wasSent, let sent = turn.sent, let account = turn.done.first?.account else { return nil }
        while ContinuousClock.now < due {
            do {
                let writing = try opened().writing
                try writing.begin()
                // The lost session keeps the same lock until its transaction ends. With several accounts, any lock of them
                // tells that.
                if account == .nobody {
                    _ = try writing.connection.lockAccess()
                } else {
                    try writing.connection.wait(for: account)
                }
                let isApplied = try marks.isWritten(sent, on: writing.connection)
                try writing.rollBack()
                guard isApplied else { return .notApplied }
                publish(account == .nobody ? [] : Array(Set(turn.done.map(\.account))))
                return .applied
            } catch {
                // The database is still unreachable, or the lost session still runs.
                undo()
            }
            Thread.sleep(forTimeInterval: Self.pause)
        }
        return .unknown
    }

    private func endHungSessions() {
        do {
            guard let ended = try open?.writing.connection.endHungSessions(), ended > 0 else { return }
            configuration.report("a server stood still in a transaction, whose session was ended", "\(ended) sessions")
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
        let options = configuration.options(
            for: "lane", statementTime: statementTime, lockTime: lockTime, planning: .byIndexesOnce)
        let connection = try PostgresConnection(options)
        let session = Session(
            writing: WriteSession(connection), lineage: try Lineage(of: connection),
            limits: options.setUp.map { $0.replacing("SET ", with: "SET LOCAL ") })
        session.writing.shouldYield = { [unowned self] in shouldYield($0) }
        open = session
        return session
    }

    // MARK: - A transaction

    /// Runs the jobs whose accounts are free, as far as the time allows; `turn` tells which.
    private func transact(_ jobs: [any LaneJob]) throws {
        let start = ContinuousClock.now
        turn = Turn()
        let session = try opened()
        let writing = session.writing
        try writing.begin()
        if !configuration.prepares { for limit in session.limits { try writing.connection.run(limit) } }
        writing.forgetStandings()
        let sentBefore = writing.connection.allChanges
        let now: Timestamp
        if jobs[0].account == .nobody {
            now = date(try writing.connection.lockAccess())
            turn.done = jobs
        } else {
            now = try lock(for: jobs, in: session)
        }
        // From here: waiting for a lock is not the bodies' time.
        turn.end = .now + configuration.groupTime
        try runBodies(in: writing, at: now, isAlone: jobs.count == 1)
        let ended = writing.takeEndings()
        for account in ended { try writing.connection.noteEnding(of: account) }
        if writing.connection.allChanges != sentBefore {
            turn.sent = try marks.writeNext(at: now, on: writing.connection)
        }
        let changed = try writing.commit(at: now).map(\.account)
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

    /// Takes the rows of the accounts, so that nobody else writes their boards until the commit, and reads what the jobs need
    /// in the same round trip: the server runs these statements once it has given the locks.
    /// - Returns: the time of the transaction.
    private func lock(for jobs: [any LaneJob], in session: Session) throws -> Timestamp {
        let writing = session.writing
        let accounts = Set(jobs.map(\.account))
        let locks = try LockedAccounts(of: Array(accounts), on: writing.connection)
        let needed = try NeededRows(of: jobs, on: writing.connection)
        defer { needed.reset() }
        var rows = try locks.rows()
        // An account whose time is ahead of the clock has a transaction of its own: the others would take over its time.
        if accounts.count > 1 { rows.removeAll { $0.writtenAt > date($0.time) } }
        let taken = Set(rows.map(\.account))
        guard accounts.count > 1 || !taken.isEmpty else { throw StoreError.noAccount }
        turn.done = jobs.filter { taken.contains($0.account) }
        turn.held = jobs.filter { !taken.contains($0.account) }
        turn.isMixed = taken.count > 1
        let now = rows.map { max(date($0.time), $0.writtenAt) }.max() ?? Timestamp(milliseconds: 0)
        for row in rows {
            writing.learn(row.feed, row.usage, row.limits, of: row.account)
            turn.endings[row.account] = row.endings
        }
        try needed.take { taken.contains($0) ? writer(for: $0, in: writing, at: now) : nil }
        for row in rows { try keepLineage(of: row, in: session, at: now) }
        return now
    }

    /// Begins a new history of an account that was written last in another one.
    private func keepLineage(of row: LockedAccounts.Row, in session: Session, at now: Timestamp) throws {
        guard configuration.durability == .asynchronous, row.lineage != session.lineage.text else { return }
        if row.lineage != nil {
            // The last acknowledged writes may be lost, and their revisions must not be used again.
            var feed = row.feed
            feed.epoch = ids.newEpoch()
            feed.revision = max(feed.revision + 1, now.milliseconds)
            try session.writing.setFeed(feed, of: row.account)
        }
        try session.writing.connection.setLineage(session.lineage, of: row.account)
    }

    private func date(_ moment: Timestamp) -> Timestamp {
        configuration.datesByClock ? configuration.clock() : moment
    }
}
