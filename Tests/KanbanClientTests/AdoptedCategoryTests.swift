import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// A category made on two devices under one name: the id that the server knows takes the place of the other.
struct AdoptedCategoryTests {
    let server: LocalServer
    let phone, pad: TestDevice

    init() async throws {
        server = try LocalServer()
        (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
    }

    @Test func `its first id stands for it in all calls`() async throws {
        try await phone.board.createCategory(.init(name: "Work"))
        try await phone.board.syncNow()
        let mine = try await pad.board.createCategory(.init(name: "work")).id
        let task = try await pad.board.create(.init(title: "task", category: .id(mine)))
        try await pad.board.syncNow()
        try #require(try pad.board.categories().current().map(\.id) != [mine])

        #expect(try pad.board.tasks(category: .only([mine])).current().map(\.id) == [task.id])
        #expect(try await pad.board.editCategory(mine) { $0.color = "#ff0000" }.name == "Work")
        #expect(try pad.board.categories().current().map(\.color) == ["#ff0000"])
        try await pad.board.deleteCategory(mine)
        #expect(try pad.board.categories().current().isEmpty)
    }

    @Test func `a form that was open while it took another id finds no words of others`() async throws {
        try await phone.board.createCategory(.init(name: "Work"))
        try await phone.board.syncNow()
        let mine = try await pad.board.createCategory(.init(name: "work")).id
        let home = try await pad.board.createCategory(.init(name: "Home")).id
        let task = try await pad.board.create(.init(title: "task", category: .id(mine)))
        let before = TaskDraft(task)
        try await pad.board.syncNow()

        var draft = before
        draft.category = .id(home)
        try await pad.board.edit(task.id, from: before, to: draft)

        #expect(try pad.board.issues.current().isEmpty)
        #expect(try await pad.board.task(task.id)?.categoryID == home)
    }

    @Test func `a new category that is deleted before a push leaves the other one alone`() async throws {
        let theirs = try await phone.board.createCategory(.init(name: "Work")).id
        let task = try await phone.board.create(.init(title: "task", category: .id(theirs)))
        try await phone.board.syncNow()
        let mine = try await pad.board.createCategory(.init(name: "Work")).id
        try await pad.board.editCategory(mine) { $0.color = "#ff0000" }
        try await pad.board.deleteCategory(mine)

        #expect(try await pad.board.pending().isEmpty)
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        #expect(try phone.board.categories().current().map(\.id) == [theirs])
        #expect(try await phone.board.task(task.id)?.categoryID == theirs)
        #expect(try pad.board.categories().current().map(\.id) == [theirs])
        // What was undone comes back as a new one, but there is one of this name by now.
        _ = try await pad.board.undo()
        #expect(try pad.board.categories().current().map(\.id) == [theirs])
    }

    @Test func `a new category that is deleted after a task was made in it leaves the other one alone`() async throws {
        let theirs = try await phone.board.createCategory(.init(name: "Work")).id
        let task = try await phone.board.create(.init(title: "task", category: .id(theirs)))
        try await phone.board.syncNow()
        let mine = try await pad.board.createCategory(.init(name: "Work")).id
        try await pad.board.create(.init(title: "mine", category: .id(mine)))
        try await pad.board.deleteCategory(mine)
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(try phone.board.categories().current().map(\.id) == [theirs])
        #expect(try await phone.board.task(task.id)?.categoryID == theirs)
        #expect(try Shown(phone.board) == Shown(pad.board))
        #expect(try pad.board.issues.current().isEmpty)
        #expect(try await pad.board.pending().isEmpty)
    }

    @Test func `a new category that is deleted after a task was made in it is deleted`() async throws {
        let mine = try await pad.board.createCategory(.init(name: "Work")).id
        try await pad.board.create(.init(title: "mine", category: .id(mine)))
        try await pad.board.deleteCategory(mine)
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(try phone.board.categories().current().isEmpty)
        #expect(try phone.board.tasks().current().map(\.categoryID) == [nil])
        #expect(try pad.board.issues.current().isEmpty)
    }

    @Test func `what was written of it after a task was made in it is one issue of the other one`() async throws {
        let theirs = try await phone.board.createCategory(.init(name: "Work", emoji: "🔥")).id
        try await phone.board.syncNow()
        let mine = try await pad.board.createCategory(.init(name: "Work", emoji: "🍎")).id
        try await pad.board.create(.init(title: "task", category: .id(mine)))
        try await pad.board.editCategory(mine) { $0.emoji = "🎉" }
        try await pad.board.syncNow()

        let issue = try #require(try pad.board.issues.current().first)
        #expect(issue.conflicts == [Conflict(target: theirs, member: "emoji", mine: "🎉", theirs: "🔥")])
        #expect(try pad.board.issues.current().count == 1)
        #expect(try pad.board.categories().current().map(\.emoji) == ["🎉"])
        try await pad.board.answer(issue.id, .theirs)
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        #expect(try phone.board.categories().current().map(\.emoji) == ["🔥"])
    }

    @Test func `a refused new name of it is sent again for the other one`() async throws {
        let theirs = try await phone.board.createCategory(.init(name: "Work")).id
        try await phone.board.createCategory(.init(name: "Home"))
        try await phone.board.syncNow()
        let mine = try await pad.board.createCategory(.init(name: "Work")).id
        try await pad.board.create(.init(title: "task", category: .id(mine)))
        try await pad.board.editCategory(mine) { $0.name = "Home" }
        try await pad.board.syncNow()

        let issue = try #require(try pad.board.issues.current().first)
        #expect(issue.target == theirs)
        var draft = try #require(issue.mine)
        draft.title = "Garden"
        try await pad.board.answer(issue.id, .retry(draft))
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        #expect(try phone.board.categories().current().map(\.name) == ["Garden", "Home"])
        #expect(try phone.board.categories().current().first?.id == theirs)
    }

    @Test func `one that is deleted before a push comes back by undo`() async throws {
        let mine = try await pad.board.createCategory(.init(name: "Work")).id
        try await pad.board.deleteCategory(mine)
        #expect(try await pad.board.undo() == .done)
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(try phone.board.categories().current().map(\.name) == ["Work"])
        #expect(try Shown(phone.board) == Shown(pad.board))
    }

    @Test func `it is known before the rest of a long push is sent`() async throws {
        try await phone.board.createCategory(.init(name: "Work"))
        try await phone.board.syncNow()
        let mine = try await pad.board.createCategory(.init(name: "Work")).id
        for number in 1...3 { try await pad.board.create(.init(title: "\(number)", category: .id(mine))) }
        let push = try #require(try await pad.board.core.replica.write { try $0.collectPush(most: 2) })
        let answer = try await pad.board.core.client(of: nil).json(.post("/sync", push.body)).json
        try await pad.board.core.replica.write { try $0.integrate(results: SyncResponse.results(answer)) }

        let theirs = try #require(try pad.board.categories().current().first).id
        #expect(theirs != mine)
        #expect(try pad.board.tasks(category: .only([theirs])).current().count == 3)
        try await pad.board.create(.init(title: "by its id", category: .id(theirs)))
        try await pad.board.create(.init(title: "by its first id", category: .id(mine)))
        try await pad.board.create(.init(title: "by its name", category: .named("Work")))
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(try pad.board.issues.current().isEmpty)
        #expect(try phone.board.categories().current().map(\.taskCount) == [6])
    }
}
