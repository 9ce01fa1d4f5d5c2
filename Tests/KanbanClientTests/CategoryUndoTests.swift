import Foundation
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// What comes back with a category that was deleted, and what goes with one that was made on the way.
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

    @Test func `a task and its category are undone, though one push had both and the deletion`() async throws {
        let home = try await phone.board.createCategory(.init(name: "Home"))
        try await phone.board.create(.init(title: "task", category: .id(home.id)))
        try await phone.board.deleteCategory(home.id)
        try await phone.board.syncNow()

        for _ in 0..<3 { #expect(try await phone.board.undo() == .done) }
        try await sync()

        for device in [phone, pad] {
            #expect(try device.board.tasks().current().isEmpty)
            #expect(try device.board.categories().current().isEmpty)
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a redo gives a task its later category, though the first comes back with it`(isSynced: Bool) async throws {
        let task = try await phone.board.create(.init(title: "task", category: .named("Home")))
        try await phone.board.createCategory(.init(name: "Work"))
        try await phone.board.edit(task.id) { $0.category = .named("Work") }
        try await phone.board.syncNow()
        for _ in 0..<3 { #expect(try await phone.board.undo() == .done) }
        if isSynced { try await sync() }

        for _ in 0..<3 { #expect(try await phone.board.redo() == .done) }
        try await sync()

        for device in [phone, pad] {
            let work = try device.board.categories().current().last
            #expect(try await device.board.task(task.id)?.categoryID == work?.id && work?.name == "Work")
        }
    }

    @Test func `a task that another device gave another category stays there`() async throws {
        let home = try await phone.board.createCategory(.init(name: "Home"))
        let task = try await phone.board.create(.init(title: "task", category: .id(home.id)))
        try await sync()
        try await phone.board.delete(task.id)
        try await phone.board.deleteCategory(home.id)
        try await sync()
        try await pad.board.restore(task.id)
        try await pad.board.edit(task.id) { $0.category = .named("Work") }
        try await sync()

        #expect(try await phone.board.undo() == .done)
        #expect(try await category(of: task) == "Work")
        try await sync()
        #expect(try await category(of: task) == "Work")
    }

    @Test func `a category that the server never had comes back with tasks that were restored before it`() async throws
    {
        let task = try await phone.board.create(.init(title: "task", category: .named("Home")))
        let home = try #require(try await phone.board.task(task.id)?.categoryID)
        try await phone.board.delete(task.id)
        try await phone.board.deleteCategory(home)
        #expect(try await phone.board.pending().isEmpty)

        try await phone.board.restore(task.id)
        try await phone.board.restoreCategory(home)
        #expect(try await category(of: task) == "Home")
        try await sync()

        for device in [phone, pad] { #expect(try await device.board.task(task.id)?.categoryID == home) }
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `a category comes back under its id, with its tasks, on both devices and offline`() async throws {
        let home = try await phone.board.createCategory(.init(name: "Home", color: "#aa0000"))
        let task = try await phone.board.create(.init(title: "task", category: .id(home.id)))
        let other = try await phone.board.create(.init(title: "left by hand", category: .id(home.id)))
        try await sync()
        try await phone.board.edit(other.id) { $0.category = nil }
        try await sync()
        try await phone.board.deleteCategory(home.id)
        try await sync()
        try await pad.board.edit(task.id) { $0.title = "renamed since" }
        try await sync()

        // Neither asks the server before it shows the tasks.
        try await pad.board.restoreCategory(home.id)
        #expect(try await phone.board.undo() == .done)
        for device in [phone, pad] {
            let category = try #require(try device.board.categories().current().first)
            #expect((category.id, category.color, category.taskCount) == (home.id, "#aa0000", 1))
            #expect(try await device.board.task(task.id)?.categoryID == home.id)
        }
        try await sync()
        for device in [phone, pad] {
            #expect(try device.board.categories().current().map(\.taskCount) == [1])
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    @Test func `a task in the trash does not name a category that another device deleted`() async throws {
        let home = try await phone.board.createCategory(.init(name: "Home"))
        let first = try await phone.board.create(.init(title: "first", category: .id(home.id)))
        let second = try await phone.board.create(.init(title: "second", category: .id(home.id)))
        try await phone.board.delete(first.id)
        let mine = try await phone.board.create(.init(title: "mine", category: .id(home.id)))
        try await sync()
        try await phone.board.delete(mine.id)
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        // The feed has the last change of each: the second task's is its deletion, which comes after that of the category.
        try await pad.board.deleteCategory(home.id)
        try await pad.board.delete(second.id)
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        for task in [first, second, mine] { #expect(try await phone.board.task(task.id)?.categoryID == nil) }
    }

    @Test func `a view of the trash learns that another device deleted a category`() async throws {
        let home = try await phone.board.createCategory(.init(name: "Home"))
        let task = try await phone.board.create(.init(title: "task", category: .id(home.id)))
        try await phone.board.delete(task.id)
        try await sync()
        let shown = Locked<[KanbanTask]>([])
        let trash = phone.board.trash()
        let following = Task { for try await tasks in trash { shown.withLock { $0 = tasks } } }
        try await until("the task is shown") { shown.withLock { $0.first?.categoryID == home.id } }

        try await pad.board.deleteCategory(home.id)
        try await sync()

        try await until("it is of no category") { shown.withLock { $0.map(\.categoryID) == [nil] } }
        following.cancel()
        try await following.value
    }

    // MARK: - Categories made on the way

    @Test(arguments: [false, true], [false, true])
    func `a category that a task named goes and comes with it`(isSent: Bool, isUndoSent: Bool) async throws {
        let task = try await phone.board.create(.init(title: "task", category: .named("Home")))
        let other = try await phone.board.create(.init(title: "other"))
        try await phone.board.edit(other.id) { $0.category = .named("Work") }
        if isSent { try await sync() }

        #expect(try await phone.board.undo() == .done)
        #expect(try phone.board.categories().current().map(\.name) == ["Home"])
        #expect(try await phone.board.undo() == .done)
        #expect(try await phone.board.undo() == .done)
        #expect(try phone.board.categories().current().isEmpty)
        if isUndoSent { try await sync() }
        if !isSent { #expect(try await phone.board.pending().isEmpty) }
        for _ in 0..<3 { #expect(try await phone.board.redo() == .done) }
        #expect(try await (category(of: task), category(of: other)) == ("Home", "Work"))
        for _ in 0..<3 { #expect(try await phone.board.undo() == .done) }
        try await sync()

        for device in [phone, pad] {
            #expect(try device.board.categories().current().isEmpty)
            #expect(try device.titles().isEmpty)
        }
        #expect(try phone.board.issues.current().isEmpty)
    }

    enum Use: CaseIterable {
        case task, trash, color, unseenColor, name
    }

    @Test(arguments: Use.allCases)
    func `a category that others use stays when its first task goes`(use: Use) async throws {
        if use == .name {
            try await pad.board.createCategory(.init(name: "Home"))
            try await pad.board.syncNow()
        }
        try await phone.board.create(.init(title: "task", category: .named("Home")))
        try await sync()
        let home = try #require(try pad.board.categories().current().first)
        switch use {
        case .task: try await pad.board.create(.init(title: "theirs", category: .id(home.id)))
        case .trash:
            let theirs = try await pad.board.create(.init(title: "theirs", category: .id(home.id)))
            try await sync()
            try await pad.board.delete(theirs.id)
        case .color, .unseenColor: try await pad.board.editCategory(home.id) { $0.color = "#aa0000" }
        case .name: break
        }
        try await pad.board.syncNow()
        if use != .unseenColor { try await phone.board.syncNow() }

        #expect(try await phone.board.undo() == .done)
        try await sync()

        for device in [phone, pad] { #expect(try device.board.categories().current().map(\.id) == [home.id]) }
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `the undo of a category leaves the one of another device that has its name`() async throws {
        try await pad.board.createCategory(.init(name: "Home"))
        try await pad.board.syncNow()
        try await phone.board.createCategory(.init(name: "home"))
        try await sync()

        #expect(try await phone.board.undo() == .done)

        try await sync()
        for device in [phone, pad] { #expect(try device.board.categories().current().map(\.name) == ["Home"]) }
    }
}
