import TestSupport
import Testing

@testable import KanbanClient

/// What a restored server lost is sent again without taking newer words away.
struct RestoredServerTests {
    private let clock = TestClock()
    private let server: LocalServer
    private let phone: TestDevice
    private let pad: TestDevice

    init() async throws {
        server = try LocalServer(clock: clock)
        phone = try await .on(server)
        pad = try await .on(server, seed: 2)
    }

    private func sync(_ devices: TestDevice...) async throws {
        for device in devices {
            clock.advance(seconds: 1)
            try await device.board.syncNow()
        }
    }

    @Test func `words that are newer than the restore stay`() async throws {
        let task = try await phone.board.create(.init(title: "old", body: "old"))
        try await sync(phone)
        let backup = try await server.export()
        try await phone.board.edit(task.id) { ($0.title, $0.body) = ("lost", "lost words") }
        try await sync(phone)
        try await phone.board.edit(task.id) { $0.title = "newest" }
        try await server.restore(backup)
        try await sync(phone)
        let issue = try #require(try phone.board.issues.current().first { $0.kind == .restoredServer })

        try await phone.board.answer(issue.id, .sendAgain)
        try await sync(phone, pad)

        for device in [phone, pad] {
            #expect(try await device.board.task(task.id)?.title == "newest")
            #expect(try await device.board.task(task.id)?.body == "lost words")
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    @Test func `settings that were set since the restore stay`() async throws {
        let backup = try await server.export()
        try await phone.board.editSettings { $0.custom = ["a": "lost", "b": "lost"] }
        try await sync(phone)
        try await server.restore(backup)
        try await sync(phone)
        try await phone.board.editSettings { $0.custom["a"] = "new" }

        try await phone.board.answer(try #require(try phone.board.issues.current().first).id, .sendAgain)

        #expect(try phone.board.settings().current().custom == ["a": "new", "b": "lost"])
    }

    @Test func `what another device brought back and changed is not overwritten in silence`() async throws {
        let backup = try await server.export()
        let task = try await phone.board.create(.init(title: "lost"))
        try await sync(phone, pad)
        try await server.restore(backup)
        try await sync(phone, pad)
        try await phone.board.answer(try #require(try phone.board.issues.current().first).id, .sendAgain)
        try await phone.board.edit(task.id) { $0.title = "newer" }
        try await sync(phone, pad)

        try await pad.board.answer(try #require(try pad.board.issues.current().first).id, .sendAgain)
        try await sync(pad, phone)

        #expect(try phone.titles() == ["newer"])
        let issue = try #require(try pad.board.issues.current().first)
        #expect(issue.kind == .merged)
        #expect(issue.conflicts == [Conflict(target: task.id, member: "title", mine: "lost", theirs: "newer")])
        try await pad.board.answer(issue.id, .mine)
        #expect(try pad.titles() == ["lost"])
    }
}
