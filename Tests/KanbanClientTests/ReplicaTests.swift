import Kanban
import KanbanRows
import KanbanWire
import TestSupport
import Testing

@testable import KanbanAPI
@testable import KanbanClient

/// What a replica shows after integrations that scenarios of ``ReplicaModelTests`` met, each on its own.
struct ReplicaTests {
    @Test func `a task that left its column and came back stays last when the server answers`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "first"))
        try await device.board.create(.init(title: "second"))
        try await device.board.edit(task.id) { $0.status = .done }
        try await device.board.edit(task.id) { $0.status = .todo }
        #expect(try device.titles() == ["second", "first"])

        try await device.board.core.replica.write { try $0.integrate(SyncResponse(changes: [], cursor: "1-0")) }

        #expect(try device.titles() == ["second", "first"])
    }

    @Test func `an edit that is performed again keeps its time`() async throws {
        let device = try await TestDevice()
        func takeIn() async throws {
            device.clock.advance(seconds: 3_600)
            try await device.board.core.replica.write { try $0.integrate(SyncResponse(changes: [], cursor: "1-0")) }
        }
        let made = try await device.board.create(.init(title: "Task"))
        try await takeIn()
        #expect(try await device.board.task(made.id)?.createdAt == made.createdAt)

        let done = try await device.board.edit(made.id) { $0.status = .done }
        #expect(done.completedAt != made.createdAt)
        try await takeIn()
        let task = try #require(try await device.board.task(made.id))
        #expect(task.createdAt == made.createdAt)
        #expect((task.updatedAt, task.completedAt) == (done.updatedAt, done.completedAt))
    }

    @Test func `a task that was made and deleted here stays in the trash when its category is deleted`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "mine", category: .named("Home")))
        try await device.board.delete(task.id)
        let category = try #require(try device.board.categories().current().first)

        try await device.board.deleteCategory(category.id)
        try await device.board.core.replica.write { try $0.integrate(SyncResponse(changes: [], cursor: "1-0")) }

        #expect(try device.board.trash().current().map(\.title) == ["mine"])
    }

    @Test func `a task of the trash leaves a category that was made here and whose deletion is all that came of it`()
        async throws
    {
        let server = try LocalServer()
        let network = MeddlingNetwork(to: server)
        let device = try await TestDevice.on(network)
        let task = try await device.board.create(.init(title: "mine", category: .named("Home")))
        try await device.board.delete(task.id)
        let category = try #require(try device.board.categories().current().first)
        network.meddle { $0 == "/sync" ? .loseAnswer : .none }
        await #expect(throws: KanbanError.offline) { try await device.board.syncNow() }
        _ = try await server.json("DELETE", "/categories/\(category.id)")
        network.meddle { _ in .none }
        try await device.board.syncNow()

        #expect(try device.board.categories().current().isEmpty)
        #expect(try device.board.trash().current().map(\.categoryID) == [nil])
        #expect(try await device.board.task(task.id)?.categoryID == nil)
        try await device.board.restore(task.id)
        #expect(try await device.board.task(task.id)?.categoryID == nil)
    }
}
