import Crypto
import Dispatch
import Locks
import Testing

struct PasswordHashQueueTests {
    @Test func `all jobs are done, one after another`() async throws {
        let queue = PasswordHashQueue()
        let log = Log()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await queue.run(.logIn, for: "client") { log.work("\(number)") } }
            }
            try await group.waitForAll()
        }

        #expect(log.done.withLock { Set($0) } == Set((0..<20).map { "\($0)" }))
        #expect(log.mostAtOnce.withLock { $0 } == 1)
    }

    @Test func `a log-in runs before sign-ups that waited longer`() async throws {
        let line = try await Line()

        for number in 1...3 { await line.add("sign-up \(number)", .signUp, "client \(number)") }
        await line.add("log-in", .logIn, "client 4")

        #expect(await line.order() == ["log-in", "sign-up 1", "sign-up 2", "sign-up 3"])
    }

    @Test func `clients take turns, however many jobs one of them has`() async throws {
        let line = try await Line()

        for number in 1...3 { await line.add("busy \(number)", .logIn, "busy") }
        await line.add("other", .logIn, "other")

        #expect(await line.order() == ["busy 1", "other", "busy 2", "busy 3"])
    }

    @Test func `a client that only logs in does not keep others from signing up for ever`() async throws {
        let line = try await Line()

        for number in 1...12 { await line.add("busy \(number)", .logIn, "busy") }
        await line.add("sign-up", .signUp, "other")

        #expect(await line.order().firstIndex(of: "sign-up") == 8)
    }

    @Test func `a full queue refuses the last job of the client that has most`() async throws {
        let line = try await Line(capacity: 3)

        for number in 1...3 { await line.add("busy \(number)", .logIn, "busy") }
        await line.add("other", .logIn, "other", refusing: 1)

        #expect(await line.order() == ["busy 1", "other", "busy 2"])
        #expect(line.refused.withLock { $0 } == ["busy 3"])
    }

    @Test(arguments: [
        ("10.1.%.7", "192.0.2.1"), ("10.1.2.%", "10.9.0.1"), ("2001:db8:1:%::/64", "2001:db9:1:1::/64"),
        ("2001:db8:%:1::/64", "2001:db9:1:1::/64"),
    ])
    func `the addresses of one network wait for each other first`(crowd: String, other: String) async throws {
        let line = try await Line(capacity: 20)

        for number in 1...20 { await line.add("crowd", .logIn, crowd.replacing("%", with: "\(number)")) }
        await line.add("other", .logIn, other, refusing: 1)
        await line.add("known", .logIn, crowd.replacing("%", with: "9"), isKnown: true, refusing: 2)

        let order = await line.order()
        #expect(Set(order.prefix(3)) == ["crowd", "other", "known"])
        #expect(line.refused.withLock { $0 } == ["crowd", "crowd"])
    }

    @Test func `known clients take turns, too: who floods has an account`() async throws {
        let line = try await Line()

        for number in 1...3 { await line.add("busy \(number)", .logIn, "10.1.1.1", isKnown: true) }
        await line.add("other", .logIn, "192.0.2.1", isKnown: true)

        #expect(await line.order() == ["busy 1", "other", "busy 2", "busy 3"])
    }

    @Test func `a job whose client has left while it waited is not run`() async throws {
        let line = try await Line()

        let task = await line.add("gone", .logIn, "gone")
        await line.add("other", .logIn, "other")
        task.cancel()
        await task.value

        #expect(await line.order() == ["other"])
        #expect(line.refused.withLock { $0 } == ["gone"])
    }

    @Test func `a job of an idle queue runs also for a client that ended its side with the request`() async throws {
        let queue = PasswordHashQueue()

        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await queue.run(.logIn, for: "client") { 7 }
        }
        task.cancel()

        #expect(try await task.value == 7)
    }

    @Test func `the queue's thread is left to end with it`() async throws {
        weak var gone: PasswordHashQueue?
        do {
            let queue = PasswordHashQueue()
            gone = queue
            #expect(try await queue.run(.logIn, for: "client") { 7 } == 7)
        }

        #expect(gone == nil)
    }
}

/// A queue that is busy until the order of what waits is asked for.
private final class Line: Sendable {
    let refused = Locked<[String]>([])
    private let queue: PasswordHashQueue
    private let log = Log()
    private let mayEnd = DispatchSemaphore(value: 0)
    private let tasks = Locked<[Task<Void, Never>]>([])

    init(capacity: Int = 64) async throws {
        queue = PasswordHashQueue(capacity: capacity)
        let isRunning = DispatchSemaphore(value: 0)
        let task = Task { [queue, mayEnd] in
            // The queue is empty: nothing refuses this one.
            _ = try? await queue.run(.logIn, for: "first") {
                isRunning.signal()
                mayEnd.wait()
            }
        }
        tasks.withLock { $0.append(task) }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isRunning.wait()
                continuation.resume()
            }
        }
    }

    /// Returns when the job waits.
    /// - Parameter count: how many are refused then.
    @discardableResult
    func add(
        _ name: String, _ purpose: PasswordHashQueue.Purpose, _ client: String, isKnown: Bool = false,
        refusing count: Int = 0
    ) async -> Task<Void, Never> {
        let waiting = queue.waitingCount + 1 - (count - refused.withLock { $0.count })
        let task = Task { [queue, log, refused] in
            do {
                try await queue.run(purpose, for: client, isKnown: isKnown) { log.work(name) }
            } catch {
                refused.withLock { $0.append(name) }
            }
        }
        tasks.withLock { $0.append(task) }
        while queue.waitingCount != waiting || refused.withLock({ $0.count }) != count { await Task.yield() }
        return task
    }

    func order() async -> [String] {
        mayEnd.signal()
        for task in tasks.withLock({ $0 }) { await task.value }
        return log.done.withLock { $0 }
    }
}

private final class Log: Sendable {
    let running = Locked(0)
    let mostAtOnce = Locked(0)
    let done = Locked<[String]>([])

    func work(_ name: String) {
        let now = running.withLock { count in
            count += 1
            return count
        }
        mostAtOnce.withLock { $0 = max($0, now) }
        done.withLock { $0.append(name) }
        running.withLock { $0 -= 1 }
    }
}
