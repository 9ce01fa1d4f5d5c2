import Foundation
import TestSupport
import Testing

@testable import KanbanClient

/// Several edits of a member that another device changed: one question to the user, about the newest words.
struct ConflictChainTests {
    private let server: LocalServer
    private let phone, pad: TestDevice

    init() async throws {
        server = try LocalServer()
        (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
    }

    /// A task that the other device gave another title, which this one does not know.
    private func contested() async throws -> KanbanID {
        let task = try await phone.board.create(.init(title: "base", body: "base"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { $0.title = "theirs" }
        try await pad.board.syncNow()
        return task.id
    }

    /// Edits of one task that are not joined into one.
    private func write(_ titles: [String], _ id: KanbanID) async throws {
        for title in titles {
            try await phone.board.edit(id) { $0.title = title }
            try await phone.board.create(.init(title: "between", status: .done))
        }
    }

    /// The only issue, which asks about these titles.
    private func expectOneIssue(mine: String, theirs: String) throws -> KanbanClient.Issue {
        let issues = try phone.board.issues.current()
        #expect(issues.map(\.kind) == [.merged])
        let issue = try #require(issues.first)
        #expect(issue.conflicts.map(\.member) == ["title"])
        #expect(issue.conflicts.map(\.mine) == [mine] && issue.conflicts.map(\.theirs) == [theirs])
        #expect(issue.mine?.title == mine)
        return issue
    }

    @Test(arguments: [false, true], [1, 500])
    func `the issue of a chain has the newest words, however it is sent`(isOld: Bool, most: Int) async throws {
        let id = try await contested()
        try await write(["older", "newer"], id)
        // An edit of more than an hour yields.
        if isOld { phone.clock.advance(seconds: 7_200) }
        for _ in 0..<(most == 1 ? 4 : 1) { try await phone.push(most: most) }

        let issue = try expectOneIssue(mine: "newer", theirs: "theirs")
        #expect(try await phone.board.task(id)?.title == (isOld ? "theirs" : "newer"))
        try await phone.board.answer(issue.id, .mine)
        try await phone.board.syncNow()
        try await pad.board.syncNow()

        for device in [phone, pad] { #expect(try await device.board.task(id)?.title == "newer") }
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `an old edit and a new one after it are one issue`() async throws {
        let id = try await contested()
        try await write(["older"], id)
        phone.clock.advance(seconds: 7_200)
        try await write(["newer"], id)
        try await phone.board.syncNow()

        let issue = try expectOneIssue(mine: "newer", theirs: "theirs")
        try await phone.board.answer(issue.id, .theirs)
        #expect(try await phone.board.task(id)?.title == "theirs")
    }

    @Test func `what is written while the issue is open is mine from then on, until it is undone`() async throws {
        let id = try await contested()
        try await write(["older"], id)
        try await phone.board.syncNow()

        try await phone.board.edit(id) { $0.title = "newer" }
        _ = try expectOneIssue(mine: "newer", theirs: "theirs")
        #expect(try await phone.board.undo() == .done)
        _ = try expectOneIssue(mine: "older", theirs: "theirs")
        #expect(try await phone.board.redo() == .done)
        let issue = try expectOneIssue(mine: "newer", theirs: "theirs")
        try await phone.board.answer(issue.id, .mine)

        #expect(try await phone.board.task(id)?.title == "newer")
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `words that yielded stay in the issue, beside what was written over theirs`() async throws {
        let id = try await contested()
        try await write(["kept back"], id)
        phone.clock.advance(seconds: 7_200)
        try await phone.board.syncNow()
        #expect(try await phone.board.task(id)?.title == "theirs")

        try await phone.board.edit(id) { $0.title = "newer" }
        let issues = try phone.board.issues.current()
        #expect(issues.map { $0.conflicts.map(\.mine) } == [["kept back"]])
        #expect(issues.map { $0.conflicts.map(\.theirs) } == [["newer"]])
        try await phone.board.answer(try #require(issues.first).id, .theirs)

        #expect(try await phone.board.task(id)?.title == "newer")
    }

    @Test func `what two devices wrote in turn is asked for each, with the newest of mine`() async throws {
        let id = try await contested()
        try await write(["older", "newer"], id)
        try await phone.push(most: 2)
        try await pad.board.syncNow()
        try await pad.board.edit(id) { $0.title = "theirs again" }
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        let issues = try phone.board.issues.current()
        #expect(issues.flatMap { $0.conflicts.map(\.theirs) } == ["theirs", "theirs again"])
        #expect(issues.flatMap { $0.conflicts.map(\.mine) } == ["newer", "newer"])
        for issue in issues.reversed() { try await phone.board.answer(issue.id, .mine) }
        #expect(try await phone.board.task(id)?.title == "newer")
    }

    @Test func `a column is asked for once, and the other members of an issue stay`() async throws {
        let task = try await phone.board.create(.init(title: "base", body: "base"))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await pad.board.edit(task.id) { ($0.body, $0.status) = ("theirs", .done) }
        try await pad.board.syncNow()
        try await phone.board.edit(task.id) { ($0.body, $0.status) = ("mine", .doing) }
        try await write(["between"], task.id)
        try await phone.board.move(task.id, to: .todo, .first)
        try await phone.board.syncNow()

        let conflicts = try phone.board.issues.current().flatMap(\.conflicts)
        #expect(conflicts.filter { $0.member == "body" }.map(\.mine) == ["mine"])
        #expect(conflicts.filter { $0.member == "status" }.map(\.mine) == ["todo"])
        for issue in try phone.board.issues.current() { try await phone.board.answer(issue.id, .mine) }
        #expect(try await phone.board.task(task.id)?.status == .todo)
        #expect(try await phone.board.task(task.id)?.body == "mine")
    }
}

extension TestDevice {
    /// One request with at most this many edits, without what comes after it.
    fileprivate func push(most: Int) async throws {
        let client = try board.core.client(of: nil)
        let push = try #require(try await board.core.replica.write { try $0.collectPush(most: most) })
        let json = try await client.json(.post("/sync", push.body)).json
        try await board.core.replica.write { transaction in
            if push.hasMore {
                try transaction.integrate(results: SyncResponse.results(json))
            } else {
                try transaction.integrate(try SyncResponse(json))
            }
        }
    }
}
