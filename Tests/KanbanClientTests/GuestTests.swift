import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanWire
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// What was made without an account and goes along with a log-in, against the real API without a socket. Only the session is
/// the test's.
struct GuestTests {
    private static let account = KanbanID()
    private let server: LocalServer
    private let network: MeddlingNetwork
    private let guest: TestDevice
    private let pad: TestDevice

    init() async throws {
        server = try LocalServer()
        network = MeddlingNetwork(to: server)
        network.meddle { path in
            switch path {
            case "/sessions": .answer(201, #"{"token": "kb_token", "account": {"id": "\#(Self.account)"}}"#)
            case "/sessions/current": .answer(204, "")
            default: .none
            }
        }
        guest = try await TestDevice.on(network)
        pad = try await TestDevice.on(server, seed: 2)
    }

    /// Logs in, and brings both devices up to date.
    private func logIn() async throws {
        try await guest.board.logIn(email: "a@example.org", password: "correct-horse", guest: .add)
        for device in [guest, pad] { try await device.board.syncNow() }
    }

    private func task(_ title: String, on device: TestDevice) throws -> KanbanTask {
        let all = try device.board.tasks().current() + device.board.trash().current()
        return try #require(all.first { $0.title == title })
    }

    @Test func `tasks keep the times at which they were made, done and deleted`() async throws {
        let made = guest.clock.now
        let done = try await guest.board.create(.init(title: "done"))
        let gone = try await guest.board.create(.init(title: "gone"))
        guest.clock.advance(seconds: 86_400)
        let finished = guest.clock.now
        try await guest.board.move(done.id, to: .done)
        try await guest.board.delete(gone.id)
        guest.clock.advance(seconds: 86_400)
        // The server's is the clock that counts: a time after it would count as now.
        for _ in 0..<2 { server.clock.advance(seconds: 86_400) }
        pad.clock.advance(seconds: 2 * 86_400)

        try await logIn()

        for device in [guest, pad] {
            let task = try task("done", on: device)
            #expect(task.createdAt == Date(made) && task.completedAt == Date(finished))
            #expect(try self.task("gone", on: device).deletedAt == Date(finished))
        }
    }

    @Test func `the trash goes along, and what is restored from it is of the account`() async throws {
        let home = try await guest.board.createCategory(.init(name: "Home"))
        let task = try await guest.board.create(.init(title: "deleted by mistake", category: .id(home.id)))
        let work = try await guest.board.createCategory(.init(name: "Work", color: "#aa0000"))
        let exam = try await guest.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await guest.board.delete(task.id)
        try await guest.board.deleteCategory(work.id)
        try await guest.board.deleteDDay(exam.id)

        try await logIn()

        for device in [guest, pad] {
            #expect(try device.board.trash().current().map(\.title) == ["deleted by mistake"])
            #expect(try device.board.trash().current().map(\.categoryID) == [home.id])
        }
        try await pad.board.restore(task.id)
        try await pad.board.syncNow()
        try await guest.board.restoreCategory(work.id)
        try await guest.board.restoreDDay(exam.id)
        for device in [guest, pad] { try await device.board.syncNow() }
        for device in [guest, pad] {
            #expect(try device.titles() == ["deleted by mistake"])
            #expect(try device.board.categories().current().map(\.name) == ["Home", "Work"])
            #expect(try device.board.categories().current().map(\.color) == [nil, "#aa0000"])
            #expect(try device.board.ddays().current().map(\.title) == ["exam"])
            #expect(try device.board.issues.current().isEmpty)
        }
    }

    @Test func `a trash alone is not asked about, and goes to an account when it is added`() async throws {
        let task = try await guest.board.create(.init(title: "deleted"))
        try await guest.board.delete(task.id)

        try await guest.board.logIn(email: "a@example.org", password: "correct-horse")
        try await guest.board.syncNow()
        #expect(try guest.board.trash().current().isEmpty)
        try await guest.board.logOut()
        #expect(try guest.board.trash().current().map(\.title) == ["deleted"])
        try await logIn()

        #expect(try pad.board.trash().current().map(\.title) == ["deleted"])
        try await guest.board.logOut()
        #expect(try guest.board.trash().current().isEmpty)
    }

    @Test func `a task that the account has changed since is there, though a guest deleted it`() async throws {
        let task = try await guest.board.create(.init(title: "there"))
        try await logIn()
        try await guest.board.logOut()
        // The same board, as a device has it that was set back from a backup.
        try await guest.board.create(.init(id: task.id, title: "there"))
        try await guest.board.delete(task.id)
        server.clock.advance(seconds: 60)
        try await pad.board.edit(task.id) { $0.title = "newer" }
        try await pad.board.syncNow()

        try await logIn()

        for device in [guest, pad] { #expect(try device.titles() == ["newer"]) }
    }

    @Test func `images, D-days, categories and settings go along whole`() async throws {
        let jpeg = Data([0xff, 0xd8, 0xff, 7])
        let image = try await guest.board.add(image: jpeg)
        try await guest.board.createDDay(
            .init(title: "birthday", date: "2026-12-24", repeatsYearly: true, image: image))
        let home = try await guest.board.createCategory(.init(name: "Home", color: "#aa0000", emoji: "🏠"))
        try await guest.board.create(.init(title: "task", due: .day("2026-12-01"), category: .id(home.id)))
        try await guest.board.editSettings { $0.custom["theme"] = "blue" }

        try await logIn()

        for device in [guest, pad] {
            let dday = try #require(try device.board.ddays().current().first)
            #expect(dday.title == "birthday" && dday.date == "2026-12-24" && dday.repeatsYearly)
            let shown = try #require(dday.image)
            #expect(try await device.board.image(shown) == jpeg)
            let category = try #require(try device.board.categories().current().first)
            #expect((category.name, category.color, category.emoji) == ("Home", "#aa0000", "🏠"))
            #expect(try task("task", on: device).categoryID == category.id)
            #expect(try task("task", on: device).due == .day("2026-12-01"))
            #expect(try device.board.settings().current().custom == ["theme": "blue"])
        }
    }

    @Test func `the looks of a category whose name the account has are an issue`() async throws {
        try await pad.board.createCategory(.init(name: "Home", color: "#00bb00"))
        try await pad.board.syncNow()
        let mine = try await guest.board.createCategory(.init(name: "home", color: "#aa0000"))
        try await guest.board.create(.init(title: "task", category: .id(mine.id)))

        try await logIn()

        let home = try #require(try guest.board.categories().current().first)
        #expect((home.name, home.color, home.taskCount) == ("Home", "#00bb00", 1))
        let issue = try #require(try guest.board.issues.current().first)
        #expect(issue.conflicts == [Conflict(target: home.id, member: "color", mine: "#aa0000", theirs: "#00bb00")])
        try await guest.board.answer(issue.id, .mine)
        try await guest.board.syncNow()
        #expect(try guest.board.categories().current().map(\.color) == ["#aa0000"])
    }

    @Test func `what a guest has not decided goes along, whatever it is about`() async throws {
        let task = StoredMutation(.create, .task(ID(high: 1, low: 2)), ["title": "refused"])
        let image = try await guest.board.add(image: Data([0xff, 0xd8, 0xff, 7]))
        try await guest.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        let dday = try #require(try guest.board.ddays().current().first)
        try await guest.board.core.replica.write { transaction in
            try transaction.add(.rejected(task, ["code": "too_many"], ["title": "refused"]))
            try transaction.add(.damaged(SalvageLoss(edits: 3)))
            let problem = Failure.Problem(status: 507, code: "quota_exceeded")
            try transaction.noteSent(image: image.id)
            try transaction.add(.refused(image: image.id, problem, named: [.dday(dday.id.id)]))
        }

        try await logIn()

        let issues = try guest.board.issues.current()
        #expect(issues.count == 3 && issues.contains { $0.mine?.title == "refused" })
        let refused = try #require(issues.first { $0.target == image })
        try await guest.board.answer(refused.id, .sendAgain)
        for device in [guest, pad] { try await device.board.syncNow() }
        #expect(try pad.board.ddays().current().map(\.image) == [image])
    }

    @Test func `a tick that a widget left on the board without an account goes along`() async throws {
        let task = try await guest.board.create(.init(title: "ticked"))
        let tick = QueuedEdit(id: .init(), task: task.id, status: .done, at: guest.clock.now.milliseconds)
        try EditQueue(of: guest.board.core.replica).append(tick)

        try await logIn()

        for device in [guest, pad] { #expect(try self.task("ticked", on: device).status == .done) }
    }

    @Test func `a tick that comes while the board is left is lost with no log-out`() async throws {
        let center = TappedCenter()
        let phone = try await TestDevice.on(network, seed: 3) { $0.reminderCenter = center }
        try await phone.board.logIn(email: "a@example.org", password: "correct-horse")
        let task = try await phone.board.create(.init(title: "ticked"))
        try await phone.board.syncNow()
        let queue = EditQueue(of: phone.board.core.replica)
        let tick = QueuedEdit(id: .init(), task: task.id, status: .done, at: phone.clock.now.milliseconds)
        let account = phone.board.core.account
        center.tap { [board = phone.board] in
            // The board without an account is shown by now.
            if board.core.account != account { try? queue.append(tick) }
        }

        await #expect(throws: KanbanError.unsent(1)) { try await phone.board.logOut() }

        center.tap {}
        #expect(phone.board.core.account == account)
        try await phone.board.syncNow()
        #expect(try phone.titles(.done) == ["ticked"])
        try await phone.board.logOut()
        #expect(phone.board.core.account == nil)
    }

    @Test func `what a guest made stays on the screen through a log-in, without a network, too`() async throws {
        let home = try await guest.board.createCategory(.init(name: "home", color: "#aa0000"))
        try await pad.board.createCategory(.init(name: "Home"))
        try await pad.board.create(.init(title: "theirs"))
        try await pad.board.editSettings { $0.custom["theme"] = "blue" }
        try await pad.board.syncNow()
        let task = try await guest.board.create(.init(title: "mine", category: .id(home.id)))
        try await guest.board.create(.init(title: "second"))
        let gone = try await guest.board.create(.init(title: "gone"))
        try await guest.board.delete(gone.id)
        try await guest.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await guest.board.editSettings { $0.custom["sound"] = "off" }

        try await guest.board.logIn(email: "a@example.org", password: "correct-horse", guest: .add)

        network.meddle { _ in .cut }
        #expect(try guest.titles() == ["mine", "second"])
        #expect(try await guest.board.pending().isEmpty)
        #expect(try guest.board.trash().current().map(\.title) == ["gone"])
        #expect(try guest.board.ddays().current().map(\.title) == ["exam"])
        let shown = try #require(try guest.board.categories().current().first)
        #expect(shown.name == "Home" && shown.taskCount == 1)
        try await guest.board.edit(task.id) { $0.title = "mine, edited" }
        try await guest.board.create(.init(title: "third", category: .id(home.id)))
        try await guest.board.restore(gone.id)
        network.meddle { _ in .none }
        for device in [guest, pad] { try await device.board.syncNow() }
        for device in [guest, pad] {
            #expect(try Set(device.titles()) == ["theirs", "mine, edited", "second", "third", "gone"])
            #expect(try device.titles() == pad.titles())
            #expect(try device.board.categories().current().map(\.taskCount) == [2])
            #expect(try device.board.ddays().current().map(\.title) == ["exam"])
            #expect(try device.board.settings().current() == pad.board.settings().current())
        }
        #expect(try guest.board.issues.current().allSatisfy { $0.conflicts.map(\.member) == ["color"] })
    }

    @Test func `what another device deleted right after a log-in goes with the first sync`() async throws {
        try await guest.board.logIn(email: "a@example.org", password: "correct-horse")
        try await guest.board.syncNow()
        try await guest.board.logOut(.keep)
        let task = try await guest.board.create(.init(title: "brief"))
        try await guest.board.create(.init(title: "stays"))
        try await guest.board.logIn(email: "a@example.org", password: "correct-horse", guest: .add)
        #expect(try guest.titles() == ["brief", "stays"])
        // Once more, before the first sync.
        try await guest.board.logOut(.keep)
        try await guest.board.create(.init(title: "later"))
        try await guest.board.logIn(email: "a@example.org", password: "correct-horse", guest: .add)
        #expect(try guest.titles() == ["brief", "stays", "later"])
        try await pad.board.syncNow()
        try await pad.board.delete(task.id)
        try await pad.board.syncNow()

        for device in [guest, pad] { try await device.board.syncNow() }

        for device in [guest, pad] {
            #expect(try device.titles() == ["stays", "later"])
            #expect(try device.board.trash().current().map(\.title) == ["brief"])
        }
    }

    @Test func `a board that was opened for reading follows the app to another account and back`() async throws {
        try await guest.board.create(.init(title: "mine"))
        let widget = try await KanbanBoard.openForReading(at: URL(filePath: guest.directory.path))
        var seen = widget.tasks().makeAsyncIterator()
        #expect(try await seen.next()?.map(\.title) == ["mine"])

        try await logIn()
        let task = try await guest.board.create(.init(title: "of the account"))

        #expect(try widget.tasks().current().map(\.title) == ["mine", "of the account"])
        #expect(try await seen.next()?.map(\.title) == ["mine", "of the account"])
        try await widget.complete(task.id)
        try await guest.board.syncNow()
        #expect(try guest.titles(.done) == ["of the account"])
        try await guest.board.logOut()
        #expect(try widget.tasks().current().isEmpty)
        #expect(try await seen.next()?.isEmpty == true)
        try await guest.board.create(.init(title: "a guest's again"))
        #expect(try widget.tasks().current().map(\.title) == ["a guest's again"])
        await widget.close()
        try await logIn()
        #expect(throws: KanbanError.closed) { try widget.tasks().current() }
    }
}

/// A centre of reminders that tells when the board asks it.
private final class TappedCenter: ReminderCenter {
    private let tapped = Locked<[@Sendable () -> Void]>([])

    func tap(_ body: @escaping @Sendable () -> Void) { tapped.withLock { $0 = [body] } }

    func pending() async -> (reminders: [ScheduledReminder], others: Int) {
        for body in tapped.withLock({ $0 }) { body() }
        return ([], 0)
    }

    func add(_ reminder: ScheduledReminder) async {}
    func remove(_ ids: [ScheduledReminder.ID]) async {}
}
