import Foundation
import JSON
import Kanban
import KanbanWire
import TestSupport
import Testing

@testable import KanbanClient

struct UndoTests {
    @Test func `what was deleted and brought back can be undone further`() async throws {
        let board = try await TestDevice().board
        let home = try await board.createCategory(.init(name: "Home"))
        let task = try await board.create(.init(title: "task", category: .id(home.id)))
        try await board.editCategory(home.id) { $0.name = "House" }
        let exam = try await board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await board.deleteDDay(exam.id)
        try await board.deleteCategory(home.id)

        // The category, the D-day, the D-day's creation, the name.
        for _ in 0..<4 { #expect(try await board.undo() == .done) }

        let category = try #require(try board.categories().current().first)
        #expect(category.name == "Home")
        #expect(try board.ddays().current().isEmpty)
        #expect(try await board.task(task.id)?.categoryID == category.id)
        for _ in 0..<4 { #expect(try await board.redo() == .done) }
        #expect(try board.categories().current().isEmpty)
        #expect(try board.ddays().current().isEmpty)
    }

    @Test func `each kind of edit is taken back and done again`() async throws {
        let device = try await TestDevice()
        let board = device.board
        let first = try await board.create(.init(title: "first"))
        let second = try await board.create(.init(title: "second"))
        let third = try await board.create(.init(title: "third", category: .named("c")))
        let category = try #require(third.categoryID)
        let dday = try await board.createDDay(.init(title: "exam", date: "2026-12-24"))

        let edits: [@Sendable () async throws -> Void] = [
            {
                try await board.edit(second.id) {
                    $0.title = "2"; $0.due = .day("2026-12-01")
                }
            },
            { try await board.edit(second.id) { $0.status = .done } },
            { try await board.move(third.id, .first) },
            { try await board.move(first.id, to: .doing) },
            { try await board.delete(second.id) },
            { try await board.editCategory(category) { $0.name = "renamed" } },
            { try await board.editDDay(dday.id) { $0.title = "party" } },
            { try await board.editSettings { $0.custom["a"] = "1" } },
            { _ = try await board.create(.init(title: "new")) },
        ]
        for (index, edit) in edits.enumerated() {
            let before = try Shown(board)
            try await edit()
            let after = try Shown(board)
            #expect(before != after, "edit \(index)")

            #expect(try await board.undo() == .done)
            #expect(try Shown(board) == before, "undo of edit \(index)")
            #expect(try await board.redo() == .done)
            #expect(try Shown(board) == after, "redo of edit \(index)")
        }
    }

    @Test func `a category that was deleted comes back with its tasks`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "milk", category: .named("shop")))
        try await device.board.deleteCategory(try #require(task.categoryID))

        #expect(try await device.board.undo() == .done)

        let shop = try #require(try device.board.categories().current().first)
        #expect(shop.name == "shop")
        #expect(try await device.board.task(task.id)?.categoryID == shop.id)
    }

    @Test func `unsent edits that were undone send nothing, and show what others did`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "base"))
        let other = try await phone.board.create(.init(title: "other"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { $0.title = "theirs" }
        try await pad.board.move(task.id, to: .done)
        try await pad.board.edit(other.id) { $0.status = .doing }
        try await pad.board.editSettings { $0.timeZone = "Asia/Seoul" }
        try await pad.board.syncNow()

        let before = try Shown(phone.board)
        try await phone.board.edit(task.id) { $0.title = "mine" }
        try await phone.board.edit(task.id) { $0.title = "mine again" }
        #expect(try await phone.board.undo() == .done)
        #expect(try phone.titles() == ["mine", "other"])
        #expect(try await phone.board.redo() == .done)
        #expect(try phone.titles() == ["mine again", "other"])
        try await phone.board.move(other.id, .first)
        try await phone.board.move(task.id, to: .doing)
        try await phone.board.edit(other.id) { $0.status = .done }
        try await phone.board.editSettings { $0.timeZone = "UTC" }
        try await phone.board.delete(task.id)
        try await phone.board.create(.init(title: "new"))
        for _ in 0..<8 { #expect(try await phone.board.undo() == .done) }

        #expect(try Shown(phone.board) == before)
        #expect(try await phone.board.pending().isEmpty)
        #expect(try await phone.board.task(task.id)?.isPending == false)
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        #expect(try await phone.board.task(task.id)?.title == "theirs")
        #expect(try await phone.board.task(task.id)?.status == .done)
        #expect(try await phone.board.task(other.id)?.status == .doing)
        #expect(try phone.board.settings().current().timeZone == "Asia/Seoul")
        #expect(try Shown(pad.board) == Shown(phone.board))
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `a creation that another device wrote into is not undone`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let seen = try await phone.board.create(.init(title: "seen"))
        let unseen = try await phone.board.create(.init(title: "unseen"))
        let untouched = try await phone.board.create(.init(title: "untouched"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(seen.id) { $0.body = "theirs" }
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        try await pad.board.edit(unseen.id) { $0.body = "theirs" }
        try await pad.board.syncNow()

        #expect(try await phone.board.undo() == .done)
        #expect(try await phone.board.undo() == .done)
        #expect(
            try await phone.board.undo()
                == .partly([Conflict(target: seen.id, member: "body", mine: nil, theirs: "theirs")]))

        try await phone.board.syncNow()
        try await pad.board.syncNow()
        #expect(try phone.titles() == ["seen", "unseen"])
        #expect(try Shown(pad.board) == Shown(phone.board))
        #expect(try await phone.board.task(untouched.id)?.deletedAt != nil)
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `the undo of a custom setting leaves the keys of others`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        try await phone.board.editSettings { $0.custom = ["a": "1", "b": "1"] }
        try await phone.board.editSettings { $0.custom = ["a": "2", "b": "2", "c": "2"] }
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.editSettings { $0.custom["b"] = "theirs" }
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(
            try await phone.board.undo()
                == .partly([Conflict(.settings, "custom.b", mine: "1", theirs: "theirs")]))

        #expect(try phone.board.settings().current().custom == ["a": "1", "b": "theirs"])
    }

    @Test func `what another edit builds on is not taken out of the outbox`() async throws {
        let board = try await TestDevice().board
        let first = try await board.create(.init(title: "first"))
        let second = try await board.create(.init(title: "second"))
        _ = try await board.core.replica.write {
            // An edit without a step of undo, as the answer to an issue.
            try $0.edit(StoredMutation(.move, .task(first.id.id), ["after": .string(second.id.description)]))
        }

        #expect(try await board.undo() == .done)

        // The move of a task beside one that nobody made would be refused.
        #expect(try await board.pending().count == 4)
        #expect(try board.trash().current().map(\.title) == ["second"])
    }

    @Test func `a new edit does not yield because an undo waits`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "base"))
        try await phone.board.syncNow()
        try await phone.board.edit(task.id) { $0.title = "sent" }
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        #expect(try await phone.board.undo() == .done)
        try await phone.board.edit(task.id) { $0.title = "mine" }
        try await pad.board.edit(task.id) { $0.title = "theirs" }
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        try await pad.board.syncNow()

        #expect(try phone.titles() == ["mine"])
        #expect(try pad.titles() == ["mine"])
    }

    @Test func `what somebody else changed since stays theirs`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "mine", body: "text"))
        try await phone.board.edit(task.id) {
            $0.title = "again"; $0.body = "more"
        }
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { $0.title = "theirs" }
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        let outcome = try await phone.board.undo()

        #expect(outcome == .partly([Conflict(target: task.id, member: "title", mine: "mine", theirs: "theirs")]))
        #expect(try await phone.board.task(task.id)?.title == "theirs")
        #expect(try await phone.board.task(task.id)?.body == "text")
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        #expect(try Shown(phone.board) == Shown(pad.board))
    }

    @Test func `a member that is as the undo would make it is no difference`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let category = try await phone.board.createCategory(.init(name: "before"))
        let task = try await phone.board.create(.init(title: "before"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.createCategory(.init(name: "taken"))
        try await pad.board.syncNow()
        // Refused.
        try await phone.board.editCategory(category.id) { $0.name = "taken" }
        try await phone.board.syncNow()
        #expect(try await phone.board.undo() == .done)

        try await phone.board.edit(task.id) { $0.title = "after" }
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { $0.title = "before" }
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        #expect(try await phone.board.undo() == .done)

        #expect(try await phone.board.pending().isEmpty)
        // Nobody emptied the body that the creation left empty, and the creation stays: another device wrote into the task.
        try await pad.board.edit(task.id) { $0.body = "theirs" }
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        #expect(
            try await phone.board.undo()
                == .partly([Conflict(target: task.id, member: "body", mine: nil, theirs: "theirs")]))
    }

    @Test func `an edit is undone as it was, though a task was recreated since`() async throws {
        let board = try await TestDevice().board
        let task = try await board.create(.init(title: "task", category: .named("home")))
        try await board.deleteCategory(try #require(task.categoryID))
        try await board.delete(task.id)
        try await board.restore(task.id)

        for _ in 0..<3 { #expect(try await board.undo() == .done) }

        let home = try #require(try board.categories().current().first)
        #expect(try await board.task(task.id)?.categoryID == home.id)
    }

    @Test func `a hundred steps are kept, and an edit ends what could be done again`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "0"))
        for number in 1...105 { try await device.board.edit(task.id) { $0.title = "\(number)" } }

        var steps = 0
        while try await device.board.undo() != .nothing { steps += 1 }
        #expect(steps == 100)
        #expect(try await device.board.task(task.id)?.title == "5")
        #expect(try device.board.undoState.current() == UndoState(redoName: "edit task", canRedo: true))

        try await device.board.edit(task.id) { $0.title = "other" }
        #expect(try await device.board.redo() == .nothing)
    }
}

extension UndoTests {
    @Test func `a step may be of ten thousand tasks`() throws {
        let steps = (0..<10_000).map { number in
            UndoStep(
                StoredMutation(
                    .patch, .task(ID(high: 7, low: UInt64(number))),
                    ["title": .string("task \(number)"), "body": "b", "dueDate": .null]),
                expected: ["title": "x", "body": "y", "dueDate": "2026-12-24"])
        }

        let read = try UndoStep.all(in: JSON.array(steps.map(\.json)).text)

        #expect(read.count == 10_000)
        #expect(read.last?.mutation.value == steps.last?.mutation.value && read.last?.expected == steps.last?.expected)
        #expect(read.first?.mutation.resource == steps.first?.mutation.resource)
    }
}

extension TestDevice {
    /// A device with a network to this server.
    static func on(
        _ server: any Transport, seed: UInt64 = 1, _ prepare: (inout Configuration) -> Void = { _ in }
    ) async throws -> TestDevice {
        try await TestDevice(seed: seed) {
            $0.dependencies.transport = server
            prepare(&$0)
        }
    }
}
