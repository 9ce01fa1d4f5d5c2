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
