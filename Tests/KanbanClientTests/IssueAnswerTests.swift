import JSON
import Kanban
import KanbanRows
import KanbanWire
import TestSupport
import Testing

@testable import KanbanClient

/// What the server did not take stays on the device until the user decides.
struct IssueAnswerTests {
    @Test func `a deleted category and D-day come back with the edit`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let category = try await phone.board.createCategory(.init(name: "Home", emoji: "🏠"))
        let dday = try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.deleteCategory(category.id)
        try await pad.board.deleteDDay(dday.id)
        try await pad.board.syncNow()
        try await phone.board.editCategory(category.id) { $0.color = "#ff0000" }
        try await phone.board.editDDay(dday.id) { $0.title = "party" }
        try await phone.board.syncNow()

        for issue in try phone.board.issues.current() {
            #expect(issue.kind == .deleted && !issue.conflicts.isEmpty)
            try await phone.board.answer(issue.id, .restoreWithMine)
        }

        let home = try #require(try phone.board.categories().current().first)
        #expect(home.name == "Home" && home.color == "#ff0000" && home.emoji == "🏠")
        let party = try #require(try phone.board.ddays().current().first)
        #expect(party.title == "party" && party.date == "2026-12-24")
    }

    @Test func `a log-out counts what was kept back for another device's sake`() throws {
        let edit = StoredMutation(.patch, .task(.init(high: 1, low: 1)), ["title": "mine"])
        let rejected = StoredIssue.rejected(edit, .null, .null)
        var merged = StoredIssue(kind: .merged, resource: edit.resource, details: [.init("isApplied", true)])

        #expect(rejected.isOnlyCopy && !merged.isOnlyCopy)
        merged.details = [.init("isApplied", false)]
        #expect(merged.isOnlyCopy)
    }

    @Test func `what the server refused of a category, D-day or settings is shown and sent again`() async throws {
        let device = try await TestDevice()
        let board = device.board
        let category = try await board.createCategory(.init(name: "Home"))
        let dday = try await board.createDDay(.init(title: "exam", date: "2026-12-24"))
        let repeated = try await board.createDDay(.init(title: "feast", date: "2026-12-26"))
        let mutations = [
            StoredMutation(.patch, .category(category.id.id), ["name": "House"]),
            StoredMutation(.patch, .dday(dday.id.id), ["title": "party", "date": "2026-12-25"]),
            StoredMutation(.patch, .dday(repeated.id.id), ["repeats": "yearly"]),
            StoredMutation(.patch, .settings, ["custom": ["a": "1"]]),
        ]
        try await board.core.replica.write { transaction in
            for mutation in mutations {
                let draft = try transaction.draft(of: mutation.resource)
                try transaction.add(.rejected(mutation, ["code": "quota"], draft))
            }
        }

        let issues = try board.issues.current()
        #expect(
            issues.map { $0.conflicts.map(\.member) }.joined().sorted()
                == ["custom.a", "date", "name", "repeats", "title"])
        #expect(Set(issues.compactMap(\.mine?.title)) == ["House", "feast", "party"])
        for issue in issues {
            var draft = issue.mine ?? TaskDraft(title: "")
            if issue.target == category.id { draft.title = "Flat" }
            // Another device's, which the refused edit has nothing to do with.
            if issue.target == repeated.id { try await board.editDDay(repeated.id) { $0.title = "theirs" } }
            try await board.answer(issue.id, .retry(draft))
        }

        #expect(try board.categories().current().map(\.name) == ["Flat"])
        #expect(try board.ddays().current().map(\.title) == ["party", "theirs"])
        #expect(try board.ddays().current().map(\.date) == ["2026-12-25", "2026-12-26"])
        #expect(try board.ddays().current().map(\.repeatsYearly) == [false, true])
        #expect(try board.settings().current().custom == ["a": "1"])
        #expect(try board.issues.current().isEmpty)
    }

    @Test func `the place of one side is taken`() async throws {
        let board = try await TestDevice().board
        var tasks: [KanbanTask] = []
        for title in ["1", "2", "3"] { tasks.append(try await board.create(.init(title: title))) }
        let (first, last) = (tasks[0].id.id, tasks[2].id.id)
        try await board.core.replica.write { transaction in
            let position = try #require(try transaction.rows.task(first)).position.text
            try transaction.add(
                StoredIssue(
                    kind: .merged, resource: .task(last),
                    details: [.init("conflicts", [["member": "position", "mine": .string(position), "theirs": "z"]])]))
        }

        try await board.answer(try #require(try board.issues.current().first).id, .mine)

        #expect(try board.tasks(in: .todo).current().map(\.title) == ["3", "1", "2"])
    }
}
