import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks

/// The one that writes, with group commit: it takes all that is waiting, runs it in one transaction, commits once, tells
/// of the commit, and then answers all.
///
/// Unchecked: what is mutable is `waiting`, behind its lock, and the session, which only `queue` touches.
final class Writer: @unchecked Sendable {
    private struct Waiting {
        var jobs: [any WriteJob] = []
        var isAwake = false
        var isClosed = false

        mutating func take(atMost count: Int) -> [any WriteJob] {
            takeTurns()
            guard jobs.count > count else {
                defer { jobs = [] }
                return jobs
            }
            defer { jobs.removeFirst(count) }
            return Array(jobs.prefix(count))
        }

        /// Orders the jobs so that accounts take turns: whoever writes one thing waits for one job of each other account,
        /// however many these have. The jobs of an account keep their order.
        private mutating func takeTurns() {
            guard let first = jobs.first?.account, jobs.contains(where: { $0.account != first }) else { return }
            var turns: [AccountKey: Int] = [:]
            let numbered = jobs.enumerated().map { place, job in
                defer { turns[job.account, default: 0] += 1 }
                return (turn: turns[job.account] ?? 0, place: place, job: job)
            }
            jobs = numbered.sorted { ($0.turn, $0.place) < ($1.turn, $1.place) }.map(\.job)
        }
    }

    /// The bodies that share a transaction at most, so that the first of them does not wait too long.
    private static let batchLimit = 512
    /// A commit of fewer bodies gives way once to whoever wants the processor, for they may be about to bring more. Where
    /// nobody does it takes a microsecond. Under a load of reads with some edits it makes 5 % more of both, at 7 % less of
    /// the processor a request; one of writes alone is as fast as without. From 8 to 16 it saves another tenth of the
    /// syncs where something slows them down. A single body waits for nobody.
    private static let fewBodies = 16

    private let path: String
    private let configuration: FileStoreConfiguration
    private let context: BoardContext
    private let commits: Commits
    private let readers: ReaderPool
    private let files: DataFileWatch
    private let queue = DispatchQueue(label: "kanbase.writer", qos: .userInitiated)
    private let waiting = Locked(Waiting())
    private let done = Locked((commits: StoreActivity.Work(), writes: 0))
    private let foreignWrites = Locked<@Sendable () -> Void>({})
    /// Looks around while nobody writes.
    private let lookout: any DispatchSourceTimer
    /// When the transaction began that is running, and whether it has bodies of several accounts.
    private var turn = (began: ContinuousClock.now, isMixed: false)
    /// `nil` after an error of the disk, until the next batch opens the file again.
    private var open: (session: WriteSession<SQLiteConnection>, log: WriteAheadLog)?
    /// SQLite's count of what other connections wrote, in the last transaction of this session.
    private var dataVersion: Int64?
    private let ids: IDSource
    /// Never goes back, even when the clock does.
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
        lookout = DispatchSource.makeTimerSource(queue: queue)
        let open = try Self.open(path, configuration)
        let session = open.session
        // One later than the last, so that new ids come after those of the last run in the same millisecond.
        latest = Timestamp(milliseconds: try session.latestWrite().milliseconds + 1)
        try session.makeLocalAccount(
            id: ids.next(at: max(latest, context.clock())), epoch: ids.newEpoch(), at: context.clock())
        self.open = open
        session.shouldYield = { [unowned self] in shouldYield($0) }
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

    func write<T: Sendable>(
        _ account: AccountKey, session: ID?, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await perform(account, session: session) { try body($0) }
    }

    /// Runs the body in the next transaction. For ``AccountKey/nobody`` it must not touch a board.
    func perform<T: Sendable>(
        _ account: AccountKey = .nobody, session: ID? = nil, _ body: @escaping @Sendable (SQLiteBoardWriter) throws -> T
    ) async throws -> T {
        // A checked continuation, though a job is answered once by construction: it is resumed inside the runtime, where
        // the thread sanitizer does not take the memory that the task uses next for that of the answer.
        try await withCheckedThrowingContinuation { continuation in
            enqueue(
                PendingWrite(
                    account: account, session: session, executor: configuration.callersExecutor(), body: body,
                    continuation: continuation))
        }
    }

    private func enqueue(_ job: any WriteJob) {
        let (isClosed, wasAwake) = waiting.withLock { waiting in
            guard !waiting.isClosed else { return (true, true) }
            waiting.jobs.append(job)
            defer { waiting.isAwake = true }
            return (false, waiting.isAwake)
        }
        if isClosed { job.answer(failure: StoreError.closed) }
        // Outside of the lock, which the writer asks for as soon as it wakes.
        if !wasAwake { queue.async { self.work() } }
    }

    // MARK: - Working

    private func work() {
        while let jobs = nextBatch() { commit(jobs) }
    }

    private func nextBatch() -> [any WriteJob]? {
        let batch: [any WriteJob]? = waiting.withLock { waiting in
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

    private func commit(_ batch: [any WriteJob]) {
        var jobs = batch
        let start = ContinuousClock.now
        turn = (start, isMixed: false)
        do {
            let (session, log) = try opened()
            try begin(session)
            try run(&jobs, in: session)
            commits.announce(session.takeChangedTasks())
            let changed = try session.commit(at: latest)
            // Nobody is told of what is not in the file that the next start opens.
            try files.check()
            commits.publish(changed)
            done.withLock { done in
                done.commits.add(since: start)
                done.writes += jobs.count
            }
            if !changed.isEmpty { configuration.onCommit(changed.map(\.account)) }
            answer(jobs)
            if log.growth > configuration.logSize { checkpoint(log) }
        } catch {
            recover()
            let failure = SQLiteError.forCallers(error)
            for job in jobs { job.answer(failure: failure) }
        }
    }

    private func begin(_ session: WriteSession<SQLiteConnection>) throws {
        try session.begin()
        try noticeForeignWrites(session)
    }

    /// Runs the jobs, and those that come meanwhile: they share the commit, which costs more than all of them. Leaves in
    /// `jobs` those that this transaction answers, and the rest to the next one.
    ///
    /// There are no savepoints: with one, SQLite copies every page that a body writes first, and goes through all copies
    /// at its end. Rules check before they write, so a body that throws has written nothing, as a rule. After one that
    /// has, the transaction begins anew with the bodies before it; that one is the first of the next transaction, where
    /// nothing else has to be undone with it.
    ///
    /// Throws only what ends the whole batch.
    private func run(_ jobs: inout [any WriteJob], in session: WriteSession<SQLiteConnection>) throws {
        var next = 0
        noteAccounts(of: jobs)
        while next < jobs.count {
            if next > 0, isTimeOver { return giveBack(&jobs, from: next) }
            if try run(jobs[next], in: session) {
                next += 1
            } else {
                try session.rollBack()
                try begin(session)
                if next > 0 { giveBack(&jobs, from: next) }
                next = next > 0 ? 0 : 1
            }
            if next == jobs.count, !isTimeOver {
                jobs += waiting.withLock { $0.take(atMost: Self.batchLimit - jobs.count) }
                noteAccounts(of: jobs)
            }
        }
    }

    private var isTimeOver: Bool { ContinuousClock.now >= turn.began + configuration.batchTime }

    private func noteAccounts(of jobs: [any WriteJob]) {
        turn.isMixed = turn.isMixed || jobs.contains { $0.account != jobs[0].account }
    }

    /// Asked by bodies, so on the queue.
    private func shouldYield(_ account: AccountKey) -> Bool {
        isTimeOver && (turn.isMixed || waiting.withLock { $0.jobs.contains { $0.account != account } })
    }

    /// - Returns: false when the body threw after it had written: then the transaction must be undone.
    private func run(_ job: any WriteJob, in session: WriteSession<SQLiteConnection>) throws -> Bool {
        let mark = session.mark
        do {
            try job.run(on: writer(for: job, in: session))
            try session.connection.requireSound()
        } catch {
            try session.connection.requireSound()
            job.fail(SQLiteError.forCallers(error))
            if session.hasWritten(since: mark) { return false }
            session.forget(since: mark)
        }
        return true
    }

    /// Leaves the jobs from `index` on to the next transaction.
    private func giveBack(_ jobs: inout [any WriteJob], from index: Int) {
        guard index < jobs.count else { return }
        let rest = jobs[index...]
        jobs.removeSubrange(index...)
        waiting.withLock { $0.jobs.insert(contentsOf: rest, at: 0) }
    }

    private func answer(_ jobs: [any WriteJob]) {
        var byExecutor: [(executor: any TaskExecutor, jobs: [any WriteJob])] = []
        for job in jobs {
            // A single one is not worth a task.
            guard jobs.count > 1, let executor = job.executor else {
                job.answer()
                continue
            }
            // There are as few as loops.
            if let index = byExecutor.firstIndex(where: { $0.executor === executor }) {
                byExecutor[index].jobs.append(job)
            } else {
                byExecutor.append((executor, [job]))
            }
        }
        for (executor, jobs) in byExecutor {
            Task(executorPreference: executor) { for job in jobs { job.answer() } }
        }
    }

    private func writer(for job: any WriteJob, in session: WriteSession<SQLiteConnection>) -> SQLiteBoardWriter {
        latest = max(latest, context.clock())
        return SQLiteBoardWriter(
            account: job.account, writingSession: job.session, now: latest, session: session, context: context,
            ids: ids)
    }

    private func opened() throws -> (session: WriteSession<SQLiteConnection>, log: WriteAheadLog) {
        if let open { return open }
        try files.check()
        let fresh = try Self.open(path, configuration)
        // The log is there once something read it.
        _ = try fresh.session.latestWrite()
        files.noteOpened()
        open = fresh
        fresh.session.shouldYield = { [unowned self] in shouldYield($0) }
        return fresh
    }

    private static func open(
        _ path: String, _ configuration: FileStoreConfiguration
    ) throws -> (session: WriteSession<SQLiteConnection>, log: WriteAheadLog) {
        let connection = try SQLiteConnection(
            path: path, access: .readWrite,
            memory: .init(cache: configuration.writerCacheSize, mapped: 0), fileSystem: configuration.fileSystem)
        return (WriteSession(connection), try WriteAheadLog(of: connection, bound: configuration.logSize))
    }

    /// After an error of the disk: whatever was in memory may be wrong, and so may be the connection.
    private func recover() {
        closeSession()
        commits.forgetAll()
    }

    /// Tells the observer of every commit from now on.
    func addObserver(_ observer: any CommitObserver) {
        // Between two commits, so that no observer hears of the end of one without its beginning.
        if isOnQueue { commits.addObserver(observer) } else { queue.sync { commits.addObserver(observer) } }
    }

    // MARK: - Other processes

    /// Sets what is called after another process wrote: the commands that remove accounts and tokens work beside a server.
    func whenOthersWrite(_ body: @escaping @Sendable () -> Void) {
        foreignWrites.withLock { $0 = body }
    }

    /// Looks whether another process wrote since the last look, which takes some microseconds. Then nothing counts any more
    /// that was known.
    private func noticeForeignWrites(_ session: WriteSession<SQLiteConnection>) throws {
        let version = try session.connection.dataVersion()
        defer { dataVersion = version }
        guard let dataVersion, dataVersion != version else { return }
        session.forgetStandings()
        commits.forgetAll()
        foreignWrites.withLock { $0 }()
    }

    /// What an open stream may not show any more ends within 250 ms, a look and all that follows.
    private static let lookoutPace = DispatchTimeInterval.milliseconds(100)

    /// Finds what happens to the data without a write of ours.
    private func lookAround() {
        guard let open else { return }
        // An error meets the next write too, which is told of it.
        try? noticeForeignWrites(open.session)
        // It is reported already.
        try? files.check()
    }

    // MARK: - The log

    /// Copies the log into the file. Readers that read all the time would hold it back for ever, in turns: when it has
    /// become too long, they wait for one another for once. Not for an export, though; then it may grow to twice as much.
    private func checkpoint(_ log: WriteAheadLog) {
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

    /// Answers what was taken on, and refuses everything from now on.
    func close() {
        waiting.withLock { $0.isClosed = true }
        lookout.cancel()
        // Whoever took a job on may not have come to wake the queue for it. On the queue, `work` is already going on.
        if !isOnQueue { queue.sync { work() } }
    }

    /// The last connection to close copies the log into the file and removes it.
    func closeFile() {
        if isOnQueue { closeSession() } else { queue.sync { closeSession() } }
    }

    private func closeSession() {
        guard let open else { return }
        // The log belongs to the file that was opened: into another one of its name it must not be copied.
        if (try? files.check()) == nil { open.session.connection.leaveLog() }
        files.noteClosed()
        open.session.connection.close()
        self.open = nil
        dataVersion = nil
    }

    private static let ownQueue = DispatchSpecificKey<ObjectIdentifier>()

    /// The last one to let go of a store may be a body of a write.
    private var isOnQueue: Bool {
        DispatchQueue.getSpecific(key: Self.ownQueue) == ObjectIdentifier(self)
    }
}
