/// Handles the events of a watched descriptor, on the loop of the watch.
package protocol WatchHandler: AnyObject {
    /// The descriptor is ready, or the next system call returns the error that keeps it from becoming ready.
    func becameReady()

    /// The time of the wait is over.
    func timedOut()

    /// The peer will send nothing more. Called once, in addition to ``becameReady()``.
    func peerEnded()

    /// The connection is closed in both directions. Called once, in addition to ``becameReady()``.
    func connectionBroke()
}

/// Watches one descriptor on one loop: keeps its readiness, and calls its handler once for each wait.
///
/// The kernel reports only changes (edge-triggered), so the readiness is kept here until a call uses it up. The descriptor
/// belongs to the handler, which stops the watch before it closes the descriptor.
// Unchecked because everything but `init` is for the loop's thread only; debug builds check it.
package final class Watch: Timed, @unchecked Sendable {
    package let descriptor: Int32
    package let loop: EventLoop
    /// For a reader that may leave bytes in the kernel: each turn reports them, and none reports room for writing.
    let isLevelTriggered: Bool
    /// Set from `start` to `stop`; the two retain each other.
    private var handler: (any WatchHandler)?
    private var readiness: Readiness = []
    /// The readiness that it waits for; `nil`: none.
    private var awaited: Interest?

    package init(_ descriptor: Int32, on loop: EventLoop, isLevelTriggered: Bool = false) {
        self.isLevelTriggered = isLevelTriggered
        self.descriptor = descriptor
        self.loop = loop
    }

    /// Begins. Loop's thread only, like everything below.
    package func start(_ handler: any WatchHandler) throws(SystemError) {
        try loop.add(self)
        self.handler = handler
    }

    /// Ends for good.
    package func stop() {
        guard handler != nil else { return }
        handler = nil
        awaited = nil
        loop.remove(self)
    }

    package var isBroken: Bool { readiness.contains(.broken) }
    package var hasEnded: Bool { readiness.contains(.ended) }

    /// A call used up the readiness: wait for the kernel's next report.
    ///
    /// After the peer's end or a lost connection there is no next report; reading stays possible and returns it.
    package func exhausted(_ interest: Interest) {
        if isBroken { return }
        switch interest {
        case .reading: if !hasEnded { readiness.remove(.readable) }
        case .writing: readiness.remove(.writable)
        }
    }

    /// Something else used the descriptor: the next call finds out whether it is ready.
    package func assumeReady(for interest: Interest) {
        readiness.insert(interest == .reading ? .readable : .writable)
    }

    package func isReady(for interest: Interest) -> Bool {
        readiness.contains(interest == .reading ? .readable : .writable)
    }

    /// Waits, and replaces an earlier wait. One call follows: ``WatchHandler/becameReady()``, or at the deadline
    /// ``WatchHandler/timedOut()``.
    package func wait(for interest: Interest, until deadline: Instant) {
        awaited = interest
        loop.schedule(self, at: deadline)
        // Not at once: the caller has not finished.
        if isReady(for: interest) { loop.inNextTurn { [self] in tellIfReady() } }
    }

    /// Ends the wait without a call.
    package func endWait() {
        loop.assertIsCurrent()
        // The timer stays: moving it at the next wait is cheaper than removing and adding it.
        awaited = nil
    }

    func became(_ change: Readiness) {
        let before = readiness
        readiness.formUnion(change)
        tellIfReady()
        if change.contains(.ended), !before.contains(.ended) { handler?.peerEnded() }
        if change.contains(.broken), !before.contains(.broken) { handler?.connectionBroke() }
    }

    private func tellIfReady() {
        guard let awaited, isReady(for: awaited) else { return }
        self.awaited = nil
        handler?.becameReady()
    }

    override func timeIsUp() {
        guard awaited != nil else { return }
        awaited = nil
        handler?.timedOut()
    }
}
