import Foundation
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// Reading and editing without a network.
struct BoardTests {
    @Test func `what is created is there at once, last in its column, and pending`() async throws {
        let device = try await TestDevice()

        let first = try await device.board.create(.init(title: "우유", due: .day("2026-12-01")))
        try await device.board.create(.init(title: "second"))
        let untitled = try await device.board.create(.init())

        #expect(first.title == "우유")
        #expect(first.due == .day("2026-12-01"))
        #expect(first.isPending)
        #expect(untitled.title == "New task")
        #expect(try device.titles(.todo) == ["우유", "second", "New task"])
        #expect(try await device.board.task(first.id) == first)
        #expect(try await device.board.pending().count == 3)
        #expect(try device.board.status.current().pendingEdits == 3)
    }

    @Test func `the rules are the server's`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "one"))

        await #expect(throws: KanbanError.invalid([.init(pointer: "#/title", code: "blank")])) {
            try await device.board.create(.init(title: "  "))
        }
        await #expect(throws: KanbanError.invalid([.init(pointer: "#/body", code: "too_long")])) {
            try await device.board.edit(task.id) { $0.body = String(repeating: "x", count: 1_001) }
        }
        await #expect(throws: KanbanError.invalid([.init(pointer: "#/before", code: "unknown_neighbour")])) {
            try await device.board.move(task.id, .before(KanbanID()))
        }
        await #expect(throws: KanbanError.invalid([.init(pointer: "#/categoryId", code: "unknown_category")])) {
            try await device.board.edit(task.id) { $0.category = .id(KanbanID()) }
        }
        await #expect(throws: KanbanError.notFound) { try await device.board.delete(KanbanID()) }
        await #expect(throws: KanbanError.conflict(task)) { try await device.board.create(.init(id: task.id)) }
        #expect(try await device.board.pending().count == 1)
        #expect(try device.titles() == ["one"])
    }

    @Test func `every fault is reported, those that only the board finds as well`() async throws {
        let board = try await TestDevice().board
        let task = try await board.create(.init(title: "one"))
        let unknown = KanbanID()
        func faults(_ pointer: String, _ code: String) -> KanbanError {
            .invalid([.init(pointer: "#/title", code: "blank"), .init(pointer: pointer, code: code)])
        }

        for (category, error) in [
            (CategoryRef.named(" "), faults("#/categoryName", "blank")),
            (CategoryRef.id(unknown), faults("#/categoryId", "unknown_category")),
        ] {
            await #expect(throws: error) { try await board.create(.init(title: " ", category: category)) }
            await #expect(throws: error) {
                try await board.edit(task.id) { ($0.title, $0.category) = (" ", category) }
            }
        }
        await #expect(throws: faults("#/image", "unknown_image")) {
            try await board.createDDay(.init(title: " ", date: "2026-12-24", image: unknown))
        }
        await board.close()
    }

    @Test func `moves take a place and a status`() async throws {
        let device = try await TestDevice()
        var ids: [KanbanID] = []
        for title in ["a", "b", "c"] { ids.append(try await device.board.create(.init(title: title)).id) }

        try await device.board.move(ids[2], .first)
        try await device.board.move(ids[0], .after(ids[1]))
        #expect(try device.titles(.todo) == ["c", "b", "a"])

        let done = try await device.board.move(ids[1], to: .done)
        #expect(done.completedAt != nil)
        try await device.board.edit(ids[1]) { $0.status = .doing }
        #expect(try device.titles(.doing) == ["b"])
        #expect(try await device.board.task(ids[1])?.completedAt == nil)
    }

    @Test func `a move beside a task that the server never hears of goes last there, too`() async throws {
        let device = try await TestDevice()
        let gone = try await device.board.create(.init(title: "gone"))
        let moved = try await device.board.create(.init(title: "moved"))
        try await device.board.create(.init(title: "last"))
        try await device.board.delete(gone.id)

        try await device.board.move(moved.id, .before(gone.id))

        #expect(try device.titles() == ["last", "moved"])
        let sent = try await device.board.core.replica.write { try $0.outbox().map(\.mutation) }
        #expect(sent.last?.value.text == #"{"place":"last"}"#)
    }

    @Test func `the trash gives tasks back, to a place`() async throws {
        let device = try await TestDevice()
        let first = try await device.board.create(.init(title: "first"))
        let second = try await device.board.create(.init(title: "second"))
        try await device.board.delete(first.id)
        #expect(try device.board.trash().current().map(\.title) == ["first"])
        #expect(try device.titles() == ["second"])

        try await device.board.restore(first.id, .before(second.id))

        #expect(try device.titles() == ["first", "second"])
        await #expect(throws: KanbanError.notFound) { try await device.board.restore(KanbanID()) }
    }

    @Test func `categories are made by name, counted, and leave their tasks behind`() async throws {
        let device = try await TestDevice()
        let milk = try await device.board.create(.init(title: "milk", category: .named(" Shop ")))
        try await device.board.create(.init(title: "bread", status: .done, category: .named("shop")))
        let shop = try #require(try device.board.categories().current().first)

        #expect(shop.name == "Shop")
        #expect((shop.taskCount, shop.doneCount) == (2, 1))
        #expect(milk.categoryID == shop.id)
        #expect(try device.board.tasks(category: .only([shop.id])).current().count == 2)
        await #expect(throws: KanbanError.invalid([.init(pointer: "#/name", code: "name_taken")])) {
            try await device.board.createCategory(.init(name: "SHOP"))
        }
        await #expect(throws: KanbanError.invalid([.init(pointer: "#/categoryName", code: "too_long")])) {
            try await device.board.create(.init(title: "x", category: .named(String(repeating: "y", count: 51))))
        }
        try await device.board.editCategory(shop.id) { $0.color = "#ff0000" }
        try await device.board.deleteCategory(shop.id)

        #expect(try device.board.categories().current().isEmpty)
        #expect(try device.board.tasks(category: .uncategorized).current().count == 2)
        let counts = try device.board.counts().current()
        #expect(counts.total == 2)
        #expect(counts.byStatus == [.todo: 1, .doing: 0, .done: 1])
        #expect(counts.byCategory == [nil: 2])
        #expect(counts.percentDone == 50)
    }

    @Test func `a search finds by the rules of all homes`() async throws {
        let board = try await TestDevice().board
        for search in SearchCase.all {
            let task = try await board.create(.init(title: search.title, body: search.body))

            #expect(
                try board.tasks(matching: search.query).current().contains { $0.id == task.id } == search.found,
                "\(search)")
            try await board.delete(task.id)
        }
    }

    @Test func `lists are filtered, sorted and searched`() async throws {
        let device = try await TestDevice()
        try await device.board.editSettings { $0.timeZone = "Asia/Seoul" }
        // 2026-11-18 in Seoul.
        try await device.board.create(.init(title: "b late", due: .day("2026-11-01")))
        try await device.board.create(.init(title: "a Today", due: .day("2026-11-18")))
        try await device.board.create(.init(title: "c next", status: .doing, due: .day("2027-01-01")))
        try await device.board.create(.init(title: "no date", body: "with TEXT"))

        func titles(_ live: Live<[KanbanTask]>) throws -> [String] { try live.current().map(\.title) }
        #expect(try titles(device.board.tasks(due: .overdue)) == ["b late"])
        #expect(try titles(device.board.tasks(due: .today)) == ["a Today"])
        #expect(try titles(device.board.tasks(due: .upcoming)) == ["c next"])
        #expect(try titles(device.board.tasks(due: DueFilter.none)) == ["no date"])
        #expect(try titles(device.board.tasks(sort: .title)) == ["a Today", "b late", "c next", "no date"])
        #expect(try titles(device.board.tasks(sort: .dueDate, limit: 2)) == ["b late", "a Today"])
        #expect(try titles(device.board.tasks(matching: "text")) == ["no date"])
        #expect(try titles(device.board.tasks(in: .doing, matching: "NEXT")) == ["c next"])
        let seoul = try #require(TimeZone(identifier: "Asia/Seoul"))
        let today = try device.board.today(in: seoul).current()
        #expect(today.overdue.map(\.title) == ["b late"])
        #expect(today.today.map(\.title) == ["a Today"])
        // The reminder of today came at nine.
        #expect(try device.board.upcoming().current().map(\.task.title) == ["c next"])
    }

    @Test func `D-days and settings are edited member by member`() async throws {
        let device = try await TestDevice()
        let exam = try await device.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await device.board.editDDay(exam.id) { $0.repeatsYearly = true }
        try await device.board.editSettings { $0.custom = ["theme": "blue", "icon": "cat"] }
        try await device.board.editSettings { $0.custom["icon"] = nil }

        #expect(
            try device.board.ddays().current() == [
                .init(id: exam.id, title: "exam", date: "2026-12-24", repeatsYearly: true)
            ])
        #expect(try device.board.settings().current().custom == ["theme": "blue"])
        await #expect(throws: KanbanError.invalid([.init(pointer: "#/timeZone", code: "invalid_value")])) {
            try await device.board.editSettings { $0.timeZone = "Mars/Base" }
        }
    }

    @Test func `a live value begins with what is there and goes on with what changes it`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "one"))
        var iterator = device.board.tasks(in: .todo).makeAsyncIterator()

        #expect(try await iterator.next()?.map(\.title) == ["one"])
        // Changes nothing of this list.
        try await device.board.create(.init(title: "elsewhere", status: .done))
        try await device.board.create(.init(title: "two"))
        #expect(try await iterator.next()?.map(\.title) == ["one", "two"])
        await device.board.close()
        #expect(try await iterator.next() == nil)
    }

    @Test func `a live value that is cancelled ends`() async throws {
        let device = try await TestDevice()
        let live = device.board.counts()
        let watching = Task {
            var count = 0
            for try await _ in live { count += 1 }
            return count
        }
        watching.cancel()

        #expect(try await watching.value <= 1)
    }

    @Test func `several edits are all made or none`() async throws {
        let device = try await TestDevice()
        let old = try await device.board.create(.init(title: "old"))

        await #expect(throws: KanbanError.notFound) {
            try await device.board.edit([.delete(old.id), .create(.init(title: "new")), .delete(KanbanID())])
        }
        #expect(try device.titles() == ["old"])
        try await device.board.edit([.delete(old.id), .create(.init(title: "new"))], name: "swap")

        #expect(try device.titles() == ["new"])
        #expect(try device.board.undoState.current().undoName == "swap")
        #expect(try await device.board.undo() == .done)
        #expect(try device.titles() == ["old"])
    }

    @Test func `everything is there after it was closed`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "kept", category: .named("c")))
        let pending = try await device.board.pending()

        let again = try await device.reopened()

        #expect(try await again.board.task(task.id) == task)
        #expect(try await again.board.pending() == pending)
        #expect(try again.board.undoState.current().canUndo)
        await again.board.close()
    }

    @Test func `a folder that is open gives the same board`() async throws {
        let device = try await TestDevice()
        let server = try #require(URL(string: "http://server.test"))

        let same = try await KanbanBoard.open(at: URL(filePath: device.directory.path), server: server)

        #expect(same === device.board)
    }

    @Test func `edits that belong together are sent as one`() async throws {
        let device = try await TestDevice()
        let task = try await device.board.create(.init(title: "a"))
        try await device.board.edit(task.id) { $0.title = "b" }
        try await device.board.edit(task.id) { $0.due = .day("2026-12-01") }
        #expect(try await device.board.pending().map(\.summary) == ["create task"])

        let other = try await device.board.create(.init(title: "gone soon"))
        try await device.board.delete(other.id)
        #expect(try await device.board.pending().map(\.target) == [task.id])
        #expect(try device.board.trash().current().map(\.title) == ["gone soon"])

        try await device.board.restore(other.id)
        #expect(try device.titles() == ["b", "gone soon"])
        #expect(try await device.board.pending().map(\.target) == [task.id, other.id])
    }

    @Test func `the words for a deadline are those of the server`() throws {
        let now = Date(timeIntervalSince1970: 1_795_000_000)
        let zone = try #require(TimeZone(identifier: "Asia/Seoul"))
        let task = KanbanTask(title: "x", due: .day("2026-11-21"))

        let deadline = try #require(task.deadline(now: now, zone: zone, language: .ko))

        #expect(deadline.dDay == "D-3")
        #expect(deadline.remaining == "3일")
        #expect(!deadline.overdue)
        #expect(KanbanTask(title: "x").deadline(now: now, zone: zone, language: .ko) == nil)
    }
}
