/// Calls a closure once, when its time comes on its loop's coarse timer (up to 64 ms late). Moving the time later costs
/// a store.
// Unchecked because it is used on the loop's thread only.
package final class LoopTimer: Timed, @unchecked Sendable {
    private let loop: EventLoop
    private let action: () -> Void

    /// - Parameter action: called on the loop. The timer retains it; the loop retains the timer while it is scheduled.
    package init(on loop: EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Sets the time, and replaces an earlier one. Loop's thread only, like everything here.
    package func schedule(at time: Instant) {
        loop.schedule(self, at: time)
    }

    package func cancel() {
        loop.cancel(self)
    }

    override func timeIsUp() {
        action()
    }
}
