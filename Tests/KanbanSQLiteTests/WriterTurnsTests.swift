import Foundation
import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

/// Accounts take turns with the writer.
struct WriterTurnsTests {
    @Test func `another account waits for few of many bodies that fail after they wrote`() async throws {
        struct Refused: Error {}
        var configuration = FileStoreConfiguration()
        configuration.batchTime = .zero
        let box = try TestStore(configuration: configuration)
        let store = box.store
        let (runs, answered, isLate) = (Locked(0), DispatchSemaphore(value: 0), Flag())
        let failures = 20

        try await store.whileHeld(until: failures + 1) { group in
            for _ in 0..<failures {
                group.addTask {
                    // The error is the point.
                    try? await store.write { tx in
                        try tx.makeTask()
                        let count = runs.withLock { runs in
                            runs += 1
                            return runs
                        }
                        if count > 3 {
                            if answered.wait(timeout: .now() + 120) == .timedOut { isLate.set() }
                            answered.signal()
                        }
                        throw Refused()
                    }
                }
            }
            group.addTask {
                while store.activity.waitingWrites < failures { await Task.yield() }
                try await store.writeAccess { _ in }
                answered.signal()
            }
        }

        #expect(!isLate.isSet)
        #expect(runs.withLock { $0 } < 2 * failures)
        #expect(try box.store.revision(of: .local) == 0)
    }

    @Test func `a body learns that it must yield when another account waits, and only then`() async throws {
        var configuration = FileStoreConfiguration()
        configuration.batchTime = .zero
        let box = try TestStore(configuration: configuration)
        let store = box.store
        let names = Locked<[String]>([])

        // Each of ten steps yields where it must.
        let work: @Sendable (Int) async throws -> Int = { first in
            try await store.write { tx in
                for step in first..<10 {
                    names.withLock { $0.append("\(step)") }
                    if tx.shouldYield { return step + 1 }
                }
                return 10
            }
        }
        try await store.whileHeld(until: 2) { group in
            group.addTask {
                var step = 0
                while step < 10 { step = try await work(step) }
            }
            group.addTask {
                while store.activity.waitingWrites < 1 { await Task.yield() }
                try await store.writeAccess { _ in names.withLock { $0.append("other") } }
            }
        }

        #expect(names.withLock { $0 } == ["0", "other"] + (1..<10).map { "\($0)" })
        box.store.close()
    }
}

extension FileStore {
    /// Holds the writer until this number of writes of the group waits for it, and returns when all are answered.
    fileprivate func whileHeld(
        until waiting: Int, _ add: (inout ThrowingTaskGroup<Void, any Error>) throws -> Void
    ) async throws {
        let (began, beginning) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await self.write { _ in
                    beginning.yield()
                    // Nobody else can tell that they have come.
                    while self.activity.waitingWrites < waiting { sched_yield() }
                }
            }
            for await _ in began { break }
            try add(&group)
            try await group.waitForAll()
        }
    }
}
