import Dispatch
import Locks
import TestSupport
import Testing
import Turns

@Suite(.timeLimit(.minutes(10)))
struct WorkersTests {
    private let busy = 1
    private let other = 2

    @Test func `an account has a limit of waiting jobs, and others still get in`() async throws {
        let workers = Workers(FairQueue<Int, WaitingJob>(limit: 1, reserve: 1, mostWaitingOfOne: 32))
        let gate = DispatchSemaphore(value: 0)
        let first = Task { try await workers.run(for: busy) { gate.wait() } }
        let waiting = (0..<32 + 8).map { _ in
            Task { try await workers.run(for: busy) {} }
        }
        try await until { workers.figures.waiting == 32 }

        // Before the first job has ended.
        #expect(try await workers.run(for: other) { 7 } == 7)

        gate.signal()
        try await first.value
        var refused = 0
        for job in waiting {
            do { try await job.value } catch is Busy { refused += 1 }
        }
        #expect((7...8).contains(refused))
    }

    @Test func `a turn without a thread is given on by who leaves, and not to who gave up`() async throws {
        let turns = Workers(FairQueue<Int, WaitingJob>(limit: 1), at: .caller)
        try await turns.enter(busy)
        let gone = Task { try await turns.enter(other) }
        try await until { turns.waiting(of: other) == 1 }
        let next = Task { try await turns.enter(other) }
        try await until { turns.waiting(of: other) == 2 }

        gone.cancel()
        await #expect(throws: CancellationError.self) { try await gone.value }
        turns.leave(busy)

        try await next.value
        turns.leave(other)
        #expect(turns.figures.waiting == 0)
        try await turns.enter(busy)
    }

    @Test func `jobs that wait can be refused, and those that run go on`() async throws {
        let workers = Workers(FairQueue<Int, WaitingJob>(limit: 1))
        let gate = DispatchSemaphore(value: 0)
        let isRunning = Locked(false)
        let running = Task {
            try await workers.run(for: busy) {
                isRunning.withLock { $0 = true }
                gate.wait()
            }
        }
        try await until { isRunning.withLock { $0 } }
        let waiting = Task { try await workers.run(for: other) {} }
        try await until { workers.figures.waiting == 1 }

        workers.refuseWaiting(Busy())

        await #expect(throws: Busy.self) { try await waiting.value }
        gate.signal()
        try await running.value
        #expect(try await workers.run(for: other) { 7 } == 7)
    }
}
