import Dispatch
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks
import TestSupport
import Testing

/// `POST /sync` in several transactions, because other accounts write too.
@Suite(.overAFile("commits are counted, and a push yields at each mutation"))
struct YieldingTests {
    let board: TestBoard

    init() throws {
        // A push has time for one mutation while somebody waits.
        board = try TestBoard(batchTime: .zero)
    }

    @Test func `a push in several transactions answers like one in a single one`() async throws {
        let there = await board.send(.post, "/categories", #"{"name": "Home"}"#).json
        let category = String.newID
        let tasks = (0..<20).map { _ in String.newID }
        let made = JSON.mutation(of: "category", "create", category, ["name": "home"])
        // The first turn is over after it, whenever the others come again.
        var mutations = [JSON.mutation("create", nil, ["title": "first"]), made]
        for id in tasks {
            mutations.append(.mutation("create", id, ["title": "one", "categoryId": .string(category)]))
            mutations.append(.mutation("patch", id, base: 0, ["title": "two"], onConflict: "reject"))
        }
        // Sent twice under one id.
        mutations.append(mutations[2])

        let results = try await besidesOthers { [mutations] in try await board.sync(mutations) }

        #expect(results.map(\.status) == ["applied", "merged"] + Array(repeating: "applied", count: 41))
        #expect(results.dropFirst(2).allSatisfy { $0["value"]?["categoryId"]?.stringValue == there.id })
        #expect(results[42] == results[2])
        // That of the category is one.
        #expect(board.commits.withLock { $0 } > 2)
    }

    @Test func `an atomic push is one transaction`() async throws {
        let mutations = (0..<20).map { _ in JSON.mutation("create", nil, ["title": "one"]) }

        let results = try await besidesOthers { try await board.sync(mutations, atomic: true) }

        #expect(results.map(\.status) == Array(repeating: "applied", count: 20))
        #expect(board.commits.withLock { $0 } == 1)
    }

    @Test func `beyond the quota a later transaction says of each mutation what became of it`() async throws {
        let board = try TestBoard(batchTime: .zero, quota: Quota(bytes: 1 << 20, tasks: 3))
        let mutations = (0..<5).map { _ in JSON.mutation("create", nil, ["title": "one"]) }

        // The push yields after a mutation, and then has the writer for itself.
        let results = try await besidesOthers(1, on: board, once: true) { try await board.sync(mutations) }

        #expect(results.map(\.status) == Array(repeating: "applied", count: 3) + ["rejected", "rejected"])
        #expect(results.dropFirst(3).allSatisfy { $0["problem"]?["code"] == "quota_exceeded" })
        #expect(try await board.store.read(.local) { try $0.usage().tasks } == 3)
        #expect(try await board.sync(mutations) == results)
    }

    /// Does the work while other accounts write: all the time, or once each. The first turn of the writer ends when the
    /// work and all others wait for theirs.
    private func besidesOthers<T: Sendable>(
        _ count: Int = 8, on board: TestBoard? = nil, once: Bool = false,
        _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let store = (board ?? self.board).files
        let (isBlocked, isBusy) = (DispatchSemaphore(value: 0), Locked(false))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                isBlocked.signal()
                group.cancelAll()
            }
            group.addTask {
                try await store.writeAccess { _ in
                    isBusy.withLock { $0 = true }
                    isBlocked.wait()
                }
            }
            try await until("the writer is busy") { isBusy.withLock { $0 } }
            async let result = work()
            try await until("the work waits") { store.activity.waitingWrites >= 1 }
            for _ in 0..<count {
                group.addTask {
                    repeat { try await store.writeAccess { _ in } } while !once && !Task.isCancelled
                }
            }
            try await until("all others wait") { store.activity.waitingWrites >= count + 1 }
            isBlocked.signal()
            return try await result
        }
    }
}
