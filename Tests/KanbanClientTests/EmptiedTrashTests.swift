import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// `emptyTrash()`: what it removes is no longer in the trash of this device, and in that of the others as before.
struct EmptiedTrashTests {
    private let server: LocalServer
    private let phone, tablet: TestDevice

    init() async throws {
        server = try LocalServer()
        (phone, tablet) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
    }

    private func sync() async throws {
        try await phone.board.syncNow()
        try await tablet.board.syncNow()
    }

    @Test func `an emptied trash stays empty on this device, and another one may still restore`() async throws {
        let gone = try await phone.board.create(.init(title: "gone"))
        let home = try await phone.board.createCategory(.init(name: "Home"))
        let own = try await tablet.board.create(.init(title: "own"))
        try await tablet.board.delete(own.id)
        try await sync()
        try await phone.board.delete(gone.id)
        try await phone.board.deleteCategory(home.id)
        try await sync()
        #expect(try tablet.board.trash().current().count == 2)

        try await tablet.board.emptyTrash()

        func isEmpty() throws -> Bool {
            try tablet.board.trash().current().isEmpty && tablet.board.deletedCategories().current().isEmpty
        }
        #expect(try isEmpty())
        for id in [gone.id, own.id] { #expect(try await tablet.board.task(id) == nil) }
        // The server's lists are read again after a day.
        for device in [phone, tablet] { device.clock.advance(seconds: 90_000) }
        server.clock.advance(seconds: 90_000)
        try await sync()
        #expect(try isEmpty())
        #expect(try await tablet.board.task(gone.id) == nil)
        // What is deleted later is in it.
        try await phone.board.restore(gone.id)
        try await sync()
        #expect(try tablet.titles() == ["gone"])
        try await tablet.board.delete(gone.id)
        #expect(try tablet.board.trash().current().map(\.title) == ["gone"])
        // What waits to be sent is sent.
        try await tablet.board.emptyTrash()
        #expect(try isEmpty())
        try await sync()
        try await phone.board.syncNow()
        #expect(try phone.titles().isEmpty && phone.board.trash().current().map(\.title) == ["gone"])
    }

    @Test func `a trash that was emptied while the clock was ahead hides nothing that is deleted later`() async throws {
        let year: Int64 = 365 * 86_400
        let first = try await phone.board.create(.init(title: "first"))
        let second = try await phone.board.create(.init(title: "second"))
        try await phone.board.syncNow()
        phone.clock.advance(seconds: year)
        try await phone.board.delete(first.id)
        try await phone.board.emptyTrash()
        #expect(try phone.board.trash().current().isEmpty)
        try await phone.board.syncNow()
        phone.clock.advance(seconds: -year)

        try await phone.board.delete(second.id)
        try await sync()

        #expect(try phone.board.trash().current().map(\.title).contains("second"))
        #expect(try await phone.board.undo() == .done)
        #expect(try phone.titles() == ["second"])
    }

    @Test func `what was emptied out before its deletion was sent stays away, unless it is deleted once more`()
        async throws
    {
        let task = try await phone.board.create(.init(title: "task"))
        let other = try await phone.board.create(.init(title: "other"))
        let home = try await phone.board.createCategory(.init(name: "Home"))
        let exam = try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await sync()
        func trash(_ device: TestDevice) throws -> [[String]] {
            let board = device.board
            return try [
                board.trash().current().map(\.title).sorted(), board.deletedCategories().current().map(\.name),
                board.deletedDDays().current().map(\.title),
            ]
        }
        try await phone.board.delete(task.id)
        try await phone.board.deleteCategory(home.id)
        try await phone.board.deleteDDay(exam.id)
        server.clock.advance(seconds: 60)

        try await phone.board.emptyTrash()

        #expect(try trash(phone) == [[], [], []])
        try await tablet.board.delete(other.id)
        try await tablet.board.syncNow()
        try await sync()
        #expect(try trash(phone) == [["other"], [], []])
        #expect(try await phone.board.pending().isEmpty)
        #expect(try await phone.board.task(task.id) == nil)
        // The server's lists are read again after a day.
        for clock in [phone.clock, tablet.clock, server.clock] { clock.advance(seconds: 90_000) }
        try await sync()
        #expect(try trash(phone) == [["other"], [], []])
        #expect(try trash(tablet) == [["other", "task"], ["Home"], ["exam"]])

        try await tablet.board.restore(task.id)
        try await tablet.board.syncNow()
        try await sync()
        #expect(try phone.titles() == ["task"])
        try await tablet.board.delete(task.id)
        try await tablet.board.syncNow()
        try await sync()
        #expect(try trash(phone)[0] == ["other", "task"])
    }

    @Test func `a deletion that was emptied out and undone before it was sent is in the trash when it comes again`()
        async throws
    {
        let task = try await phone.board.create(.init(title: "task"))
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await phone.board.emptyTrash()
        #expect(try await phone.board.undo() == .done)
        #expect(try phone.titles() == ["task"])

        try await phone.board.delete(task.id)

        #expect(try phone.board.trash().current().map(\.title) == ["task"])
        try await phone.board.syncNow()
        #expect(try phone.board.trash().current().map(\.title) == ["task"])
    }
}
