import Kanban
import Locks

/// A job in a ``DurableQueue``.
package protocol QueuedJob: Sendable {
    var createdAt: Timestamp { get }
    /// Attempts that were begun.
    var attempts: Int { get }
}

extension QueuedJob {
    /// The time until the next attempt: 10 s, doubled each time, at most an hour.
    package var pause: Duration {
        min(.seconds(10) * (1 << min(attempts, 9)), .seconds(3600))
    }
}

/// A kind of work that waits in the store until another server has taken it.
package protocol QueuedWork: Sendable {
    associatedtype Job: QueuedJob
    /// What is made of a job for one attempt.
    associatedtype Delivery: Sendable

    var words: QueueWords { get }
    func due(at now: Timestamp, limit: Int, in reader: any AccessReader) throws -> [Job]
    /// `nil` when nothing waits.
    func nextDue(in reader: any AccessReader) throws -> Timestamp?
    /// Also postpones the job, in case this attempt fails or never ends.
    func prepare(_ job: Job, in writer: any AccessWriter) throws -> Preparation<Delivery>
    /// Counts an attempt, and stores the time of the next one.
    /// - Returns: false when somebody else has, or has removed the job, since it was read.
    func postpone(_ job: Job, in writer: any AccessWriter) throws -> Bool
    /// - Throws: when it was not taken, and is to be tried again. The error contains nothing secret.
    func deliver(_ delivery: Delivery) async throws -> Verdict
    func remove(_ job: Job, in writer: any AccessWriter) throws
}

/// What becomes of a job that is due.
package enum Preparation<Delivery: Sendable>: Sendable {
    /// The job is obsolete and removed, or another server does it.
    case needless
    /// It waited too long, and is removed.
    case givenUp
    case made(Delivery)
}

/// What the other server says to a delivery.
package enum Verdict: Sendable {
    case taken
    /// It will never take it; why not.
    case refused(String)
}

/// What a queue says in the log.
package struct QueueWords: Sendable {
    var unreadable: String
    var failed: String
    var refused: String
    var givenUp: (message: String, reason: String)
}

/// How often deliveries were tried.
package struct QueueCounts: Hashable, Sendable {
    package var sent = 0
    /// Attempts that the other server did not accept.
    package var failed = 0
    /// Jobs that the other server will never take.
    package var refused = 0
    /// Jobs that were not accepted within a day.
    package var givenUp = 0

    package init(sent: Int = 0, failed: Int = 0, refused: Int = 0, givenUp: Int = 0) {
        self.sent = sent
        self.failed = failed
        self.refused = refused
        self.givenUp = givenUp
    }
}

package enum Retry {
    /// How long a delivery is tried.
    package static let lifetime: Duration = .seconds(86_400)
}

/// The most deliveries at a time.
private let most = 4
/// The pause between looks at the queue without a wake-up, and after an error of the store.
private let rest = Duration.seconds(60)
/// The pause between looks at a queue that other servers fill, too.
private let look = Duration.seconds(2)

/// Delivers what waits in the store to another server. Each job is retried with growing pauses until that server accepts it,
/// for at most a day.
///
/// A job is deleted after the other server has accepted it: a crash loses none, but may deliver one twice.
package final class DurableQueue<Work: QueuedWork>: Sendable {
    package typealias Delivery = Work.Delivery

    let work: Work
    private let store: any AccessStore
    private let clock: @Sendable () -> Timestamp
    private let mayRun: @Sendable () async throws -> Bool
    private let warn: @Sendable (_ message: String, _ reason: String) -> Void
    private let counted = Locked(QueueCounts())
    private let wakeUps: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - mayRun: true if this process does the work, if several serve the same accounts; called before each look, and
    ///     right for longer than the deliveries of a look take.
    ///   - warn: called for each delivery that was not accepted.
    init(
        _ work: Work, store: any AccessStore, clock: @escaping @Sendable () -> Timestamp,
        mayRun: @escaping @Sendable () async throws -> Bool,
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void
    ) {
        self.work = work
        self.store = store
        self.clock = clock
        self.mayRun = mayRun
        self.warn = warn
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var counts: QueueCounts { counted.withLock { $0 } }

    /// Looks for a job that was just queued.
    package func wake() {
        waker.yield()
    }

    /// Delivers jobs as they become due, until the task is cancelled.
    package func run() async {
        wake()
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        for await _ in wakeUps {
            timer?.cancel()
            var next: Duration?
            do {
                next = try await sendDue()
                // Other servers queue jobs without waking this one.
                if store.localAccess == nil { next = min(next ?? look, look) }
            } catch is CancellationError {
                return
            } catch {
                warn(work.words.unreadable, "\(error)")
                next = rest
            }
            guard let next else { continue }
            timer = Task { [waker] in
                // Cancelled by another timer, or when nobody listens. `try?`: then there is nothing to do.
                guard (try? await Task.sleep(for: min(next, rest))) != nil else { return }
                waker.yield()
            }
        }
    }

    /// Delivers all jobs that are due, unless another server does.
    /// - Returns: how long until the next is due; `nil` when none waits for this server.
    package func sendDue() async throws -> Duration? {
        while try await mayRun() {
            let now = clock()
            let due = try await store.readAccess { [work] in try work.due(at: now, limit: most, in: $0) }
            guard !due.isEmpty else {
                let next = try await store.readAccess { [work] in try work.nextDue(in: $0) }
                return next.map { .milliseconds(max(0, $0.milliseconds - now.milliseconds)) }
            }
            try await withThrowingTaskGroup { group in
                for job in due { group.addTask { try await self.send(job) } }
                try await group.waitForAll()
            }
        }
        return nil
    }

    private func send(_ job: Work.Job) async throws {
        let preparation: Preparation<Delivery>
        do {
            preparation = try await store.writeAccess { [work] in try work.prepare(job, in: $0) }
        } catch StoreError.corrupt(let reason) {
            // A damaged row must not keep the jobs behind it waiting.
            warn(work.words.unreadable, reason)
            _ = try await store.writeAccess { [work] in try work.postpone(job, in: $0) }
            return
        }
        switch preparation {
        case .needless: return
        case .givenUp:
            counted.withLock { $0.givenUp += 1 }
            warn(work.words.givenUp.message, work.words.givenUp.reason)
        case .made(let delivery):
            let verdict: Verdict
            do {
                verdict = try await work.deliver(delivery)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // The time of the next attempt was stored before this one.
                counted.withLock { $0.failed += 1 }
                warn(work.words.failed, "\(error)")
                return
            }
            try await store.writeAccess { [work] in try work.remove(job, in: $0) }
            switch verdict {
            case .taken: counted.withLock { $0.sent += 1 }
            case .refused(let reason):
                counted.withLock { $0.refused += 1 }
                warn(work.words.refused, reason)
            }
        }
    }
}
