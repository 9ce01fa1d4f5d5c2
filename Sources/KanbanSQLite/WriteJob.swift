import Kanban
import KanbanRows
import Synchronization

/// A body of `write` that waits for its transaction, and the one who waits for its answer. Not generic: each step of a
/// generic job looks up the types that it is made of, a fiftieth of the instructions of a write.
///
/// Unchecked: once the job is enqueued, only the writer's queue touches its fields, and then the thread that answers.
final class WriteJob: @unchecked Sendable {
    enum Outcome {
        /// The body has succeeded, or has failed without a trace.
        case done
        /// The body threw after it had written: the transaction must be undone.
        case undo
        /// It must be run again.
        case again
    }

    let account: AccountKey
    let session: ID?
    /// The executor of the caller, if it is known.
    let executor: (any TaskExecutor)?
    /// True if it has a transaction of its own, because it may be divided; see ``BoardWriter/pause()``.
    var isAlone = false
    /// True if no more parts are made of it: the rest is one transaction.
    var isWhole = false
    private let body: @Sendable (SQLiteBoardWriter) throws -> Void
    private let continuation: CheckedContinuation<Void, any Error>
    private var failure: (any Error)?

    init(
        account: AccountKey, session: ID?, executor: (any TaskExecutor)?,
        body: @escaping @Sendable (SQLiteBoardWriter) throws -> Void, continuation: CheckedContinuation<Void, any Error>
    ) {
        self.account = account
        self.session = session
        self.executor = executor
        self.body = body
        self.continuation = continuation
    }

    func run(on writer: SQLiteBoardWriter) throws {
        failure = nil
        try body(writer)
    }

    /// Notes that the body failed. It is answered after the commit, so that answers keep their order.
    func fail(_ error: any Error) {
        failure = error
    }

    /// Resumes the caller.
    func answer() {
        if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
    }

    /// Resumes the caller with an error of the whole batch.
    func answer(failure: any Error) {
        continuation.resume(throwing: failure)
    }
}

extension [WriteJob] {
    /// Resumes the callers of a batch.
    func answer() {
        var byExecutor: [(executor: any TaskExecutor, jobs: [WriteJob])] = []
        for job in self {
            // A single answer is not worth a task.
            guard count > 1, let executor = job.executor else {
                job.answer()
                continue
            }
            // There is one executor a loop.
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
}

/// What the body of a job gave.
///
/// Unchecked: the job writes the value, and the caller reads it once it is there.
final class WriteOutcome<T>: @unchecked Sendable {
    private var value: T?
    /// For the thread sanitizer, which does not see how the runtime hands over a continuation that is resumed before its task
    /// waits.
    private let isThere = Atomic<Bool>(false)

    func set(_ value: T) {
        self.value = value
        isThere.store(true, ordering: .releasing)
    }

    func get() -> T? {
        isThere.load(ordering: .acquiring) ? value : nil
    }
}

extension AccountKey {
    /// No account: for writes that concern none yet, or several.
    static let nobody = AccountKey(number: 0)
}
