import Foundation
import TestSupport
import Testing

@testable import KanbanClient

/// Each member that two devices can change at the same time: one value is shown, both are kept, and the user decides.
struct ConflictTests {
    /// A member of some resource, with two values for it.
    struct Member: Sendable, CustomTestStringConvertible {
        var name: String
        var make: @Sendable (KanbanBoard) async throws -> KanbanID
        var change: @Sendable (KanbanBoard, KanbanID, _ toSecond: Bool) async throws -> Void
        var shown: @Sendable (KanbanBoard, KanbanID) async throws -> String
        var values: [String]

        var testDescription: String { name }
    }

    private static func task(
        _ name: String, _ values: [String], _ change: @escaping @Sendable (inout TaskDraft, Bool) -> Void,
        _ shown: @escaping @Sendable (KanbanTask) -> String
    ) -> Member {
        Member(
            name: name, make: { try await $0.create(.init(title: "base")).id },
            change: { board, id, isSecond in try await board.edit(id) { change(&$0, isSecond) } },
            shown: { board, id in try await board.task(id).map(shown) ?? "" }, values: values)
    }

    private static func category(
        _ name: String, _ values: [String], _ change: @escaping @Sendable (inout CategoryDraft, Bool) -> Void,
        _ shown: @escaping @Sendable (KanbanCategory) -> String
    ) -> Member {
        Member(
            name: name, make: { try await $0.createCategory(.init(name: "base")).id },
            change: { board, id, isSecond in try await board.editCategory(id) { change(&$0, isSecond) } },
            shown: { board, id in try board.categories().current().first { $0.id == id }.map(shown) ?? "" },
            values: values)
    }

    private static func dday(
        _ name: String, _ values: [String], _ change: @escaping @Sendable (inout DDayDraft, Bool) -> Void,
        _ shown: @escaping @Sendable (KanbanDDay) -> String
    ) -> Member {
        Member(
            name: name, make: { try await $0.createDDay(.init(title: "base", date: "2026-01-01")).id },
            change: { board, id, isSecond in try await board.editDDay(id) { change(&$0, isSecond) } },
            shown: { board, id in try board.ddays().current().first { $0.id == id }.map(shown) ?? "" },
            values: values)
    }

    private static func settings(
        _ name: String, _ values: [String], _ change: @escaping @Sendable (inout SettingsDraft, Bool) -> Void,
        _ shown: @escaping @Sendable (KanbanSettings) -> String
    ) -> Member {
        Member(
            name: name, make: { _ in KanbanID() },
            change: { board, _, isSecond in try await board.editSettings { change(&$0, isSecond) } },
            shown: { board, _ in shown(try board.settings().current()) }, values: values)
    }

    private static let members: [Member] = [
        task("title", ["우유", "مرحبا"], { $0.title = $1 ? "مرحبا" : "우유" }, { $0.title }),
        task("body", ["👩‍👩‍👧‍👦", "two"], { $0.body = $1 ? "two" : "👩‍👩‍👧‍👦" }, { $0.body }),
        task("status", ["doing", "done"], { $0.status = $1 ? .done : .doing }, { $0.status.rawValue }),
        task(
            "dueDate", ["2026-12-01", "none"], { $0.due = $1 ? nil : .day("2026-12-01") },
            { task in if case .day(let day)? = task.due { day.description } else { "none" } }),
        category("name", ["Home", "집"], { $0.name = $1 ? "집" : "Home" }, { $0.name }),
        category("color", ["#ff0000", "#00ff00"], { $0.color = $1 ? "#00ff00" : "#ff0000" }, { $0.color ?? "" }),
        category("emoji", ["🛒", "🏠"], { $0.emoji = $1 ? "🏠" : "🛒" }, { $0.emoji ?? "" }),
        dday("title", ["exam", "시험"], { $0.title = $1 ? "시험" : "exam" }, { $0.title }),
        dday(
            "date", ["2026-12-01", "2026-12-02"], { $0.date = $1 ? "2026-12-02" : "2026-12-01" },
            { $0.date.description }),
        settings(
            "timeZone", ["Asia/Seoul", "Asia/Tokyo"], { $0.timeZone = $1 ? "Asia/Tokyo" : "Asia/Seoul" },
            { $0.timeZone ?? "" }),
        settings("locale", ["ko", "ja"], { $0.locale = $1 ? "ja" : "ko" }, { $0.locale ?? "" }),
    ]

    @Test(arguments: members, [false, true])
    func `a member that two devices change is decided by the user`(member: Member, isTheirs: Bool) async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let id = try await member.make(phone.board)
        // An older value, where the base has none.
        if member.name == "dueDate" { try await phone.board.edit(id) { $0.due = .day("2025-01-01") } }
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        try await member.change(pad.board, id, false)
        try await pad.board.syncNow()
        try await member.change(phone.board, id, true)
        try await phone.board.syncNow()

        let (theirs, mine) = (member.values[0], member.values[1])
        #expect(try await member.shown(phone.board, id) == mine)
        let issues = try phone.board.issues.current()
        let issue = try #require(issues.first)
        #expect(issues.count == 1 && issue.kind == .merged)
        let conflict = try #require(issue.conflicts.first { $0.member == member.name })
        #expect(conflict.theirs == theirs && (conflict.mine ?? "none") == mine)
        try await phone.board.answer(issue.id, isTheirs ? .theirs : .mine)
        try await phone.board.syncNow()
        try await pad.board.syncNow()

        for device in [phone, pad] {
            #expect(try await member.shown(device.board, id) == (isTheirs ? theirs : mine))
            #expect(try device.board.issues.current().isEmpty)
            #expect(try await device.board.pending().isEmpty)
            await device.board.close()
        }
    }
}
