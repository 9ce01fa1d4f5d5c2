import Kanban
import KanbanRows

/// A body of `write` that waits for its transaction, and the one who waits for its answer.
protocol WriteJob: AnyObject, Sendable {
    var account: AccountKey { get }
    var session: ID? { get }
    /// The executor of the caller, if it is known.
    var executor: (any TaskExecutor)? { get }
    func run(on writer: SQLiteBoardWriter) throws
    /// Notes that the body failed. It is answered after the commit, so that answers keep their order.
    func fail(_ error: any Error)
    /// Resumes with what the body gave.
    func answer()
    /// Resumes the caller with an error of the whole batch.
    func answer(failure: any Error)
}

/// Unchecked: once the job is enqueued, only the writer's queue touches its fields, and then the thread that answers.
final class PendingWrite<T: Sendable>: WriteJob, @unchecked Sendable {
    let account: AccountKey
    let session: ID?
    let executor: (any TaskExecutor)?
    private let body: @Sendable (SQLiteBoardWriter) throws -> T
    private let continuation: CheckedContinuation<T, any Error>
    private var result: Result<T, any Error> = .failure(StoreError.closed)

    init(
        account: AccountKey, session: ID?, executor: (any TaskExecutor)?,
        body: @escaping @Sendable (SQLiteBoardWriter) throws -> T, continuation: CheckedContinuation<T, any Error>
    ) {
        self.account = account
        self.session = session
        self.executor = executor
        self.body = body
        self.continuation = continuation
    }

    func run(on writer: SQLiteBoardWriter) throws {
        result = .success(try body(writer))
    }

    func fail(_ error: any Error) {
        result = .failure(error)
    }

    func answer() {
        continuation.resume(with: result)
    }

    func answer(failure: any Error) {
        continuation.resume(throwing: failure)
    }
}

extension AccountKey {
    /// No account: for writes that concern none yet, or several.
    static let nobody = AccountKey(number: 0)
}
