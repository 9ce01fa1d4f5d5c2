import Foundation
import JSON
import Kanban
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// Which notifications a device schedules by itself.
struct ReminderTests {
    private let clock = TestClock()

    private func date(_ seconds: Int64) -> Date { Date(clock.now.adding(milliseconds: seconds * 1_000)) }

    @Test func `a device schedules its reminders without a network, under the server's identifiers`() async throws {
        let server = try NotifyingServer(clock: clock)
        let phone = try await TestPhone.on(server)
        let board = phone.board
        let milk = try await board.create(.init(title: "milk", due: .instant(date(600))))
        try await board.create(
            .init(
                title: "exam", due: .instant(date(100_000)),
                reminders: [.before(days: 1), .before(seconds: 1_800), .at(date(60))]))
        try await board.create(.init(title: "quiet", due: .instant(date(600)), reminders: []))
        try await board.create(.init(title: "done", status: .done, due: .instant(date(600))))
        try await board.create(.init(title: "past", due: .instant(date(-1))))

        #expect(await phone.scheduled() == ["exam", "milk", "exam", "exam"])
        let first = try #require(phone.center.scheduled.first { $0.title == "milk" })
        #expect(first.id == "\(milk.id)/PT0S" && first.task == milk.id && first.fireAt == date(600))

        try await board.syncNow()
        let upcoming = try await server.json("GET", "/upcoming")
        #expect(
            (upcoming["items"]?.arrayValue ?? []).compactMap { $0["notificationId"]?.stringValue }
                == phone.center.scheduled.map(\.id))
        await board.close()
    }

    @Test func `what is scheduled follows every change, and nothing else is touched`() async throws {
        let phone = try await TestPhone(1, clock: clock)
        let board = phone.board
        let milk = try await board.create(.init(title: "milk", due: .instant(date(600))))
        let bread = try await board.create(.init(title: "bread", due: .instant(date(700))))
        try await until("the board schedules by itself") { phone.center.titles == ["milk", "bread"] }
        let added = phone.center.added

        try await board.edit(milk.id) { $0.body = "two bottles" }
        #expect(await phone.scheduled() == ["milk", "bread"])
        #expect(phone.center.added == added)

        try await board.edit(milk.id) { $0.title = "oat milk" }
        #expect(await phone.scheduled() == ["oat milk", "bread"])
        #expect(phone.center.added == added + 1)
        let later = date(900)
        try await board.edit(milk.id) { $0.due = .instant(later) }
        #expect(await phone.scheduled() == ["bread", "oat milk"])
        try await board.toggle(bread.id)
        #expect(await phone.scheduled() == ["oat milk"])
        try await board.delete(milk.id)
        #expect(await phone.scheduled() == [])
        _ = try await board.undo()
        _ = try await board.undo()
        #expect(await phone.scheduled() == ["bread", "oat milk"])
        clock.advance(seconds: 800)
        #expect(await phone.scheduled() == ["oat milk"])
        #expect(phone.center.shown.map(\.reminder.title) == ["bread"])
        await board.close()
    }

    @Test func `all-day tasks go by the settings`() async throws {
        let phone = try await TestPhone(1, clock: clock)
        try await phone.board.editSettings { $0.timeZone = "Asia/Seoul" }
        try await phone.board.create(.init(title: "rent", due: .day("2026-12-01")))
        func fireAt() async throws -> String {
            await phone.board.reminders.update()
            return Timestamp(try #require(phone.center.scheduled.first).fireAt).description
        }

        #expect(try await fireAt() == "2026-12-01T00:00:00.000Z")
        try await phone.board.editSettings { $0.allDayTime = "07:30" }
        #expect(try await fireAt() == "2026-11-30T22:30:00.000Z")
        await phone.board.close()
    }

    @Test func `a background sync takes in what changed elsewhere before it returns`() async throws {
        let server = try NotifyingServer(clock: clock)
        let phone = try await TestPhone.on(server)
        let task = try await phone.board.create(.init(title: "milk", due: .instant(date(600))))
        try await phone.board.syncNow()
        #expect(phone.center.titles == ["milk"])
        phone.board.pause()
        await phone.board.waitUntilPaused()

        _ = try await server.json("POST", "/tasks/\(task.id)/move", ["status": "done"])
        _ = try await server.json(
            "POST", "/tasks", ["title": "web", "dueDate": .string(Timestamp(date(60)).description)])
        try await phone.board.syncNow()

        #expect(phone.center.titles == ["web"])
        await phone.board.waitUntilPaused()
        await phone.board.close()
    }

    @Test func `a widget's tick takes the notification away, and the app agrees`() async throws {
        var phone = try await TestPhone(1, clock: clock)
        let milk = try await phone.board.create(.init(title: "milk", due: .instant(date(600))))
        try await phone.board.create(.init(title: "bread", due: .instant(date(700))))
        #expect(await phone.scheduled() == ["milk", "bread"])
        var configuration = Configuration()
        let clock = clock
        configuration.dependencies.now = { clock.now }
        configuration.reminderCenter = phone.center
        let widget = try await KanbanBoard.openForReading(
            at: URL(filePath: phone.device.directory.path), configuration: configuration)

        try await widget.complete(milk.id)
        #expect(phone.center.titles == ["bread"])
        #expect(await phone.scheduled() == ["bread"])
        await widget.close()

        phone = try await phone.restarted()
        #expect(await phone.scheduled() == ["bread"])
        #expect(try phone.device.titles(.done) == ["milk"])
        await phone.board.close()
    }

    @Test func `there is room for sixty-four, less what the app schedules itself`()
        async throws
    {
        let phone = try await TestPhone(1, clock: clock)
        let now = clock.now
        try await phone.board.importTasks(
            (1...70).map { minute in
                NewTask(title: "\(minute)", due: .instant(Date(now.adding(milliseconds: Int64(minute) * 60_000))))
            })
        #expect(await phone.scheduled() == (1...64).map(String.init))
        phone.center.setOthers(10)
        #expect(await phone.scheduled() == (1...54).map(String.init))
        phone.center.setOthers(0)
        clock.advance(seconds: 60)
        #expect(await phone.scheduled() == (2...65).map(String.init))
        #expect(phone.center.most == 64)

        let tie = try #require(try phone.board.tasks(matching: "\"66\"").current().first)
        let due = Date(now.adding(milliseconds: 65 * 60_000))
        try await phone.board.edit(tie.id) { $0.due = .instant(due) }
        #expect(await phone.scheduled().dropLast() == (2...64).map(String.init)[...])
        #expect(phone.center.titles.count == 64 && ["65", "66"].contains(phone.center.titles.last))
        await phone.board.close()
    }

    @Test(arguments: [false, true])
    func `reminders of the same instant are scheduled all or not at all, or up to the limit without a server`(
        isRefused: Bool
    ) async throws {
        let server = try NotifyingServer(clock: clock)
        let network = MeddlingNetwork(to: server.local)
        let phone = try await TestPhone(1, clock: clock) { $0.dependencies.transport = network }
        let due = date(600)
        try await phone.board.importTasks((1...70).map { NewTask(title: "\($0)", due: .instant(due)) })
        #expect(await phone.scheduled().count == 64)

        let refusal = #"{"type": "about:blank", "status": 404, "code": "not_found"}"#
        if isRefused { network.meddle { $0.hasPrefix("/devices/") ? .answer(404, refusal) : .none } }
        phone.register()
        try await phone.board.syncNow()

        #expect(await phone.scheduled().count == (isRefused ? 64 : 0))
        await phone.board.close()
    }

    @Test func `what is about to be shown is left alone`() async throws {
        let phone = try await TestPhone(1, clock: clock)
        try await phone.board.create(.init(title: "milk", due: .instant(date(600))))
        #expect(await phone.scheduled() == ["milk"])
        await phone.board.close()
        // The system shows it a moment late, and the app looks in between.
        let late = TestReminderCenter(TestClock(clock.now.milliseconds))
        try await late.add(try #require(phone.center.scheduled.first))
        clock.advance(seconds: 600)

        let again = try await TestPhone(1, clock: clock, in: phone.device.directory, center: late)
        #expect(await again.scheduled() == ["milk"])
        clock.advance(seconds: 60)
        #expect(await again.scheduled() == [])
        await again.board.close()
    }

    @Test func `another account's reminders take the place of the first one's`() async throws {
        let network = TestNetwork()
        let phone = try await TestPhone(1, clock: clock) { $0.dependencies.transport = network }
        try await phone.board.create(.init(title: "guest", due: .instant(date(600))))
        #expect(await phone.scheduled() == ["guest"])
        network.answer { method, target, _ in
            method == "POST" && target == "/sessions"
                ? (
                    201,
                    """
                    {"token": "t", "account": {"id": "00000000-0000-4000-8000-000000000001"},
                    "session": {"id": "00000000-0000-4000-8000-000000000002"}}
                    """
                ) : (method == "DELETE" ? (204, "") : nil)
        }

        try await phone.board.logIn(email: "a@example.org", password: "x", guest: .keep)
        #expect(phone.center.titles == [])
        try await phone.board.create(.init(title: "mine", due: .instant(date(600))))
        #expect(await phone.scheduled() == ["mine"])
        // At once: the app may end before anything else is done.
        try await phone.board.logOut(.keep)
        #expect(phone.center.titles == ["guest"])
        await phone.board.close()
    }

    @Test func `a notification tells which task it is of, and the folder its title`() async throws {
        let phone = try await TestPhone(1, clock: clock)
        let task = try await phone.board.create(.init(title: "milk", due: .instant(date(600))))
        await phone.board.reminders.update()
        let reminder = try #require(phone.center.scheduled.first)
        let folder = URL(filePath: phone.device.directory.path)

        #expect(ScheduledReminder(title: "milk", userInfo: reminder.userInfo) == reminder)
        #expect(ScheduledReminder(title: "test", userInfo: ["kind": "test", "notificationId": "test"]) == nil)
        #expect(ScheduledReminder(title: "other app", userInfo: ["kind": "reminder", "taskId": "../../x"]) == nil)
        #expect(try ScheduledReminder.title(of: task.id, in: folder) == "milk")
        #expect(try ScheduledReminder.title(of: KanbanID(), in: folder) == nil)
        await phone.board.close()
        #expect(try ScheduledReminder.title(of: task.id, in: folder) == "milk")
        #expect(throws: KanbanError.self) {
            try ScheduledReminder.title(of: task.id, in: folder.appending(path: "elsewhere"))
        }
    }
}
