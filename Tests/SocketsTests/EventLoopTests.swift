import Foundation
import Locks
import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(10)))
struct EventLoopTests {
    /// Turns without an end: how long the system keeps a thread from running must not cut one short.
    private func withGroup(
        _ count: Int = 2, longestTurn: Int64 = .max, _ body: (EventLoopGroup) async throws -> Void
    ) async throws {
        let group = try EventLoopGroup(count: count, longestTurn: longestTurn)
        try await body(group)
        group.shutDown()
    }

    @Test func `a task that prefers a loop runs on its thread, also after waiting elsewhere`() async throws {
        try await withGroup { group in
            for loop in group.loops {
                await Task(executorPreference: loop) {
                    #expect(EventLoop.current === loop)
                    await withCheckedContinuation { continuation in
                        DispatchQueue.global().async { continuation.resume() }
                    }
                    #expect(loop.isCurrent)
                }
                .value
            }
            #expect(EventLoop.current == nil)
        }
    }

    @Test func `jobs from many threads all run, and one after the other`() async throws {
        try await withGroup(1) { group in
            // Unsafe: touched on the loop's thread only, which is what the test is about.
            nonisolated(unsafe) var count = 0
            let loop = group.loops[0]

            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 {
                    tasks.addTask {
                        for _ in 0..<500 { await Task(executorPreference: loop) { count += 1 }.value }
                    }
                }
            }

            let total = await Task(executorPreference: loop) { count }.value
            #expect(total == 4000)
        }
    }

    @Test func `the end of the turn comes after everything that the turn made runnable`() async throws {
        try await withGroup(1) { group in
            let order = Order()
            let loop = group.loops[0]

            await Task(executorPreference: loop) {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    loop.atEndOfTurn {
                        order.note("end")
                        continuation.resume()
                    }
                    Task(executorPreference: loop) { order.note("task") }
                }
            }
            .value

            #expect(order.words == ["task", "end"])
        }
    }

    @Test func `a turn without time left leaves its jobs to the next one`() async throws {
        try await withGroup(1, longestTurn: 0) { group in
            let order = Order()
            let loop = group.loops[0]

            await Task(executorPreference: loop) {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    loop.atEndOfTurn { order.note("end") }
                    Task(executorPreference: loop) {
                        order.note("task")
                        continuation.resume()
                    }
                }
            }
            .value

            #expect(order.words == ["end", "task"])
        }
    }

    @Test func `a call in the next turn comes after what waits, without a sleep between`() async throws {
        try await withGroup(1) { group in
            let order = Order()
            let loop = group.loops[0]

            await Task(executorPreference: loop) {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    loop.inNextTurn {
                        order.note("next turn")
                        continuation.resume()
                    }
                    loop.atEndOfTurn { order.note("end") }
                    Task(executorPreference: loop) { order.note("task") }
                }
            }
            .value

            #expect(order.words == ["task", "end", "next turn"])
        }
    }

    @Test func `a meter tells of the longest that a loop was kept by one thing`() async throws {
        let meter = LoopMeter()
        let group = try EventLoopGroup(count: 1, meter: meter)

        await Task(executorPreference: group.loops[0]) {
            let end = Instant.now + .milliseconds(5)
            while Instant.now < end {}
        }
        .value
        group.shutDown()

        #expect(meter.longest >= .milliseconds(5))
        #expect(meter.longestOfProcessor > .zero)
    }

    #if DEBUG
        @Test func `what belongs to a loop ends a process that touches it on another thread`() async {
            await #expect(processExitsWith: .failure) {
                let group = try EventLoopGroup(count: 1)
                group.loops[0].atEndOfTurn {}
            }
        }
    #endif

    private final class Order: Sendable {
        private let noted = Locked<[String]>([])

        var words: [String] { noted.withLock { $0 } }

        func note(_ word: String) {
            noted.withLock { $0.append(word) }
        }
    }

    @Test func `sleeping takes its time, and ends at once when the task is cancelled`() async throws {
        try await withGroup(1) { group in
            let loop = group.loops[0]
            let before = Instant.now
            try await loop.sleep(for: .milliseconds(100))
            #expect(Instant.now - before >= .milliseconds(100))

            let long = Task { try await loop.sleep(for: .seconds(600)) }
            long.cancel()

            await #expect(throws: CancellationError.self) { try await long.value }
        }
    }

    @Test func `thousands sleep at the same time`() async throws {
        try await withGroup { group in
            let ended = await withTaskGroup(of: Bool.self) { tasks in
                for index in 0..<5000 {
                    let loop = group.loops[index % 2]
                    tasks.addTask(executorPreference: loop) {
                        do {
                            try await loop.sleep(for: .milliseconds(Int64(index % 50)))
                            return loop.isCurrent
                        } catch {
                            return false
                        }
                    }
                }
                return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            #expect(ended == 5000)
        }
    }

    @Test func `loops are handed out in turn`() async throws {
        try await withGroup(2) { group in
            #expect((0..<4).map { _ in group.next().index } == [0, 1, 0, 1])
        }
    }
}
