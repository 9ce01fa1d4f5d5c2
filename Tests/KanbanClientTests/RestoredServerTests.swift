import JSON
import KanbanWire
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

    private func answerAll(_ device: TestDevice, _ answer: KanbanClient.Issue.Answer) async throws {
        for issue in try device.board.issues.current() { try await device.board.answer(issue.id, answer) }
    }

    @Test func `an unsent edit of what is lost is part of its one issue, with all other members`() async throws {
        let backup = try await server.export()
        let task = try await phone.board.create(
            .init(title: "n", body: "long text", status: .doing, category: .named("c")))
        try await sync(phone)
        try await phone.board.edit(task.id) { $0.title = "n2" }
        try await server.restore(backup)
        try await sync(phone)

        let issues = try phone.board.issues.current()
        #expect(issues.map(\.kind) == [.restoredServer, .restoredServer])
        let mine = try #require(issues.first { $0.target == task.id }?.mine)
        #expect(mine.title == "n2" && mine.body == "long text" && mine.status == .doing && mine.category != nil)
        #expect(try await phone.board.pending().isEmpty)
        try await answerAll(phone, .sendAgain)
        try await sync(phone, pad)

        for device in [phone, pad] {
            let back = try #require(try await device.board.task(task.id))
            #expect(back.title == "n2" && back.body == "long text" && back.status == .doing && back.categoryID != nil)
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    @Test func `a tick of a lost task that comes back makes its successor when it is sent again`() async throws {
        let backup = try await server.export()
        let task = try await phone.board.create(
            .init(title: "r", due: .day("2027-01-31"), recurrence: .monthly(on: 31)))
        try await sync(phone)
        try await phone.board.complete(task.id)
        try await server.restore(backup)
        try await sync(phone)

        try await answerAll(phone, .sendAgain)
        try await sync(phone)

        #expect(try phone.titles(.done) == ["r"] && phone.titles(.todo) == ["r"])
        #expect(try phone.board.tasks(in: .todo).current().map(\.due) == [.day("2027-02-28")])
    }

    @Test func `a retry of a refused edit leaves alone what the device did not know when it was refused`() async throws
    {
        let task = try await phone.board.create(
            .init(title: "n", body: "long text", status: .doing, category: .named("c")))
        try await phone.board.core.replica.write {
            try $0.add(
                .rejected(
                    StoredMutation(.patch, .task(task.id.id), ["title": "n2"]), ["code": "not_found"], ["title": "n2"]))
        }
        let issue = try #require(try phone.board.issues.current().first)

        try await phone.board.answer(issue.id, .retry(try #require(issue.mine)))

        let now = try await phone.board.task(task.id)
        #expect(now?.title == "n2" && now?.body == "long text" && now?.status == .doing)
        #expect(now?.categoryID == task.categoryID)
    }

    @Test(arguments: [false, true])
    func `what two devices bring back has the newer words, and an issue the older`(isKnown: Bool) async throws {
        let backup = try await server.export()
        let task = try await phone.board.create(.init(title: "X", body: "text"))
        let category = try await phone.board.createCategory(.init(name: "C"))
        let dday = try await phone.board.createDDay(.init(title: "D", date: "2027-01-01"))
        try await sync(phone, pad)
        try await server.restore(backup)
        try await sync(phone, pad)
        try await answerAll(phone, .sendAgain)
        try await phone.board.edit(task.id) { $0.title = "X of the phone" }
        try await phone.board.editCategory(category.id) { $0.name = "C of the phone" }
        try await phone.board.editDDay(dday.id) { $0.title = "D of the phone" }
        try await sync(phone)
        if isKnown { try await sync(pad) }

        try await answerAll(pad, .sendAgain)
        if !isKnown { try await pad.board.edit(task.id) { $0.body = "text of the pad" } }
        try await sync(pad, phone)

        for device in [phone, pad] {
            #expect(try device.titles() == ["X of the phone"])
            #expect(try device.board.tasks().current().map(\.body) == [isKnown ? "text" : "text of the pad"])
            #expect(try device.board.categories().current().map(\.name) == ["C of the phone"])
            #expect(try device.board.ddays().current().map(\.title) == ["D of the phone"])
        }
        let issues = try pad.board.issues.current()
        #expect(issues.allSatisfy { $0.kind == .merged })
        #expect(Set(issues.flatMap(\.conflicts).map(\.mine)).isSuperset(of: ["X", "C", "D"]))
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test(arguments: [(60, "of the pad"), (2 * 3_600, "of the phone")])
    func `an edit that waits through a restore tells of newer words, and yields when it is old`(
        age: Int64, winner: String
    ) async throws {
        let task = try await phone.board.create(.init(title: "old", body: "old"))
        try await sync(phone, pad)
        try await pad.board.edit(task.id) { ($0.title, $0.body) = ("of the pad", "body of the pad") }
        try await server.restore(server.export())
        for clock in [clock, phone.clock, pad.clock] { clock.advance(seconds: age) }
        try await sync(phone)
        try await phone.board.edit(task.id) { $0.title = "of the phone" }
        try await sync(phone, pad, phone)

        for device in [phone, pad] {
            #expect(try device.titles() == [winner])
            #expect(try device.board.tasks().current().map(\.body) == ["body of the pad"])
        }
        let issue = try #require(try pad.board.issues.current().first)
        #expect(issue.kind == .merged)
        #expect(
            issue.conflicts == [Conflict(target: task.id, member: "title", mine: "of the pad", theirs: "of the phone")])
        try await pad.board.answer(issue.id, winner == "of the pad" ? .theirs : .mine)
        try await sync(pad, phone)
        #expect(try phone.titles() == [winner == "of the pad" ? "of the phone" : "of the pad"])
        #expect(try pad.board.issues.current().isEmpty)
    }

    @Test func `an edit that waits through a restore is no question where only the backup is older`() async throws {
        let task = try await phone.board.create(.init(title: "old"))
        try await sync(phone, pad)
        let backup = try await server.export()
        clock.advance(seconds: 1)
        try await phone.board.edit(task.id) { $0.title = "lost" }
        try await sync(phone, pad)
        try await pad.board.edit(task.id) { $0.title = "newest" }
        try await server.restore(backup)

        try await sync(pad)

        #expect(try pad.titles() == ["newest"])
        #expect(try pad.board.issues.current().allSatisfy { $0.kind == .restoredServer })
    }

    @Test func `words of what lay in the trash are not lost where the backup has older ones`() async throws {
        let task = try await phone.board.create(.init(title: "old"))
        try await sync(phone)
        let backup = try await server.export()
        clock.advance(seconds: 1)
        try await phone.board.edit(task.id) { $0.body = "long text" }
        try await sync(phone)
        try await phone.board.delete(task.id)
        try await sync(phone)
        try await server.restore(backup)

        try await sync(phone)

        let issue = try #require(try phone.board.issues.current().first)
        #expect(issue.kind == .restoredServer && issue.mine?.body == "long text")
        try await phone.board.answer(issue.id, .sendAgain)
        #expect(try phone.board.tasks().current().map(\.body) == ["long text"])
    }
}
