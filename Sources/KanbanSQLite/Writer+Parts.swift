import Kanban
import KanbanRows
import Locks

/// A body of which a part is on disk.
struct DividedBody {
    let job: WriteJob
    var account: AccountKey { job.account }
    /// The counters of the account before it.
    let counters: [Int64?]
    /// A connection that hides the part.
    let before: SQLiteConnection
    /// True once the body has returned: the next commit is its last part.
    var isComplete = false
}

/// Ends a body that must be run again: so far without a trace, or what there is of it is removed.
struct BeginsAgain: Error {}

/// The parts of a long body; see ``BoardWriter/pause()`` and ``UnfinishedWrites``.
///
/// A part is a transaction without the counters of the account and without an announcement. Before the first one, the
/// readers of the account begin to hide what follows; the transaction with the last part ends that. One body is divided
/// at a time. A body that cannot be divided, or no longer, is one transaction.
extension Writer {
    /// Called by bodies, so on the queue.
    func pause(_ account: AccountKey) throws {
        guard configuration.isAlone, let (session, log) = open, let (job, mark) = running, job.account == account,
            !job.isWhole, !session.hasSavepoint, divided == nil || divided?.job === job
        else { return }
        guard job.isAlone else {
            // It shares its transaction with others, who must not wait for it.
            if !session.hasWritten(since: mark) {
                job.isAlone = true
                throw BeginsAgain()
            }
            return
        }
        guard ContinuousClock.now >= turn.began + configuration.partTime else { return }
        guard session.hasOnlyAdded(since: mark), session.isOnly(of: account) else {
            job.isWhole = true
            return
        }
        if let free = DurableFile.freeBytes(at: path), free < configuration.partRoom { throw StoreError.full }
        if divided == nil, try !beginDivision(of: job, in: session) { return }
        let took = ContinuousClock.now - turn.began
        try session.connection.commit()
        try files.check()
        let aside = session.setAside(account)
        if log.growth > configuration.logSize { checkpoint(log) }
        try letOthersWrite(for: took, in: session)
        try begin(session)
        session.takeUp(aside)
        // Somebody wrote to the account all the same: its owner erased it, or upkeep removed rows that count.
        guard try session.storedCounters(of: account) == divided?.counters else { throw BeginsAgain() }
        running = (job, session.mark)
    }

    /// - Returns: false when the body cannot be divided.
    private func beginDivision(of job: WriteJob, in session: WriteSession<SQLiteConnection>) throws -> Bool {
        // Nobody reads at this moment, so all who read later know. A read that takes long, such as an export, may have begun
        // its transaction or not.
        guard let counters = try session.storedCounters(of: job.account), readers.beginHiding(job.account) else {
            job.isWhole = true
            return false
        }
        do {
            divided = DividedBody(job: job, counters: counters, before: try readers.openHiding())
        } catch {
            readers.endHiding()
            throw error
        }
        try UnfinishedWrites.begin(of: job.account, on: session.connection)
        return true
    }

    /// Runs what others have waiting, for at most this time or one transaction.
    private func letOthersWrite(for time: Duration, in session: WriteSession<SQLiteConnection>) throws {
        let end = ContinuousClock.now + time
        repeat {
            let jobs = others(atMost: Self.batchLimit)
            guard !jobs.isEmpty else { break }
            commit(jobs)
        } while ContinuousClock.now < end
        // An error of the disk has closed the session: the body cannot go on.
        guard open?.session === session else { throw StoreError.io("the file was closed in the middle of a write") }
        turn = (ContinuousClock.now, isMixed: false)
    }

    /// The jobs that may run now.
    func others(atMost count: Int) -> [WriteJob] {
        waiting.withLock { waiting in
            guard let divided else { return waiting.take(atMost: count) }
            return waiting.take(atMost: count, during: divided.account)
        }
    }

    /// The board as readers see it, for bodies of others; `nil` unless a part of its next state is on disk.
    func boardBeforeWrite(of account: AccountKey) -> (any BoardReader)? {
        guard let divided, divided.account == account else { return nil }
        return SQLiteBoard(account: account, connection: divided.before, context: context)
    }

    /// The body has returned: what the transaction has is the last part.
    func completeDivision(in session: WriteSession<SQLiteConnection>) throws {
        guard let account = divided?.account else { return }
        try UnfinishedWrites.end(of: account, on: session.connection)
        divided?.isComplete = true
    }

    /// The body has thrown: removes its parts, a few rows at a time.
    /// - Returns: true when it must be run again, in one transaction.
    func undoDivision(_ error: any Error, in session: WriteSession<SQLiteConnection>) throws -> Bool {
        guard let (_, log) = open, open?.session === session, let job = divided?.job else { throw error }
        try session.rollBack()
        var isRemoved = false
        while !isRemoved {
            turn = (ContinuousClock.now, isMixed: false)
            try begin(session)
            isRemoved = try UnfinishedWrites.remove(
                of: job.account, atMost: UnfinishedWrites.removedAtOnce, on: session.connection)
            try session.connection.commit()
            if log.growth > configuration.logSize { checkpoint(log) }
            if !isRemoved { try letOthersWrite(for: ContinuousClock.now - turn.began, in: session) }
        }
        session.forgetCachedAccount(of: job.account)
        endDivision()
        job.isWhole = true
        turn = (ContinuousClock.now, isMixed: false)
        try begin(session)
        guard !(error is BeginsAgain) else { return true }
        job.fail(SQLiteError.forCallers(error))
        return false
    }

    /// No body is on disk in part from now on.
    func endDivision() {
        guard let divided else { return }
        readers.endHiding()
        divided.before.close()
        self.divided = nil
    }
}
