import Dispatch
import Locks

/// Carries pieces from a thread that produces them to a task that sends them. It holds a few; the faster side waits.
///
/// One producer, which may block, and one consumer, which may not.
final class PiecePipe: Sendable {
    /// The consumer has gone.
    struct Abandoned: Error {}

    private struct State {
        var pieces: [[UInt8]] = []
        /// Set after the last piece, with the error if there was one.
        var end: Result<Void, any Error>?
        var isAbandoned = false
        var waiting: CheckedContinuation<[UInt8]?, any Error>?
    }

    private let state = Locked(State())
    private let room: DispatchSemaphore
    private let deadline: DispatchTime

    /// - Parameters:
    ///   - capacity: how many pieces may wait.
    ///   - timeout: how long the consumer may take for all pieces together.
    init(capacity: Int, timeout: DispatchTimeInterval = .never) {
        deadline = .now() + timeout
        // Dispatch traps when a semaphore is released with a lower value than its initial one, as happens here when the
        // last pieces are not consumed. So the initial value is zero.
        room = DispatchSemaphore(value: 0)
        for _ in 0..<capacity { room.signal() }
    }

    /// Waits until there is room.
    /// - Throws: ``Abandoned`` when the consumer has gone, or takes too long.
    func send(_ piece: [UInt8]) throws {
        guard room.wait(timeout: deadline) == .success else { throw Abandoned() }
        let taker = try state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            if state.isAbandoned {
                room.signal()
                throw Abandoned()
            }
            guard let waiting = state.waiting else {
                state.pieces.append(piece)
                return nil
            }
            state.waiting = nil
            return waiting
        }
        guard let taker else { return }
        room.signal()
        taker.resume(returning: piece)
    }

    /// The producer has no more pieces.
    func finish(_ end: Result<Void, any Error>) {
        let waiting = state.withLock { state in
            state.end = end
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(with: end.map { nil })
    }

    /// The consumer wants no more pieces: the producer's next write throws.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        room.signal()
    }

    /// The next piece; `nil` after the last.
    /// - Throws: the producer's error.
    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = state.withLock { state -> Result<[UInt8]?, any Error>? in
                if !state.pieces.isEmpty { return .success(state.pieces.removeFirst()) }
                if let end = state.end { return end.map { nil } }
                state.waiting = continuation
                return nil
            }
            guard let outcome else { return }
            if case .success(.some) = outcome { room.signal() }
            continuation.resume(with: outcome)
        }
    }
}
