import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks

/// The only writer, with group commit: it takes all waiting jobs, runs them in one transaction, commits once, notifies the
/// observers, and then answers all.
///
/// Unchecked: `waiting` and two others are behind locks; only `queue` touches the rest of the mutable state.
final class Writer: @unchecked Sendable {
    /// The most bodies of a transaction, so that the first of them does not wait too long.
    static let batchLimit = 512
    /// With fewer bodies than this, but more than one, yield the processor once so that more writes join the batch. It
    /// takes a microsecond if no other thread is ready. With the load on a processor of its own, POSTs on 64 connections
    /// take 5 % less processor time and 7 % fewer commits. 16 instead of 8 saves another tenth of the syncs on a slow disk.
    private static let fewBodies = 16

    let path: String
    let configuration: FileStoreConfiguration
    let context: BoardContext
    let commits: Commits
    let readers: ReaderPool
    let files: DataFileWatch
    private let queue = DispatchQueue(label: "kanbase.writer", qos: .userInitiated)
    let waiting = Locked(WaitingJobs())
    private let done = Locked((commits: StoreActivity.Work(), writes: 0))
    private let foreignWrites = Locked(Listener())
    /// Checks for foreign writes and moved files while nobody writes.
    private let lookout: any DispatchSourceTimer
    /// When the running transaction began, and whether it has bodies of several accounts.
    var turn = (began: ContinuousClock.now, isMixed: false)
    /// The body that runs.
    var running: (job: WriteJob, mark: TransactionMark)?
    /// The account of a body that is on disk in part.
    var divided: DividedBody?
    /// `nil` after an error of the disk, until the next batch opens the file again.
    var open: (session: WriteSession<SQLiteConnection>, log: WriteAheadLog)?
    private let ids: IDSource
    /// True if the last commit failed.
    private var isFailing = false
    /// The time of the last body; see ``Timestamp/ofWrite(after:)``.
    private var latest: Timestamp
    /// Bytes of log beyond which readers are paused.
    private var logBound: Int

    init(
        path: String, configuration: FileStoreConfiguration, context: BoardContext,
        random: @escaping @Sendable () -> UInt64, commits: Commits, readers: ReaderPool, files: DataFileWatch
    ) throws {
        self.path = path
        self.configuration = configuration
        self.context = context
        self.commits = commits
        self.readers = readers
        self.files = files
        logBound = 2 * configuration.logSize
        ids = IDSource(random: random)
        let open = try Self.open(path, configuration)
        let session = open.session
        // One later than the last, so that new ids come after those of the last run in the same millisecond.
        latest = Timestamp(milliseconds: try session.latestWrite().milliseconds + 1)
        try session.makeLocalAccount(
            id: ids.next(at: max(latest, context.clock())), epoch: ids.newEpoch(), at: context.clock())
        self.open = open
        // After what may throw: Dispatch ends the process when a source is released that was never activated.
        lookout = DispatchSource.makeTimerSource(queue: queue)
        prepare(session)
        files.noteOpened()
        queue.setSpecific(key: Self.ownQueue, value: ObjectIdentifier(self))
        lookout.setEventHandler { [weak self] in self?.lookAround() }
        lookout.schedule(deadline: .now() + Self.lookoutPace, repeating: Self.lookoutPace, leeway: .milliseconds(20))
        lookout.activate()
    }

    deinit {
        lookout.cancel()
    }

    /// Fills in what the writer does.
    func report(to activity: inout StoreActivity) {
        (activity.commits, activity.writes) = done.withLock { $0 }
        activity.waitingWrites = waiting.withLock { $0.jobs.count }
    }

    // MARK: - Asking

    /// Runs the body in the next transaction. For ``AccountKey/nobody`` it must not touch a board.
    func perform<T: Sendable>(
        _ account: AccountKey = .nobody, session: ID? = nil, _ body: @escaping @Sendable (SQLiteBoardWriter) throws -> T
    ) async throws -> T {
        let outcome = WriteOutcome<T>()
        // A checked continuation, though a job is answered once by construction: it is resumed inside the runtime, where
        // the thread sanitizer does not take the memory that the task uses next for that of the answer.
        try await withCheckedThrowingContinuation { continuation in
            enqueue(
                WriteJob(
                    account: account, session: session, executor: configuration.callersExecutor(),
                    body: { outcome.set(try body($0)) }, continuation: continuation))
        }
        guard let value = outcome.get() else { throw StoreError.closed }
        return value
    }

    private func enqueue(_ job: WriteJob) {
        let (isClosed, wasAwake) = waiting.withLock { waiting in
            guard !waiting.isClosed else { return (true, true) }
            waiting.jobs.append(job)
            defer { waiting.isAwake = true }
            return (false, waiting.isAwake)
        }
        if isClosed { job.answer(failure: StoreError.closed) }
        // Outside the lock, because the writer takes it as soon as it wakes.
        if !wasAwake { queue.async { self.work() } }
    }

    // MARK: - Working

    private func work() {
        while let jobs = nextBatch() { commit(jobs) }
    }

    private func nextBatch() -> [WriteJob]? {
        let batch: [WriteJob]? = waiting.withLock { waiting in
            guard !waiting.jobs.isEmpty else {
                waiting.isAwake = false
                return nil
            }
            return waiting.take(atMost: Self.batchLimit)
        }
        guard let batch, 2..<Self.fewBodies ~= batch.count else { return batch }
        sched_yield()
        return batch + waiting.withLock { $0.take(atMost: Self.batchLimit - batch.count) }
    }

    func commit(_ batch: [WriteJob]) {
        var jobs = batch
        let start = ContinuousClock.now
        turn = (start, isMixed: false)
        do {
            let (session, log) = try opened()
            try begin(session)
            try run(&jobs, in: session)
            commits.announce(session.takeChangedTasks())
            let changed = try session.commit(at: latest)
            // Do not acknowledge a write that is not in the file that the next start opens.
            try files.check()
            // The body that was divided is complete. Before the observers tell anybody.
            if let divided, divided.isComplete { endDivision() }
            commits.publish(changed)
            done.withLock { done in
                done.commits.add(since: start)
                done.writes += jobs.count
            }
            note(failure: nil)
            if !changed.isEmpty { configuration.onCommit(changed.map(\.account)) }
            jobs.answer()
            if log.growth > configuration.logSize { checkpoint(log) }
        } catch {
            recover()
            let failure = SQLiteError.forCallers(error)
            note(failure: failure)
            for job in jobs { job.answer(failure: failure) }
        }
    }

    /// Reports the first of failed commits, and the first that succeeds after them. What moved files do, `files` reports.
    private func note(failure: (any Error)?) {
        guard isFailing != (failure != nil) else { return }
        if case .moved? = failure as? StoreError { return }
        isFailing.toggle()
        configuration.onFailure(failure.map { "\($0)" })
    }

    func begin(_ session: WriteSession<SQLiteConnection>) throws {
        try session.begin()
        noticeForeignWrites(session)
    }

    /// Runs the jobs, and those that arrive meanwhile: they share the commit, which costs more than all of them. Leaves in
    /// `jobs` those that this transaction answers, and the rest to the next one.
    ///
    /// It uses no savepoints: with one, SQLite copies every page before a body changes it, and walks all copies at the end.
    /// Rules check before they write, so a body that throws has usually written nothing. If it has, the transaction starts
    /// again with the bodies before it; that body is then the first of the next transaction, where nothing else has to be
    /// undone with it.
    ///
    /// - Throws: an error that ends the whole batch.
    private func run(_ jobs: inout [WriteJob], in session: WriteSession<SQLiteConnection>) throws {
        var next = 0
        noteAccounts(of: jobs)
        while next < jobs.count {
            if next > 0, isTimeOver || jobs[next].isAlone { return giveBack(&jobs, from: next) }
            if jobs[next].isAlone { giveBack(&jobs, from: 1) }
            switch try run(jobs[next], in: session) {
            case .done: next += 1
            case .again: continue
            case .undo:
                try session.rollBack()
                try begin(session)
                if next > 0 { giveBack(&jobs, from: next) }
                next = next > 0 ? 0 : 1
            }
            // Nothing may join a body that is on disk in part: it cannot be run again with the others.
            if divided?.isComplete == true { return }
            if next == jobs.count, !isTimeOver {
                let more = others(atMost: Self.batchLimit - jobs.count)
                guard !more.isEmpty else { return }
                jobs += more
                noteAccounts(of: jobs)
            }
        }
    }

    private var isTimeOver: Bool { ContinuousClock.now >= turn.began + configuration.batchTime }

    private func noteAccounts(of jobs: [WriteJob]) {
        turn.isMixed = turn.isMixed || jobs.contains { $0.account != jobs[0].account }
    }

    /// Called by bodies, so on the queue.
    private func shouldYield(_ account: AccountKey) -> Bool {
        isTimeOver && (turn.isMixed || waiting.withLock { $0.jobs.contains { $0.account != account } })
    }

    private func run(_ job: WriteJob, in session: WriteSession<SQLiteConnection>) throws -> WriteJob.Outcome {
        let mark = session.mark
        running = (job, mark)
        // A body may hold a whole import.
        defer { running = nil }
        do {
            try job.run(on: writer(for: job, in: session))
            try session.connection.requireSound()
            if divided?.job === job { try completeDivision(in: session) }
        } catch {
            // It may be closed: others wrote in the middle of the body.
            guard open?.session === session else { throw error }
            try session.connection.requireSound()
            if divided?.job === job { return try undoDivision(error, in: session) ? .again : .done }
            if error is BeginsAgain {
                session.forget(since: mark)
                return .again
            }
            job.fail(SQLiteError.forCallers(error))
            if session.hasWritten(since: mark) { return .undo }
            session.forget(since: mark)
        }
        return .done
    }

    /// Leaves the jobs from `index` on to the next transaction.
    private func giveBack(_ jobs: inout [WriteJob], from index: Int) {
        guard index < jobs.count else { return }
        let rest = jobs[index...]
        jobs.removeSubrange(index...)
        waiting.withLock { $0.jobs.insert(contentsOf: rest, at: 0) }
    }

    private func writer(for job: WriteJob, in session: WriteSession<SQLiteConnection>) -> SQLiteBoardWriter {
        latest = context.clock().ofWrite(after: latest)
        return SQLiteBoardWriter(
            account: job.account, writingSession: job.session, now: latest, session: session, context: context,
            ids: ids)
    }

    private func prepare(_ session: WriteSession<SQLiteConnection>) {
        session.shouldYield = { [unowned self] in shouldYield($0) }
        session.pause = { [unowned self] in try pause($0) }
        session.boardBeforeWrite = { [unowned self] in boardBeforeWrite(of: $0) }
    }

    private func opened() throws -> (session: WriteSession<SQLiteConnection>, log: WriteAheadLog) {
        if let open { return open }
        try files.check()
        let fresh = try Self.open(path, configuration)
        // The log exists after the first read.
        _ = try fresh.session.latestWrite()
        files.noteOpened()
        open = fresh
        prepare(fresh.session)
        // What was on disk in part is removed.
        endDivision()
        return fresh
    }

    private static func open(
        _ path: String, _ configuration: FileStoreConfiguration
    ) throws -> (session: WriteSession<SQLiteConnection>, log: WriteAheadLog) {
        let connection = try SQLiteConnection(
            path: path, access: .readWrite,
            cache: configuration.writerCacheSize, fileSystem: configuration.fileSystem)
        if configuration.isAlone { try UnfinishedWrites.removeAll(on: connection) }
        return (WriteSession(connection), try WriteAheadLog(of: connection, bound: configuration.logSize))
    }

    /// Closes the session after an error of the disk: its state in memory and its connection may be wrong.
    private func recover() {
        closeSession()
        commits.forgetAll()
    }

    /// Tells the observer of every commit from now on.
    func addObserver(_ observer: any CommitObserver) {
        // Between two commits, so that no observer gets `didCommit` without `willCommit`.
        if isOnQueue { commits.addObserver(observer) } else { queue.sync { commits.addObserver(observer) } }
    }

    // MARK: - Other processes

    /// Not a bare function: a generic box would wrap that once more at each access.
    private struct Listener {
        var body: @Sendable () -> Void = {}
    }

    /// Sets what is called after another process wrote: commands remove accounts and tokens while a server runs.
    func whenOthersWrite(_ body: @escaping @Sendable () -> Void) {
        foreignWrites.withLock { $0.body = body }
    }

    /// Drops all caches if another process wrote since the last transaction. Call it in one.
    private func noticeForeignWrites(_ session: WriteSession<SQLiteConnection>) {
        guard session.connection.noticeForeignWrites() else { return }
        session.forgetCachedAccounts()
        commits.forgetAll()
        foreignWrites.withLock { $0.body }()
    }

    /// Open streams of a removed session end within 250 ms, including this interval.
    private static let lookoutPace = DispatchTimeInterval.milliseconds(100)

    /// Notices changes of the data by others.
    private func lookAround() {
        guard let open else { return }
        // `try?`: the next write meets the same error and reports it.
        if (try? open.session.connection.refresh()) != nil { noticeForeignWrites(open.session) }
        // `try?`: the check reports a fault itself.
        try? files.check()
    }

    // MARK: - The log

    /// Copies the log into the file. Overlapping reads could hold it back for ever: when the log has become too long, new
    /// reads are paused once. An export is not waited for; then the log may grow to twice its size.
    func checkpoint(_ log: WriteAheadLog) {
        readers.endIdleSnapshots()
        files.whileChanging { log.checkpoint() }
        guard log.size > logBound else { return }
        let isQuiet = readers.whilePaused { files.whileChanging { log.checkpoint() } }
        if isQuiet {
            logBound = 2 * configuration.logSize
        } else if log.size <= configuration.logLimit {
            logBound = 2 * log.size
        } else {
            configuration.onLogHeld()
        }
    }

    // MARK: - Closing

    /// Answers all accepted jobs, and refuses new ones.
    func close() {
        waiting.withLock { $0.isClosed = true }
        lookout.cancel()
        // A caller may have added a job without having woken the queue yet. On the queue, `work` is already running.
        if !isOnQueue { queue.sync { work() } }
    }

    /// The last connection to close copies the log into the file and removes it.
    func closeFile() {
        if isOnQueue { closeSession() } else { queue.sync { closeSession() } }
    }

    private func closeSession() {
        guard let open else { return }
        // The log belongs to the opened file: do not copy it into another file of that name. `try?`: a fault is reported
        // already.
        if (try? files.check()) == nil { open.session.connection.leaveLog() }
        files.noteClosed()
        open.session.connection.close()
        divided?.before.close()
        self.open = nil
    }

    private static let ownQueue = DispatchSpecificKey<ObjectIdentifier>()

    /// A body of a write may release the last reference to the store.
    private var isOnQueue: Bool {
        DispatchQueue.getSpecific(key: Self.ownQueue) == ObjectIdentifier(self)
    }
}
