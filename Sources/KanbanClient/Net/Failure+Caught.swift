extension Failure {
    init(caught error: any Error) {
        self =
            switch error {
            case let failure as Failure: failure
            case let error as KanbanError: .storage(error)
            case let error as NetworkError: error.distrust.map { .untrusted(cause: $0) } ?? .network
            default: .network
            }
    }
}

extension BoardCore {
    /// The error that the app gets for what a request of its own came to. A cancellation stays a `CancellationError`.
    func appError(_ error: any Error, as form: KeyPath<Failure, KanbanError> = \.error) -> any Error {
        guard !(error is CancellationError) else { return error }
        let failure = Failure(caught: error)
        log(LogEvent(failure, code: "request.failed"))
        return failure[keyPath: form]
    }
}

extension LogEvent {
    init(_ failure: Failure, code: String) {
        self.init(code: code, cause: failure.cause)
        if case .problem(let problem) = failure {
            status = problem.status
            requestID = problem.requestID
        }
    }
}
