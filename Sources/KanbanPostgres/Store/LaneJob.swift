import Kanban

/// A body that waits for its transaction, and the one who waits for its answer.
protocol LaneJob: AnyObject, Sendable {
    var account: AccountKey { get }
    var session: ID? { get }
    var needs: WriteNeeds { get }
    /// Until when it may wait.
    var due: ContinuousClock.Instant { get }
    func run(on writer: PostgresBoardWriter) throws
    /// The body itself failed; the answer waits for the commit all the same, so that answers keep their order.
    func fail(_ error: any Error)
    /// Resumes with what the body gave.
    func answer()
    func answer(failure: any Error)
}

/// Unchecked: once the job is enqueued, the result is touched by its lane's queue only.
final class PendingBody<T: Sendable>: LaneJob, @unchecked Sendable {
    let account: AccountKey
    let session: ID?
    let needs: WriteNeeds
    let due: ContinuousClock.Instant
    private let body: @Sendable (PostgresBoardWriter) throws -> T
    private let continuation: CheckedContinuation<T, any Error>
    private var result: Result<T, any Error> = .failure(StoreError.closed)

    init(
        account: AccountKey, session: ID?, needs: WriteNeeds, due: ContinuousClock.Instant,
        body: @escaping @Sendable (PostgresBoardWriter) throws -> T, continuation: CheckedContinuation<T, any Error>
    ) {
        self.account = account
        self.session = session
        self.needs = needs
        self.due = due
        self.body = body
        self.continuation = continuation
    }

    func run(on writer: PostgresBoardWriter) throws {
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
    /// No account: for what concerns none yet, or several.
    static let nobody = AccountKey(number: 0)
}
