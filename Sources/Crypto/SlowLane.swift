import Dispatch
import Foundation
import Locks

#if canImport(Glibc)
    import Glibc
#endif

/// Where passwords are hashed: one thread of the lowest priority with a bounded queue, so that twenty people who log
/// in at once wait for each other, but nobody's board waits for them.
package final class SlowLane: Sendable {
    /// Too many wait already.
    package struct Full: Error {
        package init() {}
    }

    private let lane: Lane
    private let capacity: Int

    /// - Parameter capacity: how many may wait; one more is refused.
    package init(capacity: Int = 64) {
        lane = Lane()
        self.capacity = capacity
    }

    deinit {
        lane.stop()
    }

    /// Runs `work` on the lane's thread, in the order of the calls.
    /// - Throws: ``Full``, at once, when too many wait.
    package func run<T: Sendable>(_ work: @escaping @Sendable () -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let accepted = lane.add(atMost: capacity) { continuation.resume(returning: work()) }
            if !accepted { continuation.resume(throwing: Full()) }
        }
    }

    /// What the thread and its owner share; the thread must not keep the owner alive.
    private final class Lane: Sendable {
        private struct State {
            var jobs: [@Sendable () -> Void] = []
            var hasThread = false
        }

        private let state = Locked(State())
        private let signal = DispatchSemaphore(value: 0)

        /// False when `capacity` jobs wait already.
        func add(atMost capacity: Int, _ job: @escaping @Sendable () -> Void) -> Bool {
            let (accepted, isFirst) = state.withLock { state in
                guard state.jobs.count < capacity else { return (false, false) }
                state.jobs.append(job)
                defer { state.hasThread = true }
                return (true, !state.hasThread)
            }
            guard accepted else { return false }
            if isFirst { Thread.detachNewThread { self.serve() } }
            signal.signal()
            return true
        }

        /// Ends the thread once it has done what waits.
        func stop() {
            signal.signal()
        }

        private func serve() {
            #if canImport(Glibc)
                // On Linux niceness belongs to the thread, and without privileges there is no way back:
                // that is why this is a thread of its own and not a queue of Dispatch.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            #else
                Thread.current.qualityOfService = .background
            #endif
            while true {
                signal.wait()
                let job: (@Sendable () -> Void)? = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
                guard let job else { return }
                job()
            }
        }
    }
}
