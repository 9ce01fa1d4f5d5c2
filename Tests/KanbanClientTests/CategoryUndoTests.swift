import Foundation
import TestSupport
import Testing

@testable import KanbanClient

/// What comes back with a category that was deleted.
struct CategoryUndoTests {
    private let server: LocalServer
    private let phone, pad: TestDevice

    init() async throws {
        server = try LocalServer()
        (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
    }

    private func sync() async throws {
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await phone.board.syncNow()
    }

    private func category(of task: KanbanTask) async throws -> String? {
        let id = try await phone.board.task(task.id)?.categoryID
        return try phone.board.categories().current().first { $0.id == id }?.name
    }

    // MARK: - Tasks in the trash

    /// When the server hears of what: of nothing, of the tasks alone, of the deletions, of all.
    @Test(arguments: 0...3)
    func `tasks in the trash are of the category again when they are restored`(synced: Int) async throws {
        let home = try await phone.board.createCategory(.init(name: "Home", color: "#aa0000"))
        let living = try await phone.board.create(.init(title: "living", category: .id(home.id)))
        let gone = try await phone.board.create(.init(title: "gone", category: .id(home.id)))
        if synced > 0 { try await sync() }
        try await phone.board.delete(gone.id)
        if synced > 1 { try await sync() }
        try await phone.board.deleteCategory(home.id)
        if synced > 2 { try await sync() }

        #expect(try await phone.board.undo() == .done)
        #expect(try await phone.board.redo() == .done)
        #expect(try phone.board.categories().current().isEmpty)
        #expect(try await phone.board.undo() == .done)
        try await sync()
        try await phone.board.restore(gone.id)
        try await sync()

        for device in [phone, pad] {
            let home = try #require(try device.board.categories().current().first)
            #expect((home.name, home.color, home.taskCount) == ("Home", "#aa0000", 2))
            #expect(try await device.board.task(living.id)?.categoryID == home.id)
        }
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `a task that another device restored stays where that left it`() async throws {
        let home = try await phone.board.createCategory(.init(name: "Home"))
        let task = try await phone.board.create(.init(title: "task", category: .id(home.id)))
        try await sync()
        try await phone.board.delete(task.id)
        try await phone.board.deleteCategory(home.id)
        try await sync()
        #expect(try await phone.board.undo() == .done)
        try await sync()
        try await pad.board.restore(task.id)
        try await sync()
        try await phone.board.delete(task.id)
        try await phone.board.restore(task.id)

        #expect(try await category(of: task) == nil)
    }
}
