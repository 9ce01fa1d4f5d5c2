import Foundation
import Locks
import Synchronization

/// One thread that waits for many descriptors and runs the tasks that work on them.
///
/// It is the executor of those tasks (`Task(executorPreference: loop)`), so what touches a connection, its timers
/// and its buffers runs on one thread and needs no locks. A job from the loop's own thread is appended to an array and runs
/// after the batch of events. Only a job from another thread takes a lock, and it wakes the loop at most once a sleep.
///
/// It is a thread that blocks in the kernel, not a Dispatch source over the epoll descriptor. The same server and load on
/// two busy cores take 8.7–8.9 µs of CPU a request instead of 9.1–17.0 at 64 connections, and 11.8–12.7 instead of 28–50
/// at 2, where Dispatch changes threads for every batch (nginx: 7.2–8.3 and 9.3–9.8).
// Unchecked because the mutable members under "Loop's thread only" are used only there; `foreign` has a lock, and any
// thread may call the poller's `wake`.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    private struct Foreign {
        var jobs: [UnownedJob] = []
        var calls: [@Sendable () -> Void] = []
        var isStopped = false
    }

    /// 0 for the first loop of its group; a key for state that exists once for each loop.
    package let index: Int
    private let poller: Poller
    /// Nanoseconds after which a turn begins no further job.
    private let longestTurn: Int64
    private let meter: LoopMeter?
    private let foreign = Locked(Foreign())
    /// True if `foreign` has jobs, so that the loop need not lock it when it is empty.
    private let hasForeign = Atomic<Bool>(false)
    /// The loop waits in the kernel, or is about to. It sets this before its last read of `hasForeign`; other threads set
    /// `hasForeign` before they read this. So at least one side sees the other's write.
    private let isAsleep = Atomic<Bool>(false)

    // Loop's thread only:
    /// The time of the current turn.
    package private(set) var now = Instant.now
    private var jobs: [UnownedJob] = []
    private var runningJobs: [UnownedJob] = []
    private var watches: [Watch?] = []
    private var wheel = TimerWheel(now: .now)
    private var endOfTurn: [() -> Void] = []
    private var nextTurn: [() -> Void] = []
    /// Events of the last turn.
    private var latestCount = 0
    /// How many times the loop sleeps before it polls again.
    private var sleepsAhead = 0

    init(index: Int, meter: LoopMeter? = nil, longestTurn: Int64) throws(SystemError) {
        self.index = index
        self.meter = meter
        self.longestTurn = longestTurn
        poller = try Poller()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
        } else {
            wakeAfter { $0.jobs.append(job) }
        }
    }

    /// Runs `call` on the loop's thread: at once if that is the current thread.
    package func execute(_ call: @escaping @Sendable () -> Void) {
        if isCurrent { call() } else { wakeAfter { $0.calls.append(call) } }
    }

    /// Runs `call` after the jobs of this batch of events, before the loop waits again: the place to close what the batch
    /// shares. Jobs for which the turn has no time left come after it. Loop's thread only.
    package func atEndOfTurn(_ call: @escaping () -> Void) {
        assertIsCurrent()
        endOfTurn.append(call)
    }

    /// Runs `call` in the next turn, after its events; the loop does not sleep before. Endless work uses it to let others go
    /// first. Loop's thread only.
    package func inNextTurn(_ call: @escaping () -> Void) {
        assertIsCurrent()
        nextTurn.append(call)
    }

    @inline(__always)
    private func metered(_ work: () -> Void) {
        if let meter { meter.measure(work) } else { work() }
    }

    private func wakeAfter(_ add: (inout Foreign) -> Void) {
        foreign.withLock { foreign in
            add(&foreign)
            hasForeign.store(true, ordering: .sequentiallyConsistent)
        }
        if isAsleep.exchange(false, ordering: .sequentiallyConsistent) { poller.wake() }
    }

    // MARK: The thread

    /// Runs the loop until ``stop()``.
    func run() {
        EventLoop.enter(self)
        while runTurn() {}
        EventLoop.leave()
    }

    /// Ends ``run()`` soon. Tasks that wait on the loop are never resumed; end them first.
    func stop() {
        wakeAfter { $0.isStopped = true }
    }

    private func runTurn() -> Bool {
        let count = waitForEvents()
        latestCount = count
        now = .now
        for index in 0..<count {
            guard let (descriptor, readiness) = poller.event(index) else { continue }
            // A descriptor that was removed in this batch no longer has a watch.
            if Int(descriptor) < watches.count, let watch = watches[Int(descriptor)] {
                metered { watch.became(readiness) }
            }
        }
        for timed in wheel.advance(to: now) { metered { timed.timeIsUp() } }
        if !nextTurn.isEmpty {
            let calls = nextTurn
            nextTurn = []
            for call in calls { metered(call) }
        }
        let isStopped = takeForeign()
        runJobs()
        if !endOfTurn.isEmpty {
            let calls = endOfTurn
            endOfTurn = []
            for call in calls { metered(call) }
        }
        return !isStopped
    }

    /// After one or two events, the loop polls for a moment before it sleeps: clients that got an answer ask again, and going
    /// idle and waking up takes a processor longer than an answer, above all a virtual one. With the load on a processor of
    /// its own, two connections of one client get 1.17 × as many answers at 0.90 × the processor time, and eight as many at
    /// as much. If a poll finds nothing, others need the processor or there are no requests, so the next sleeps come without
    /// polls: otherwise, 8 connections of two threads on two cores get 12 % less.
    private func waitForEvents() -> Int {
        let time = waitingTime()
        guard time != 0, Self.hasOtherProcessors, latestCount == 1 || latestCount == 2 else {
            return poller.wait(milliseconds: time)
        }
        guard sleepsAhead == 0 else {
            sleepsAhead -= 1
            return poller.wait(milliseconds: time)
        }
        let end = Instant.now + Self.look
        repeat {
            let count = poller.wait(milliseconds: 0)
            if count > 0 { return count }
        } while Instant.now < end
        sleepsAhead = 64
        return poller.wait(milliseconds: time)
    }

    /// In nanoseconds, like the other times of a turn.
    private static let look: Int64 = 20_000
    /// On a single processor, polling would only keep clients from running.
    private static let hasOtherProcessors = ProcessInfo.processInfo.activeProcessorCount > 1

    /// The longest wait in the kernel, in milliseconds; from here on other threads wake the loop.
    private func waitingTime() -> Int32 {
        if !jobs.isEmpty || !nextTurn.isEmpty { return 0 }
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        if hasForeign.load(ordering: .sequentiallyConsistent) { return 0 }
        guard let next = wheel.nextLook else { return -1 }
        let nanoseconds = max(0, next.nanoseconds - now.nanoseconds)
        return Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
    }

    private func takeForeign() -> Bool {
        isAsleep.store(false, ordering: .relaxed)
        guard hasForeign.load(ordering: .acquiring) else { return false }
        var calls: [@Sendable () -> Void] = []
        let isStopped = foreign.withLock { foreign in
            hasForeign.store(false, ordering: .relaxed)
            if !foreign.jobs.isEmpty {
                jobs.append(contentsOf: foreign.jobs)
                foreign.jobs.removeAll(keepingCapacity: true)
            }
            if !foreign.calls.isEmpty { swap(&calls, &foreign.calls) }
            return foreign.isStopped
        }
        for call in calls { metered(call) }
        return isStopped
    }

    /// Runs waiting jobs, and jobs that they enqueue, for a bounded number of rounds and a bounded time: then the loop polls
    /// the kernel even if there are more jobs.
    private func runJobs() {
        if jobs.isEmpty { return }
        let executor = asUnownedTaskExecutor()
        let end = Instant.now + longestTurn
        var rounds = 0
        while !jobs.isEmpty, rounds < 16 {
            swap(&jobs, &runningJobs)
            var done = 0
            repeat {
                metered { runningJobs[done].runSynchronously(on: executor) }
                done += 1
            } while done < runningJobs.count && Instant.now < end
            // Before the jobs that were enqueued in the meantime.
            if done < runningJobs.count { jobs.insert(contentsOf: runningJobs[done...], at: 0) }
            runningJobs.removeAll(keepingCapacity: true)
            rounds += 1
            guard Instant.now < end else { return }
        }
    }

    // MARK: Watches and timers, loop's thread only

    func add(_ watch: Watch) throws(SystemError) {
        assertIsCurrent()
        let number = Int(watch.descriptor)
        while watches.count <= number { watches.append(nil) }
        watches[number] = watch
        do throws(SystemError) {
            try poller.add(watch.descriptor, isLevelTriggered: watch.isLevelTriggered)
        } catch {
            watches[number] = nil
            throw error
        }
    }

    func remove(_ watch: Watch) {
        assertIsCurrent()
        watches[Int(watch.descriptor)] = nil
        wheel.remove(watch)
    }

    func schedule(_ timed: Timed, at due: Instant) {
        assertIsCurrent()
        wheel.schedule(timed, at: due)
    }

    func cancel(_ timed: Timed) {
        assertIsCurrent()
        wheel.remove(timed)
    }
}
