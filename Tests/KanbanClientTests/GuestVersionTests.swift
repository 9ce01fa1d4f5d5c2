import Foundation
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// A guest's board whose tasks the account has, too: what the account has stays, and issues have what the guest wrote.
struct GuestVersionTests {
    private let server: LocalServer
    private let network: MeddlingNetwork
    private let account = KanbanID()
    private let guest: TestDevice
    private let pad: TestDevice

    init() async throws {
        server = try LocalServer()
        network = MeddlingNetwork(to: server)
        guest = try await TestDevice.on(network)
        pad = try await TestDevice.on(server, seed: 2)
    }

    /// - Parameter fault: what becomes of the import.
    private func logIn(_ fault: MeddlingNetwork.Fault = .none) async throws {
        let session = #"{"token": "kb_token", "account": {"id": "\#(account)"}}"#
        network.meddle { path in
            switch path {
            case "/sessions": .answer(201, session)
            case "/sessions/current": .answer(204, "")
            case "/import": fault
            default: .none
            }
        }
        server.clock.advance(seconds: 600)
        guest.clock.advance(seconds: 600)
        try await guest.board.logIn(email: "a@example.org", password: "correct-horse", guest: .add)
    }

    @Test func `the same store on two devices leaves what the account made of it`() async throws {
        let store = ["Plan", "Gone", "Rest"].map { NewTask(title: $0, createdAt: Date(guest.clock.now)) }
        try await pad.board.importTasks(store)
        try await pad.board.edit(store[0].id) {
            $0.body = "the words of weeks"
            $0.status = .done
        }
        try await pad.board.delete(store[1].id)
        try await pad.board.syncNow()
        server.clock.advance(seconds: 600)
        guest.clock.advance(seconds: 600)
        try await guest.board.importTasks(store)

        try await logIn()

        #expect(try guest.titles(.todo) == ["Rest"])
        #expect(try guest.titles(.done) == ["Plan"])
        for device in [guest, pad] { try await device.board.syncNow() }
        for device in [guest, pad] {
            #expect(try device.titles(.todo) == ["Rest"])
            #expect(try device.titles(.done) == ["Plan"])
            #expect(try await device.board.task(store[0].id)?.body == "the words of weeks")
            #expect(try device.board.trash().current().map(\.title) == ["Gone"])
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    @Test func `what a guest wrote otherwise is an issue, also of a task that the account deleted`() async throws {
        let (plan, gone, exam, work) = (KanbanID(), KanbanID(), KanbanID(), KanbanID())
        for device in [pad, guest] {
            try await device.board.create(.init(id: plan, title: "Plan"))
            try await device.board.create(.init(id: gone, title: "Gone"))
            try await device.board.createDDay(.init(id: exam, title: "Exam", date: "2026-12-24"))
            try await device.board.createCategory(.init(id: work, name: "Work"))
        }
        try await pad.board.syncNow()
        try await guest.board.edit(plan) { $0.body = "mine" }
        try await guest.board.edit(gone) { $0.title = "Gone, not forgotten" }
        try await guest.board.editDDay(exam) { $0.date = "2026-12-25" }
        try await guest.board.editCategory(work) { $0.color = "#aa0000" }
        try await pad.board.edit(plan) { $0.title = "Plan B" }
        try await pad.board.delete(gone)
        try await pad.board.editCategory(work) { $0.name = "Company" }
        try await pad.board.syncNow()

        try await logIn()
        for device in [guest, pad] { try await device.board.syncNow() }

        for device in [guest, pad] {
            #expect(try device.titles() == ["Plan B"])
            #expect(try await device.board.task(plan)?.body == "")
            #expect(try device.board.ddays().current().map(\.date) == ["2026-12-24"])
            #expect(try device.board.categories().current().map(\.name) == ["Company"])
        }
        let issues = try guest.board.issues.current()
        #expect(Set(issues.flatMap { $0.conflicts.map(\.member) }) == ["body", "date", "color"])
        #expect(issues.filter { $0.kind == .deleted }.map(\.target) == [gone])
        for issue in issues {
            try await guest.board.answer(issue.id, issue.kind == .deleted ? .restoreWithMine : .mine)
        }
        for device in [guest, pad] { try await device.board.syncNow() }
        for device in [guest, pad] {
            #expect(try Set(device.titles()) == ["Plan B", "Gone, not forgotten"])
            #expect(try await device.board.task(plan)?.body == "mine")
            #expect(try device.board.ddays().current().map(\.date) == ["2026-12-25"])
            #expect(try device.board.categories().current().map(\.color) == ["#aa0000"])
        }
    }

    @Test func `a log-in whose answer was lost takes nothing from the account`() async throws {
        let plan = try await guest.board.create(.init(title: "Plan"))
        try await guest.board.create(.init(title: "Other"))
        await #expect(throws: KanbanError.offline) { try await logIn(.loseAnswer) }
        try await pad.board.syncNow()
        try await pad.board.edit(plan.id) { $0.body = "of the account" }
        try await pad.board.syncNow()
        try await guest.board.edit(plan.id) { $0.due = .day("2026-12-24") }
        try await guest.board.create(.init(title: "Later"))

        try await logIn()
        for device in [guest, pad] { try await device.board.syncNow() }

        #expect(try pad.titles() == ["Plan", "Other", "Later"] && guest.titles() == pad.titles())
        #expect(try await guest.board.task(plan.id)?.body == "of the account")
        #expect(try guest.board.issues.current().flatMap { $0.conflicts.map(\.member) } == ["dueDate"])
    }
}
