import TestSupport
import Testing

@testable import KanbanClient

/// Deletions come without a value. What was written before and after them is neither lost nor overwritten.
struct DeletionTests {
    private let phone: TestDevice
    private let pad: TestDevice
    private let network: MeddlingNetwork
    private let task: KanbanTask

    init() async throws {
        let server = try LocalServer()
        phone = try await TestDevice.on(server)
        network = MeddlingNetwork(to: server)
        pad = try await TestDevice.on(network, seed: 2)
        task = try await phone.board.create(.init(title: "task", body: "1"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
    }

    @Test func `what was written before a deletion is in the trash`() async throws {
        let board = phone.board
        try await board.edit(task.id) {
            $0.body = "1 and more"; $0.status = .done
        }
        try await board.delete(task.id)
        try await board.syncNow()
        #expect(try board.trash().current().map(\.body) == ["1 and more"])

        try await board.restore(task.id)
        try await board.edit(task.id) { $0.body += "!" }
        try await board.syncNow()
        try await pad.board.syncNow()

        #expect(try await pad.board.task(task.id)?.body == "1 and more!")
        #expect(try await pad.board.task(task.id)?.status == .done)
        #expect(try Shown(pad.board) == Shown(board))
        #expect(try board.issues.current().isEmpty)
    }

    @Test(arguments: [false, true])
    func `what another device wrote before it deleted is not overwritten in silence`(isRead: Bool) async throws {
        try await phone.board.edit(task.id) { $0.body = "theirs" }
        try await phone.board.syncNow()
        try await phone.board.delete(task.id)
        try await phone.board.syncNow()
        // The feed has the deletion alone; the list of the trash tells the words.
        if !isRead { network.meddle { $0 == "/tasks" ? .cut : .none } }
        try await pad.board.syncNow()

        try await pad.board.restore(task.id)
        try await pad.board.edit(task.id) { $0.body += "!" }
        try await pad.board.syncNow()

        let issue = try pad.board.issues.current().first
        if isRead {
            #expect(try await pad.board.task(task.id)?.body == "theirs!" && issue == nil)
        } else {
            #expect(issue?.kind == .merged)
            #expect(issue?.conflicts == [Conflict(target: task.id, member: "body", mine: "1!", theirs: "theirs")])
        }
    }

    @Test func `a deletion that comes before the answer leaves the words in the issue, and one issue`() async throws {
        try await phone.board.delete(task.id)
        try await phone.board.syncNow()
        try await pad.board.edit(task.id) { $0.title = "my words" }
        try await pad.board.move(task.id, to: .doing)
        try await pad.board.edit(task.id) { $0.body = "my body" }
        try await pad.board.syncNow(until: .pulled)
        try await pad.board.syncNow()

        let issues = try pad.board.issues.current()
        #expect(issues.map(\.kind) == [.deleted])
        #expect(issues.first?.mine?.title == "my words" && issues.first?.mine?.body == "my body")
        try await pad.board.answer(try #require(issues.first).id, .restoreWithMine)
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        let restored = try #require(try await phone.board.task(task.id))
        #expect((restored.title, restored.body, restored.status) == ("my words", "my body", .doing))
    }

    @Test func `a task made in a category that was deleted meanwhile is in its issue`() async throws {
        let category = try await phone.board.createCategory(.init(name: "gone"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await phone.board.deleteCategory(category.id)
        try await phone.board.syncNow()
        try await pad.board.create(.init(title: "new", body: "words", category: .id(category.id)))
        try await pad.board.syncNow(until: .pulled)
        try await pad.board.syncNow()

        let issue = try #require(try pad.board.issues.current().first)
        #expect(issue.mine?.title == "new" && issue.mine?.body == "words")
        var draft = try #require(issue.mine)
        draft.category = nil
        try await pad.board.answer(issue.id, .retry(draft))
        #expect(try pad.titles() == ["task", "new"])
    }

    @Test func `a D-day and a category that were deleted before the answer come back whole`() async throws {
        let dday = try await phone.board.createDDay(
            .init(title: "exam", date: "2026-12-24", repeatsYearly: true))
        let category = try await phone.board.createCategory(.init(name: "Home", color: "#aa0000", emoji: "🏠"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await phone.board.deleteDDay(dday.id)
        try await phone.board.deleteCategory(category.id)
        try await phone.board.syncNow()
        try await pad.board.editDDay(dday.id) { $0.title = "party" }
        try await pad.board.editCategory(category.id) { $0.name = "House" }
        try await pad.board.syncNow(until: .pulled)
        try await pad.board.syncNow()

        for issue in try pad.board.issues.current() {
            #expect(issue.kind == .deleted)
            try await pad.board.answer(issue.id, .restoreWithMine)
        }
        let (party, house) = try (
            #require(try pad.board.ddays().current().first), #require(try pad.board.categories().current().first)
        )
        #expect((party.title, party.date, party.repeatsYearly) == ("party", "2026-12-24", true))
        #expect((house.name, house.color, house.emoji) == ("House", "#aa0000", "🏠"))
    }

    @Test func `the color of a category whose name another device took is an issue`() async throws {
        try await phone.board.createCategory(.init(name: "Same", color: "#aa0000", emoji: "🏠"))
        try await phone.board.syncNow()
        try await pad.board.createCategory(.init(name: "Same", color: "#00bb00", emoji: "🏠"))
        try await pad.board.syncNow()

        #expect(try pad.board.categories().current().map(\.color) == ["#aa0000"])
        let issue = try #require(try pad.board.issues.current().first)
        #expect(issue.conflicts.map(\.member) == ["color"])
        #expect(issue.conflicts.first?.mine == "#00bb00" && issue.conflicts.first?.theirs == "#aa0000")
        try await pad.board.answer(issue.id, .mine)
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        #expect(try phone.board.categories().current().map(\.color) == ["#00bb00"])
    }
}
