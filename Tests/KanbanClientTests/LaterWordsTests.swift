import TestSupport
import Testing

@testable import KanbanClient

/// An answer decides about what the issue asked. What others wrote since stays, or is asked about.
struct LaterWordsTests {
    private let phone, pad: TestDevice

    init() async throws {
        let server = try LocalServer()
        (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
    }

    private func sync(_ devices: TestDevice...) async throws {
        for device in devices { try await device.board.syncNow() }
    }

    private func onlyIssue(_ kind: KanbanClient.Issue.Kind) throws -> KanbanClient.Issue {
        let issues = try phone.board.issues.current()
        #expect(issues.map(\.kind) == [kind])
        return try #require(issues.first)
    }

    // MARK: - Deleted

    /// - Parameter isSeen: The phone knows that the pad restored the task before it answers.
    @Test(arguments: [false, true])
    func `a task that others restored and changed gets my edit alone`(isSeen: Bool) async throws {
        let task = try await phone.board.create(.init(title: "base", body: "base"))
        try await sync(phone, pad)
        try await pad.board.delete(task.id)
        try await sync(pad)
        try await phone.board.edit(task.id) { $0.body = "mine" }
        try await sync(phone)
        let issue = try onlyIssue(.deleted)
        try await pad.board.restore(task.id)
        try await pad.board.edit(task.id) {
            ($0.title, $0.due, $0.status, $0.category) = ("theirs", .day("2027-01-01"), .done, .named("Home"))
        }
        try await sync(pad)
        if isSeen { try await sync(phone) }

        try await phone.board.answer(issue.id, .restoreWithMine)
        try await sync(phone, pad)

        for device in [phone, pad] {
            let shown = try #require(try await device.board.task(task.id))
            #expect((shown.title, shown.body, shown.status) == ("theirs", "mine", .done))
            #expect(shown.due == .day("2027-01-01") && shown.categoryID != nil && shown.deletedAt == nil)
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    /// - Parameter isRestored: Else the pad wrote before it deleted the task.
    @Test(arguments: [false, true])
    func `my edit in the place of words that I have not seen is an issue`(isRestored: Bool) async throws {
        let task = try await phone.board.create(.init(title: "base", body: "base"))
        try await sync(phone, pad)
        if !isRestored { try await pad.board.edit(task.id) { $0.body = "theirs" } }
        try await pad.board.delete(task.id)
        try await sync(pad)
        try await phone.board.edit(task.id) { $0.body = "mine" }
        try await sync(phone)
        if isRestored {
            try await pad.board.restore(task.id)
            try await pad.board.edit(task.id) { $0.body = "theirs" }
            try await sync(pad, phone)
        }

        try await phone.board.answer(try onlyIssue(.deleted).id, .restoreWithMine)
        try await sync(phone, pad)

        #expect(try await pad.board.task(task.id)?.body == "mine")
        let issue = try onlyIssue(.merged)
        #expect(issue.conflicts == [Conflict(target: task.id, member: "body", mine: "mine", theirs: "theirs")])
        try await phone.board.answer(issue.id, .theirs)
        #expect(try await phone.board.task(task.id)?.body == "theirs")
    }

    @Test func `each edit of a deleted task comes back, and its column`() async throws {
        let task = try await phone.board.create(.init(title: "base", body: "base"))
        try await sync(phone, pad)
        try await pad.board.delete(task.id)
        try await sync(pad)
        // Not joined into one.
        try await phone.board.edit(task.id) { $0.title = "mine" }
        try await phone.board.create(.init(title: "between"))
        try await phone.board.edit(task.id) { $0.due = .day("2027-01-01") }
        try await phone.board.move(task.id, to: .doing, .first)
        try await sync(phone)
        let issue = try onlyIssue(.deleted)
        try await pad.board.restore(task.id)
        try await pad.board.edit(task.id) { $0.body = "theirs" }
        try await sync(pad)

        try await phone.board.answer(issue.id, .restoreWithMine)
        try await sync(phone, pad)

        let shown = try #require(try await pad.board.task(task.id))
        #expect((shown.title, shown.body, shown.status) == ("mine", "theirs", .doing))
        #expect(shown.due == .day("2027-01-01"))
    }

    @Test func `a category and a D-day that others restored and changed get my edit alone`() async throws {
        let category = try await phone.board.createCategory(.init(name: "Home"))
        let dday = try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await sync(phone, pad)
        try await pad.board.deleteCategory(category.id)
        try await pad.board.deleteDDay(dday.id)
        try await sync(pad)
        try await phone.board.editCategory(category.id) { $0.color = "#ff0000" }
        try await phone.board.editDDay(dday.id) { $0.color = "#00ff00" }
        try await sync(phone)
        try await pad.board.restoreCategory(category.id)
        try await pad.board.restoreDDay(dday.id)
        try await pad.board.editCategory(category.id) { $0.name = "House" }
        try await pad.board.editDDay(dday.id) { ($0.title, $0.date) = ("party", "2026-12-31") }
        try await sync(pad, phone)

        for issue in try phone.board.issues.current() { try await phone.board.answer(issue.id, .restoreWithMine) }
        try await sync(phone, pad)

        #expect(try pad.board.categories().current().map { [$0.name, $0.color] } == [["House", "#ff0000"]])
        let shown = try #require(try pad.board.ddays().current().first)
        #expect((shown.title, shown.date, shown.color) == ("party", "2026-12-31", "#00ff00"))
    }

    // MARK: - Merged

    /// A task with an issue about its title, "mine" or "theirs", that the pad has given a newer one since.
    private func outdated() async throws -> (task: KanbanID, issue: KanbanClient.Issue) {
        let task = try await phone.board.create(.init(title: "base", body: "base")).id
        try await sync(phone, pad)
        try await pad.board.edit(task) { ($0.title, $0.body) = ("theirs", "theirs") }
        try await sync(pad)
        try await phone.board.edit(task) { ($0.title, $0.body) = ("mine", "mine") }
        try await sync(phone, pad)
        try await pad.board.edit(task) { $0.title = "newest" }
        try await sync(pad, phone)
        return (task, try onlyIssue(.merged))
    }

    @Test func `theirs takes the place of mine, and not of what somebody wrote since`() async throws {
        let (task, issue) = try await outdated()

        try await phone.board.answer(issue.id, .theirs)
        try await sync(phone, pad)

        for device in [phone, pad] {
            #expect(try await device.board.task(task)?.title == "newest")
            #expect(try await device.board.task(task)?.body == "theirs")
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    @Test func `mine in the place of what somebody wrote since is another issue`() async throws {
        let (task, issue) = try await outdated()

        try await phone.board.answer(issue.id, .mine)
        try await sync(phone, pad)

        #expect(try pad.titles() == ["mine"])
        let next = try onlyIssue(.merged)
        #expect(next.id != issue.id && next.mine?.title == "mine")
        #expect(next.conflicts == [Conflict(target: task, member: "title", mine: "mine", theirs: "newest")])
        try await phone.board.answer(next.id, .theirs)
        try await sync(phone, pad)
        #expect(try pad.titles() == ["newest"])
        #expect(try phone.board.issues.current().isEmpty)
    }

    /// - Parameter shown: What the pad has written when the phone answers.
    @Test(arguments: ["mine", "theirs"])
    func `mine that somebody wrote since, or that yielded, asks nothing more`(shown: String) async throws {
        let task = try await phone.board.create(.init(title: "base")).id
        try await sync(phone, pad)
        try await pad.board.edit(task) { $0.title = "theirs" }
        try await sync(pad)
        try await phone.board.edit(task) { $0.title = "mine" }
        try await sync(phone, pad)
        try await pad.board.edit(task) { $0.title = shown }
        try await sync(pad, phone)

        try await phone.board.answer(try onlyIssue(.merged).id, .mine)
        try await sync(phone, pad)

        #expect(try pad.titles() == ["mine"])
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `words that yielded to others are not lost when the task is deleted`() async throws {
        let task = try await phone.board.create(.init(title: "mine", body: "base")).id
        try await sync(phone, pad)
        try await phone.board.edit(task) { $0.title = "passing" }
        try await sync(phone, pad)
        try await pad.board.edit(task) { ($0.title, $0.body) = ("theirs", "theirs") }
        try await sync(pad)
        _ = try await phone.board.undo()
        try await sync(phone)
        let merged = try onlyIssue(.merged)
        try await pad.board.delete(task)
        try await sync(pad, phone)

        try await phone.board.answer(merged.id, .mine)

        let deleted = try onlyIssue(.deleted)
        #expect(deleted.target == task && deleted.mine?.title == "mine")
        try await phone.board.answer(deleted.id, .restoreWithMine)
        try await sync(phone, pad)
        #expect(try pad.titles() == ["mine"])
        #expect(try await pad.board.task(task)?.body == "theirs")
        #expect(try phone.board.issues.current().isEmpty)
    }
}
