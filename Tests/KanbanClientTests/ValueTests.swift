import Foundation
import TestSupport
import Testing

@testable import KanbanClient

/// What a developer expects of plain values, and of lists that are longer than a screen.
struct ValueTests {
    private static let seoul = TimeZone(identifier: "Asia/Seoul") ?? .gmt

    private func coded<Value: Codable>(_ value: Value) throws -> (back: Value, text: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let data = try encoder.encode(value)
        return (try JSONDecoder().decode(Value.self, from: data), String(decoding: data, as: UTF8.self))
    }

    @Test func `values go to a file and come back`() throws {
        let at = Date(timeIntervalSince1970: 1_795_000_000.125)
        let task = KanbanTask(
            title: "우유", body: "2 l", status: .done, due: .day("2026-12-01"), categoryID: KanbanID(), createdAt: at,
            updatedAt: at, completedAt: at, isPending: true)
        let dday = KanbanDDay(
            title: "exam", date: "2026-11-19", repeatsYearly: true, image: KanbanID(), color: "#3366ff", emoji: "📚")
        let today = Today(overdue: [task], today: [], ddays: [dday], percentDone: 5)

        #expect(try coded(today).back == today)
        #expect(try coded(Upcoming(task: task, fireAt: at)).back == Upcoming(task: task, fireAt: at))
        let category = KanbanCategory(name: "c", image: KanbanID())
        #expect(try coded(category).back == category)
        #expect(try coded(["due": Due.day("2026-12-01")]).text == #"{"due":"2026-12-01"}"#)
        #expect(try coded([Due.instant(at)]).text == #"["2026-11-18T11:06:40.125Z"]"#)
        #expect(try coded([Due.instant(at)]).back == [.instant(at)])
        #expect(try coded(["2026-02-28"] as [Day]).text == #"["2026-02-28"]"#)
        for text in [#"["2026-02-30"]"#, #"["x"]"#, "[1]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([Due].self, from: Data(text.utf8)) }
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([Day].self, from: Data(text.utf8)) }
        }
        #expect(throws: EncodingError.self) { try coded([Due.instant(.distantFuture.addingTimeInterval(1e15))]) }
    }

    @Test func `a due date is a date in a zone, both ways`() {
        // Midnight in Seoul; the day before in UTC.
        let date = Date(timeIntervalSince1970: 1_795_014_000)
        #expect(Due.day(date, in: Self.seoul) == .day("2026-11-19"))
        #expect(Due.day(date, in: .gmt) == .day("2026-11-18"))
        #expect(Due.day("2026-11-19").date(in: Self.seoul) == date)
        #expect(Due.instant(date).date(in: Self.seoul) == date)
        #expect(
            Due.instant(date).day(in: Self.seoul) == "2026-11-19" && Due.day("2026-11-19").day(in: .gmt) == "2026-11-19"
        )
        #expect(Due.day("2026-11-19").isAllDay && !Due.instant(date).isAllDay)
    }

    @Test func `an id is a UUID, both ways`() throws {
        let uuid = try #require(UUID(uuidString: "0199A3C4-6B1E-7C3A-9A55-3F0D2F4F8E11"))
        #expect(KanbanID(uuid).description == "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11")
        for _ in 0..<100 {
            let id = KanbanID()
            #expect(KanbanID(id.uuid) == id && id.uuid.uuidString.lowercased() == id.description)
        }
    }

    @Test func `a live value that stays as it is, for previews`() async throws {
        let tasks = Live.constant([KanbanTask(title: "a")])
        #expect(try tasks.current().map(\.title) == ["a"])
        var values = tasks.makeAsyncIterator()
        #expect(try await values.next()?.count == 1)
        let next = Task {
            var values = values
            return try await values.next()
        }
        next.cancel()
        #expect(try await next.value == nil)

        // A view that is rebuilt follows the same value on.
        #expect(Live.constant(1) == .constant(1) && Live.constant(1) != .constant(2))
        #expect(Live<Int>.failing(.offline) == .failing(.offline) && Live<Int>.failing(.offline) != .constant(1))
        #expect(throws: KanbanError.notFound) { try Live<Int>.failing(.notFound).current() }
        let counts = BoardCounts(byStatus: [.todo: 2, .done: 1])
        #expect(counts.total == 3 && counts.percentDone == 33 && counts.byStatus[.doing] == 0)
    }

    @Test func `one task is followed, to the trash and back`() async throws {
        let device = try await TestDevice()
        let id = KanbanID()
        var live = device.board.task(live: id).makeAsyncIterator()
        #expect(try await live.next() == .some(nil))

        try await device.board.create(.init(id: id, title: "a"))
        #expect(try await live.next()??.title == "a")
        try await device.board.create(.init(title: "another"))
        try await device.board.edit(id) { $0.title = "b" }
        #expect(try await live.next()??.title == "b")
        try await device.board.delete(id)
        #expect(try await live.next()??.deletedAt != nil)
        #expect(device.board.task(live: id) == device.board.task(live: id))
        #expect(device.board.task(live: id) != device.board.task(live: KanbanID()))
        await device.board.close()
    }

    @Test func `the newest are first, page by page`() async throws {
        let device = try await TestDevice()
        let board = device.board
        let days: [Day] = ["2026-12-01", "2026-12-02"]
        for number in 0..<7 {
            device.clock.advance(seconds: 1)
            try await board.create(.init(title: "\(number)", due: number < 2 ? .day(days[number]) : nil))
        }
        func page(_ offset: Int, _ limit: Int?) throws -> String {
            try board.tasks(sort: .createdAt, descending: true, limit: limit, offset: offset).current().map(\.title)
                .joined()
        }

        #expect(try page(0, 3) == "654" && page(3, 3) == "321" && page(6, 3) == "0" && page(9, 3) == "")
        #expect(
            try page(0, nil) == "6543210" && page(5, nil) == "10" && page(-1, -1) == "" && page(1, .max) == "543210")
        #expect(try board.tasks(sort: .dueDate, descending: true, limit: 2).current().map(\.title) == ["1", "0"])
        #expect(try board.tasks(sort: .title, descending: true).current().first?.title == "6")
        await board.close()
    }

    @Test func `D-days have a color and an emoji, and categories a picture`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let picture = try await phone.board.add(image: Data([0xff, 0xd8, 0xff, 1]))
        let category = try await phone.board.createCategory(.init(name: "c", image: picture))
        let dday = try await phone.board.createDDay(
            .init(title: "exam", date: "2026-11-19", color: "#3366ff", emoji: "📚"))
        #expect(category.image == picture && dday.color == "#3366ff" && dday.emoji == "📚")
        try await phone.board.syncNow()
        try await pad.board.syncNow()

        #expect(try pad.board.categories().current().first?.image == picture)
        #expect(try pad.board.ddays().current() == [dday])
        try await pad.board.editDDay(dday.id) { $0.emoji = nil }
        try await pad.board.editCategory(category.id) { $0.image = nil }
        try await pad.board.syncNow()
        try await phone.board.syncNow()

        #expect(try phone.board.ddays().current().map(\.emoji) == [nil])
        #expect(try phone.board.ddays().current().map(\.color) == ["#3366ff"])
        #expect(try phone.board.categories().current().map(\.image) == [nil])
        await phone.board.close()
        await pad.board.close()
    }
}
