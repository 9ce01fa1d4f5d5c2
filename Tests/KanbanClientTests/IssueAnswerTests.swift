import Foundation
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

    @Test func `theirs takes the place of a category of mine that was deleted`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "task"))
        for device in [phone, pad] { try await device.board.syncNow() }
        let work = try #require(try await phone.board.edit(task.id) { $0.category = .named("Work") }.categoryID)
        try await phone.board.syncNow()
        let home = try #require(try await pad.board.edit(task.id) { $0.category = .named("Home") }.categoryID)
        try await pad.board.deleteCategory(home)
        try await pad.board.syncNow()

        let issue = try #require(try pad.board.issues.current().first)
        try #require(issue.conflicts.map(\.member) == ["categoryId"])
        try await pad.board.answer(issue.id, .theirs)

        for device in [pad, phone] { try await device.board.syncNow() }
        for device in [pad, phone] {
            #expect(try await device.board.task(task.id)?.categoryID == work)
            #expect(try device.board.issues.current().isEmpty)
        }
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

    @Test func `a task that was refused is sent again without what others changed since`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let category = try await phone.board.createCategory(.init(name: "gone"))
        let task = try await phone.board.create(.init(title: "report", body: "one page"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { $0.category = .id(category.id) }
        try await pad.board.deleteCategory(category.id)
        try await pad.board.edit(task.id) {
            $0.title = "report, final"; $0.body = "two pages"; $0.status = .done
        }
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        let issue = try #require(try phone.board.issues.current().first)

        var draft = try #require(issue.mine)
        draft.category = .named("Work")
        draft.due = .day("2026-12-24")
        try await phone.board.answer(issue.id, .retry(draft))
        try await phone.board.syncNow()

        let sent = try #require(try await phone.board.task(task.id))
        #expect((sent.title, sent.body, sent.status) == ("report, final", "two pages", .done))
        #expect(sent.due == .day("2026-12-24"))
        #expect(try phone.board.categories().current().map(\.id) == [sent.categoryID].compactMap(\.self))
    }

    @Test func `a task that the server has purged comes back as another one`() async throws {
        let clock = TestClock()
        let server = try LocalServer(clock: clock)
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "words", body: "more"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.delete(task.id)
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { $0.title = "mine" }
        try await phone.board.syncNow()
        clock.advance(seconds: 31 * 86_400)
        try await server.maintain()
        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.kind == .deleted)

        try await phone.board.answer(issue.id, .restoreWithMine)
        try await phone.board.syncNow()
        let refused = try phone.board.issues.current()
        #expect(refused.map(\.kind) == [.rejected([Fault(pointer: "#", code: "not_found")])])
        #expect(try phone.board.trash().current().isEmpty)
        let draft = try #require(refused.first?.mine)
        #expect((draft.title, draft.body) == ("mine", "more"))
        try await phone.board.answer(try #require(refused.first).id, .retry(draft))
        try await phone.board.syncNow()

        #expect(try phone.titles() == ["mine"])
        #expect(try phone.board.issues.current().isEmpty)
        try await pad.board.syncNow()
        #expect(try pad.titles() == ["mine"])
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

    // MARK: - Sides

    @Test(arguments: [KanbanClient.Issue.Answer.mine, .theirs])
    func `a side of the settings is taken with the keys that it lacks`(side: KanbanClient.Issue.Answer) async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        try await phone.board.editSettings { $0.custom = ["gone": "0", "kept": "0"] }
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.editSettings { $0.custom = ["kept": "0", "theirs": "1", "both": "theirs"] }
        try await pad.board.syncNow()
        try await phone.board.editSettings { $0.custom = ["gone": "mine", "kept": "0", "both": "mine"] }
        try await phone.board.syncNow()

        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.conflicts.map(\.member) == ["custom.both", "custom.gone"])
        #expect(issue.conflicts.map(\.mine) == ["mine", "mine"])
        #expect(issue.conflicts.map(\.theirs) == ["theirs", nil])
        // Another key, which the conflict has nothing to do with.
        try await phone.board.editSettings { $0.custom["later"] = "1" }
        try await phone.board.answer(issue.id, side)
        try await phone.board.syncNow()

        var expected = ["kept": "0", "theirs": "1", "both": side == .mine ? "mine" : "theirs", "later": "1"]
        if side == .mine { expected["gone"] = "mine" }
        #expect(try phone.board.settings().current().custom == expected)
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `a key of the settings that one device changed is no conflict`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        try await phone.board.editSettings { $0.custom = ["base": "0"] }
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.editSettings { $0.custom["both"] = "theirs" }
        try await pad.board.syncNow()
        try await phone.board.editSettings { ($0.custom["both"], $0.custom["mine"]) = ("mine", "only") }
        try await phone.board.syncNow()
        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.conflicts == [Conflict(.settings, "custom.both", mine: "mine", theirs: "theirs")])

        try await phone.board.answer(issue.id, .theirs)
        try await phone.board.syncNow()
        #expect(try phone.board.settings().current().custom == ["base": "0", "both": "theirs", "mine": "only"])

        // Each a key of its own: nothing is contested.
        try await pad.board.editSettings { $0.custom["pad"] = "1" }
        try await pad.board.syncNow()
        try await phone.board.editSettings { $0.custom["phone"] = "1" }
        try await phone.board.syncNow()
        #expect(try phone.board.issues.current().isEmpty)
        #expect(try phone.board.settings().current().custom.count == 5)
    }

    @Test func `a key of an old edit that yielded is in the issue, though nobody else has it`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        try await phone.board.syncNow()
        try await pad.board.editSettings { $0.custom["pad"] = "1" }
        try await pad.board.syncNow()
        try await phone.board.editSettings { $0.custom["phone"] = "1" }
        phone.clock.advance(seconds: 7_200)
        try await phone.board.syncNow()

        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.conflicts == [Conflict(.settings, "custom.phone", mine: "1", theirs: nil)])
        try await phone.board.answer(issue.id, .mine)
        #expect(try phone.board.settings().current().custom == ["pad": "1", "phone": "1"])
    }

    @Test func `a side whose category was deleted since is taken without it`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let task = try await phone.board.create(.init(title: "task"))
        let (home, work) = try await (
            phone.board.createCategory(.init(name: "Home")), phone.board.createCategory(.init(name: "Work"))
        )
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { ($0.title, $0.category) = ("theirs", .id(home.id)) }
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { ($0.title, $0.category) = ("mine", .id(work.id)) }
        try await phone.board.syncNow()
        let issue = try #require(try phone.board.issues.current().first)
        try await phone.board.deleteCategory(home.id)

        try await phone.board.answer(issue.id, .theirs)

        #expect(try await phone.board.task(task.id)?.title == "theirs")
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test(arguments: [KanbanClient.Issue.Answer.mine, .theirs])
    func `a side of a task that was deleted here since ends the issue`(side: KanbanClient.Issue.Answer) async throws {
        let board = try await TestDevice().board
        let task = try await board.create(.init(title: "task"))
        try await board.core.replica.write { transaction in
            try transaction.add(
                StoredIssue(
                    kind: .merged, resource: .task(task.id.id),
                    details: [
                        .init("conflicts", [["member": "title", "mine": "task", "theirs": "theirs"]]),
                        .init("isApplied", true),
                    ]))
        }
        try await board.delete(task.id)

        try await board.answer(try #require(try board.issues.current().first).id, side)

        #expect(try board.issues.current().isEmpty)
        #expect(try await board.task(task.id)?.deletedAt != nil)
    }

    @Test func `a task whose category was refused is sent without it, unless the user chose it`() async throws {
        let board = try await TestDevice().board
        let task = try await board.create(.init(title: "task"))
        let gone = KanbanID()
        let edit = StoredMutation(
            .patch, .task(task.id.id), ["title": "mine", "categoryId": .string(gone.description)])
        let draft: JSON = ["title": "mine", "status": "todo", "categoryId": .string(gone.description)]
        try await board.core.replica.write { transaction in
            try transaction.add(.rejected(edit, ["code": "unknown_category"], draft))
        }
        let issue = try #require(try board.issues.current().first)
        var mine = try #require(issue.mine)

        mine.category = .id(KanbanID())
        await #expect(throws: KanbanError.invalid([Fault(pointer: "#/categoryId", code: "unknown_category")])) {
            try await board.answer(issue.id, .retry(mine))
        }
        mine.category = .id(gone)
        try await board.answer(issue.id, .retry(mine))

        #expect(try await board.task(task.id)?.title == "mine")
        #expect(try board.issues.current().isEmpty)
    }

    @Test func `a D-day whose image is gone is sent without it`() async throws {
        let board = try await TestDevice().board
        let value: JSON = ["title": "Trip", "date": "2026-12-24", "image": .string(KanbanID().description)]
        let edit = StoredMutation(.create, .dday(KanbanID().id), value)
        try await board.core.replica.write { try $0.add(.rejected(edit, ["code": "unknown_image"], value)) }
        let issue = try #require(try board.issues.current().first)

        try await board.answer(issue.id, .retry(try #require(issue.mine)))

        #expect(try board.ddays().current().map(\.title) == ["Trip"])
    }

    // MARK: - A restored server

    @Test(arguments: [false, true])
    func `a lost task brings its lost category back`(isNameTaken: Bool) async throws {
        let server = try LocalServer()
        let phone = try await TestDevice.on(server)
        let backup = try await server.export()
        let home = try await phone.board.createCategory(.init(name: "Home", color: "#ff0000"))
        for title in ["1", "2"] { try await phone.board.create(.init(title: title, category: .id(home.id))) }
        try await phone.board.syncNow()
        try await server.restore(backup)
        try await phone.board.syncNow()
        let other = isNameTaken ? try await phone.board.createCategory(.init(name: "home")) : nil
        let issues = try phone.board.issues.current()
        #expect(issues.count == 3)

        for issue in issues where issue.mine != nil && issue.target != home.id {
            try await phone.board.answer(issue.id, .sendAgain)
        }
        try await phone.board.syncNow()

        #expect(try phone.board.tasks().current().map(\.categoryID) == Array(repeating: other?.id ?? home.id, count: 2))
        #expect(try phone.board.categories().current().map(\.color) == [isNameTaken ? nil : "#ff0000"])
        let last = try phone.board.issues.current()
        #expect(last.map(\.target) == [home.id])
        guard !isNameTaken else { return }
        try await phone.board.answer(try #require(last.first).id, .sendAgain)
        #expect(try await phone.board.pending().isEmpty)
        #expect(try phone.board.issues.current().isEmpty)
    }

    // MARK: - What no server would take

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 253_402_300_800])
    func `an instant that cannot be written is refused`(seconds: Double) async throws {
        let device = try await TestDevice()
        let due = Due.instant(Date(timeIntervalSince1970: seconds))
        let task = try await device.board.create(.init(title: "x", due: .instant(.distantFuture)))
        let error = KanbanError.invalid([Fault(pointer: "#/dueDate", code: "invalid_format")])

        await #expect(throws: error) { try await device.board.create(.init(title: "x", due: due)) }
        await #expect(throws: error) { try await device.board.edit(task.id) { $0.due = due } }

        #expect(try device.board.tasks().current().map(\.due) == [.instant(.distantFuture)])
        #expect(try device.board.tasks(due: .between(Date(timeIntervalSince1970: seconds), nil)).current().count <= 1)
    }

    @Test(arguments: ["nonsense", "ftp://example.org", "http://", "https:///path", "file:///tmp"])
    func `an address that is no server's is refused`(address: String) async throws {
        let folder = try TemporaryDirectory()
        let url = URL(filePath: folder.file("board"))

        await #expect(throws: KanbanError.invalid([Fault(pointer: "#/server", code: "invalid_format")])) {
            try await KanbanBoard.open(at: url, server: try #require(URL(string: address)))
        }

        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}
