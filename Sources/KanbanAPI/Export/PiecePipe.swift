import Dispatch
import Locks

/// Carries pieces from a thread that makes them to a task that sends them, a few at a time: whoever is ahead waits.
///
/// One producer, which may block, and one consumer, which may not.
final class PiecePipe: Sendable {
    /// Nobody takes any more.
    struct Abandoned: Error {}

    private struct State {
        var pieces: [[UInt8]] = []
        /// Set when no more pieces come, with what went wrong.
        var end: Result<Void, any Error>?
        var isAbandoned = false
        var waiting: CheckedContinuation<[UInt8]?, any Error>?
    }

    private let state = Locked(State())
    private let room: DispatchSemaphore
    private let deadline: DispatchTime

    /// - Parameters:
    ///   - capacity: how many pieces may wait.
    ///   - patience: how long the pieces may take to be taken, all together.
    init(capacity: Int, patience: DispatchTimeInterval = .never) {
        deadline = .now() + patience
        // Dispatch ends the process when a semaphore is released with less than it was made with, as one is here when
        // nobody takes the last pieces. So it is made with nothing.
        room = DispatchSemaphore(value: 0)
        for _ in 0..<capacity { room.signal() }
    }

    /// Waits until there is room.
    /// - Throws: ``Abandoned`` when nobody takes any more, or not in time.
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

    /// No more pieces come.
    func finish(_ end: Result<Void, any Error>) {
        let waiting = state.withLock { state in
            state.end = end
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(with: end.map { nil })
    }

    /// No more pieces are wanted: the producer is told with its next one.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        room.signal()
    }

    /// The next piece; `nil` after the last.
    /// - Throws: what the producer met.
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
