/// A task that waits for a time.
// Unchecked because its members are used on the loop's thread only.
private final class Sleeper: Timed, @unchecked Sendable {
    private var continuation: UnsafeContinuation<Bool, Never>?
    private var isCancelled = false

    func begin(_ continuation: UnsafeContinuation<Bool, Never>, until due: Instant, on loop: EventLoop) {
        if isCancelled { return continuation.resume(returning: false) }
        self.continuation = continuation
        loop.schedule(self, at: due)
    }

    func cancel(on loop: EventLoop) {
        isCancelled = true
        loop.cancel(self)
        end(false)
    }

    override func timeIsUp() {
        end(true)
    }

    private func end(_ value: Bool) {
        // Resumed exactly once: the first caller removes it.
        continuation?.resume(returning: value)
        continuation = nil
    }
}

extension EventLoop {
    /// Waits on the loop's coarse timer (up to 64 ms too long), which is cheap for thousands of tasks. For any task.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let due = Instant.now + duration
        let sleeper = Sleeper()
        let isOver = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                execute { sleeper.begin(continuation, until: due, on: self) }
            }
        } onCancel: {
            execute { sleeper.cancel(on: self) }
        }
        if !isOver { throw CancellationError() }
    }
}
