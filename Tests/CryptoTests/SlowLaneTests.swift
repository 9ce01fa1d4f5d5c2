import Crypto
import Dispatch
import Locks
import Testing

struct SlowLaneTests {
    @Test func `all work is done, one piece after another`() async throws {
        let lane = SlowLane()
        let log = Log()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await lane.run { log.work(number) } }
            }
            try await group.waitForAll()
        }

        #expect(log.done.withLock { $0.sorted() } == Array(0..<20))
        #expect(log.mostAtOnce.withLock { $0 } == 1)
    }

    @Test func `one more than may wait is refused at once, and the others are served`() async throws {
        let lane = SlowLane(capacity: 2)
        let isRunning = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)

        async let first = lane.run {
            isRunning.signal(); mayEnd.wait(); return 1
        }
        await wait(for: isRunning)
        // Two calls fill the queue; which of the three that follow is refused is a race, that one is, is not.
        let outcomes = await withTaskGroup(of: Int?.self, returning: [Int?].self) { group in
            for number in 2...4 {
                group.addTask {
                    // The refusal is the outcome that is counted.
                    let outcome = try? await lane.run { number }
                    if outcome == nil { mayEnd.signal() }
                    return outcome
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(outcomes.filter { $0 == nil }.count == 1)
        #expect(try await first == 1)
    }

    @Test func `the lane's thread is left to end with it`() async throws {
        weak var gone: SlowLane?
        do {
            let lane = SlowLane()
            gone = lane
            #expect(try await lane.run { 7 } == 7)
        }

        #expect(gone == nil)
    }

    private func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}

private final class Log: Sendable {
    let running = Locked(0)
    let mostAtOnce = Locked(0)
    let done = Locked<[Int]>([])

    func work(_ number: Int) {
        let now = running.withLock { count in
            count += 1
            return count
        }
        mostAtOnce.withLock { $0 = max($0, now) }
        done.withLock { $0.append(number) }
        running.withLock { $0 -= 1 }
    }
}
