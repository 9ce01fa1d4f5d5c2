/// Watches one descriptor on one loop: remembers its readiness and lets one task at a time wait for it.
///
/// The kernel reports changes only (edge-triggered), so readiness stays noted here until a call finds out that it is
/// used up. The descriptor belongs to someone else, who ends the watch before closing it.
// Unchecked because everything but `poke` and `init` is for the loop's thread only, and `poke` goes there.
package final class Watch: Timed, @unchecked Sendable {
    /// Why a wait came to its end.
    package enum Outcome: Sendable {
        /// Ready, or broken: the next call tells which.
        case ready
        case timedOut
        /// Someone called ``poke()``.
        case poked
    }

    package let descriptor: Int32
    package let loop: EventLoop
    /// Called once when the connection turned out to be gone in both directions.
    package var onBreak: (() -> Void)?
    /// Called when the other side announced that it will send nothing more.
    package var onEnd: (() -> Void)?
    /// Called in place of ending a wait that allows it: what it can do at once needs no task to be resumed, which costs
    /// as much as reading a head. It returns until when to go on waiting; `nil`: the task is needed, and the wait ends.
    package var onReady: (() -> Instant?)?
    /// Called when a ``rest(until:)`` ends.
    package var onWake: (() -> Void)?
    private var allowsOnReady = false
    private var isResting = false
    private var readiness: Readiness = []
    private var waiter: UnsafeContinuation<Outcome, Never>?
    private var interest = Interest.reading
    private var isPoked = false
    private var isActive = false

    package init(_ descriptor: Int32, on loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    /// Begins. Loop's thread only, as all that follows.
    package func start() throws(SystemError) {
        try loop.add(self)
        isActive = true
    }

    /// Ends for good; nobody may be waiting.
    package func stop() {
        guard isActive else { return }
        isActive = false
        loop.remove(self)
        onBreak = nil
        onEnd = nil
        onReady = nil
        onWake = nil
        isResting = false
    }

    package var isBroken: Bool { readiness.contains(.broken) }
    package var hasEnded: Bool { readiness.contains(.ended) }

    /// A call took all there was: wait for the kernel's next report.
    ///
    /// After the other side's end or a break there is no next report; reading stays possible and finds it out.
    package func exhausted(_ interest: Interest) {
        if isBroken { return }
        switch interest {
        case .reading: if !hasEnded { readiness.remove(.readable) }
        case .writing: readiness.remove(.writable)
        }
    }

    package func isReady(for interest: Interest) -> Bool {
        readiness.contains(interest == .reading ? .readable : .writable)
    }

    /// Waits until the descriptor is ready, at most until `deadline`.
    ///
    /// - Parameter allowsOnReady: ``onReady`` may take what comes; the wait ends when that returns `nil`.
    package func wait(
        for interest: Interest, until deadline: Instant, allowsOnReady: Bool = false
    ) async -> Outcome {
        if isPoked {
            isPoked = false
            return .poked
        }
        if isReady(for: interest) { return .ready }
        loop.schedule(self, at: deadline)
        self.interest = interest
        self.allowsOnReady = allowsOnReady
        // Unsafe continuation: the one store and the one load below are all there is to its life, and a checked one
        // costs an allocation a request.
        return await withUnsafeContinuation { waiter = $0 }
    }

    /// Waits to read without a task: ``onReady`` takes what comes, until it returns `nil`, the time is up or someone calls
    /// ``poke()``. Then ``onWake`` is called.
    package func rest(until deadline: Instant) {
        interest = .reading
        allowsOnReady = true
        isResting = true
        if isPoked {
            isPoked = false
            resume(.poked)
        } else if isReady(for: .reading) {
            takeOrResume()
        } else {
            loop.schedule(self, at: deadline)
        }
    }

    /// Ends the current wait or rest, or the next one, with `.poked`. From any thread.
    package func poke() {
        loop.execute { [self] in
            if !resume(.poked) { isPoked = true }
        }
    }

    func became(_ change: Readiness) {
        let wasBroken = isBroken
        let hadEnded = hasEnded
        readiness.formUnion(change)
        if isReady(for: interest) { takeOrResume() }
        if !hadEnded, hasEnded { onEnd?() }
        if !wasBroken, isBroken { onBreak?() }
    }

    private func takeOrResume() {
        if allowsOnReady, waiter != nil || isResting, let deadline = onReady?() {
            loop.schedule(self, at: deadline)
        } else {
            resume(.ready)
        }
    }

    override func timeIsUp() {
        resume(.timedOut)
    }

    @discardableResult
    private func resume(_ outcome: Outcome) -> Bool {
        if isResting {
            isResting = false
            onWake?()
            return true
        }
        guard let waiter else { return false }
        self.waiter = nil
        waiter.resume(returning: outcome)
        return true
    }
}
