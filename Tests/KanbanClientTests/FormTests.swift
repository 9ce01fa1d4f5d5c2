import TestSupport
import Testing

@testable import KanbanClient

/// A form that is open while another device edits the same task.
struct FormTests {
    private func pair() async throws -> (TestDevice, TestDevice) {
        let server = try LocalServer()
        return (try await .on(server), try await .on(server, seed: 2))
    }

    @Test func `a form saves what the user changed, and leaves the rest to others`() async throws {
        let (phone, pad) = try await pair()
        let task = try await phone.board.create(.init(title: "t", body: "x"))
        for device in [phone, pad] { try await device.board.syncNow() }
        let before = TaskDraft(task)
        try await pad.board.edit(task.id) { ($0.body, $0.due) = ("long text", .day("2027-01-01")) }
        for device in [pad, phone] { try await device.board.syncNow() }

        var draft = before
        (draft.title, draft.category) = ("t2", .named("c"))
        let saved = try await phone.board.edit(task.id, from: before, to: draft)

        #expect(saved.title == "t2" && saved.body == "long text" && saved.due == .day("2027-01-01"))
        #expect(saved.categoryID != nil)
        #expect(try phone.board.issues.current().isEmpty)
        #expect(try await phone.board.undo() == .done)
        #expect(try await phone.board.task(task.id)?.title == "t")
    }

    @Test func `where both changed a member there is an issue`() async throws {
        let (phone, pad) = try await pair()
        let task = try await phone.board.create(.init(title: "t"))
        for device in [phone, pad] { try await device.board.syncNow() }
        let before = TaskDraft(task)
        try await pad.board.edit(task.id) { ($0.title, $0.body) = ("theirs", "same") }
        for device in [pad, phone] { try await device.board.syncNow() }

        var draft = before
        (draft.title, draft.body) = ("mine", "same")
        try await phone.board.edit(task.id, from: before, to: draft)

        let issue = try #require(try phone.board.issues.current().first)
        #expect(try issue.kind == .merged && phone.titles() == ["mine"])
        #expect(issue.conflicts == [Conflict(target: task.id, member: "title", mine: "mine", theirs: "theirs")])
        try await phone.board.answer(issue.id, .theirs)
        #expect(try phone.titles() == ["theirs"])
        await #expect(throws: KanbanError.notFound) { try await phone.board.edit(.init(), from: before, to: draft) }
    }
}
