import Kanban

/// A body that waits for its transaction, and its caller.
protocol LaneJob: AnyObject, Sendable {
    var account: AccountKey { get }
    var session: ID? { get }
    var needs: WriteNeeds { get }
    /// The end of its waiting time.
    var due: ContinuousClock.Instant { get }
    func run(on writer: PostgresBoardWriter) throws
    /// Notes that the body failed. It is answered after the commit, so that answers keep their order.
    func fail(_ error: any Error)
    /// Resumes the caller with the result of the body.
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
    /// No account: for writes that concern none yet, or several.
    static let nobody = AccountKey(number: 0)
}
