import Dispatch
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks
import Testing

/// `POST /sync` in several transactions, because other accounts write too.
struct GivingWayTests {
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
        var mutations = [made]
        for id in tasks {
            mutations.append(.mutation("create", id, ["title": "one", "categoryId": .string(category)]))
            mutations.append(.mutation("patch", id, base: 0, ["title": "two"], onConflict: "reject"))
        }
        // Sent twice under one id.
        mutations.append(mutations[1])

        let results = try await besidesOthers { [mutations] in try await board.sync(mutations) }

        #expect(results.map(\.status) == ["merged"] + Array(repeating: "applied", count: 41))
        #expect(results.dropFirst().allSatisfy { $0["value"]?["categoryId"]?.stringValue == there.id })
        #expect(results[41] == results[1])
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
        let store = board.store
        let (isBlocked, isBusy) = (DispatchSemaphore(value: 0), Locked(false))
        // The push finds another account's write beside it, gives way after a mutation, and then has the writer for itself.
        async let first: Void = store.writeAccess { _ in
            isBusy.withLock { $0 = true }
            isBlocked.wait()
        }
        defer { isBlocked.signal() }
        try await until("the writer is busy") { isBusy.withLock { $0 } }
        async let push = board.sync(mutations)
        try await until("the push waits") { store.activity.waitingWrites == 1 }
        async let other: Void = store.writeAccess { _ in }
        try await until("another account waits") { store.activity.waitingWrites == 2 }
        isBlocked.signal()

        let results = try await push
        _ = try await (first, other)

        #expect(results.map(\.status) == ["applied"] + Array(repeating: "rejected", count: 4))
        #expect(results.dropFirst().allSatisfy { $0["problem"]?["code"] == "quota_exceeded" })
        #expect(try store.readNow(.local) { try $0.usage().tasks } == 1)
        // What was rejected is not kept, and is tried again.
        let again = try await board.sync(Array(mutations[..<3]))
        #expect(again.map(\.status) == ["applied", "applied", "applied"])
        #expect(again.first == results.first)
    }

    /// Other accounts write all the time.
    private func besidesOthers<T: Sendable>(_ work: @Sendable () async throws -> T) async throws -> T {
        let store = board.store
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { while !Task.isCancelled { try await store.writeAccess { _ in } } }
            }
            defer { group.cancelAll() }
            return try await work()
        }
    }
}
