import Foundation
import Locks

extension Transfer {
    /// The last status, and the bytes received.
    package typealias Outcome = (status: Int, body: [UInt8])

    /// Runs the transfer on its own thread.
    /// - Parameter ended: called on that thread when it is done, which may be after the return.
    /// - Throws: ``Transfer/Fault``, or `CancellationError` as soon as the task is cancelled.
    package func perform(ended: @escaping @Sendable () -> Void = {}) async throws -> Outcome {
        let answer = Answer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.wait(continuation)
                Thread.detachNewThread { [self] in
                    answer.resume(with: Result { try run() })
                    ended()
                }
            }
        } onCancel: {
            cancel()
            answer.resume(with: .failure(CancellationError()))
        }
    }
}

/// Resumes its continuation once: with the answer, or when the waiting task is cancelled.
private final class Answer: Sendable {
    private enum State {
        case unasked
        case waiting(CheckedContinuation<Transfer.Outcome, any Error>)
        case answered(Result<Transfer.Outcome, any Error>?)
    }

    private let state = Locked(State.unasked)

    func wait(_ continuation: CheckedContinuation<Transfer.Outcome, any Error>) {
        let early: Result<Transfer.Outcome, any Error>? = state.withLock { state in
            if case .answered(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
    }

    func resume(with result: Result<Transfer.Outcome, any Error>) {
        let waiting: CheckedContinuation<Transfer.Outcome, any Error>? = state.withLock { state in
            switch state {
            case .unasked: state = .answered(result)
            case .waiting(let continuation):
                state = .answered(nil)
                return continuation
            case .answered: break
            }
            return nil
        }
        waiting?.resume(with: result)
    }
}
