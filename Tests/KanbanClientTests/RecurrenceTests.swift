import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// Tasks that come back, on a device.
struct RecurrenceTests {
    private static let rules: [(KanbanClient.Recurrence, String)] = [
        (.daily(), "FREQ=DAILY"), (.daily(every: 3), "FREQ=DAILY;INTERVAL=3"),
        (.weekly([.mon, .thu], every: 2), "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH"), (.weekly(), "FREQ=WEEKLY"),
        (.monthly(on: 31), "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD"),
        (.monthly(on: 15), "FREQ=MONTHLY;BYMONTHDAY=15"), (.monthly(on: -1), "FREQ=MONTHLY;BYMONTHDAY=-1"),
        (.monthly(), "FREQ=MONTHLY;SKIP=BACKWARD"), (.monthly(2, .tue), "FREQ=MONTHLY;BYDAY=2TU"),
        (.yearly(), "FREQ=YEARLY;SKIP=BACKWARD"), (.afterCompletion(weeks: 2), "FREQ=WEEKLY;INTERVAL=2"),
        (.daily().until("2027-12-31").times(3), "FREQ=DAILY;COUNT=3"),
        (.daily().times(3).until("2027-12-31"), "FREQ=DAILY;UNTIL=20271231"),
    ]

    @Test(arguments: rules)
    func `a builder writes its rule`(recurrence: KanbanClient.Recurrence, rule: String) throws {
        #expect(recurrence.rule == rule)
        _ = try RecurrenceRule(parsing: rule)
    }

    private static let phrases: [(KanbanClient.Recurrence, String, String, String)] = [
        (.daily(), "every day", "매일", "毎日"),
        (.daily(every: 2), "every other day", "2일마다", "2日ごと"),
        (.weekly([.mon, .thu], every: 2), "every other week on Mon, Thu", "격주 월, 목", "隔週の月・木"),
        (.weekly([.sun]), "every week on Sun", "매주 일", "毎週日"),
        (.monthly(on: 31), "every month on the 31st", "매월 31일", "毎月31日"),
        (.monthly(on: -1), "every month on the last day", "매월 마지막 날", "毎月末日"),
        (.monthly(2, .tue), "every month on the 2nd Tue", "매월 2번째 화요일", "毎月第2火曜日"),
        (.yearly(every: 3).times(4), "every 3 years, 4 times", "3년마다, 4회", "3年ごと、4回"),
        (.afterCompletion(days: 3), "3 days after completion", "완료 3일 후", "完了の3日後"),
        (.daily().until("2027-12-31"), "every day, until 2027-12-31", "매일, 2027-12-31까지", "毎日、2027-12-31まで"),
        (
            .init(rule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"), "every year on the 29th of Feb", "매년 2월 29일",
            "毎年2月29日"
        ),
        (.init(rule: "FREQ=HOURLY"), "FREQ=HOURLY", "FREQ=HOURLY", "FREQ=HOURLY"),
    ]

    @Test(arguments: phrases)
    func `a rule is described in three languages`(
        recurrence: KanbanClient.Recurrence, en: String, ko: String, ja: String
    ) {
        #expect(recurrence.words(in: .en) == en)
        #expect(recurrence.words(in: .ko) == ko)
        #expect(recurrence.words(in: .ja) == ja)
    }

    private func open(_ board: KanbanBoard) throws -> [KanbanTask] {
        try board.tasks().current().filter { $0.status != .done }
    }

    @Test func `completing without a connection makes the server's successor, and undo takes both back`() async throws {
        let clock = TestClock()
        let server = try LocalServer(clock: clock, seed: 1)
        let network = FaultyNetwork(to: server, seed: 1)
        network.mend()
        let one = try await TestDevice(at: clock.now.milliseconds, seed: 1) { $0.dependencies.transport = network }
        let two = try await TestDevice(at: clock.now.milliseconds, seed: 2) { $0.dependencies.transport = network }
        let task = try await one.board.create(
            .init(title: "Rent", due: .day("2027-01-31"), recurrence: .monthly(on: 31)))
        try await one.board.syncNow(timeout: .seconds(100_000))
        try await two.board.syncNow(timeout: .seconds(100_000))

        for board in [one.board, two.board] { try await board.move(task.id, to: .done) }
        let (mine, theirs) = (try #require(try open(one.board).first), try #require(try open(two.board).first))
        #expect(mine.id == theirs.id && mine.due == .day("2027-02-28") && mine.recurrence == .monthly(on: 31))
        #expect(mine.occurrence == 2 && mine.seriesID == task.seriesID)
        #expect(try await one.board.task(task.id)?.recurrence == nil)
        #expect(try await one.board.undo() == .done)
        #expect(try open(one.board).map(\.id) == [task.id])
        #expect(try await one.board.task(task.id)?.recurrence == .monthly(on: 31))
        #expect(try await one.board.redo() == .done)

        for board in [one.board, two.board, one.board] { try await board.syncNow(timeout: .seconds(100_000)) }
        for board in [one.board, two.board] {
            #expect(try open(board).map(\.id) == [mine.id] && board.tasks().current().count == 2)
        }
        // The server knows it by now: undo is an edit, which does the same.
        #expect(try await one.board.undo() == .done)
        for board in [one.board, two.board] { try await board.syncNow(timeout: .seconds(100_000)) }
        for board in [one.board, two.board] {
            #expect(try open(board).map(\.id) == [task.id])
            #expect(try open(board).first?.recurrence == .monthly(on: 31))
        }
    }

    @Test func `undo and redo of a completion with other members, which the server knows, take the series along`()
        async throws
    {
        let server = try LocalServer()
        let board = try await TestDevice.on(server).board
        let task = try await board.create(
            .init(title: "Rent", due: .day("2099-01-31"), recurrence: .monthly(on: 31)))
        try await board.syncNow()
        let successors = [
            (KanbanClient.Recurrence.weekly([.sat]), "Rent", Due.day("2099-02-07")),
            (.monthly(on: 31), "Rent and water", .day("2099-02-28")),
        ]
        for (rule, title, next) in successors {
            try await board.edit(task.id) {
                $0.recurrence = rule
                $0.title = title
                $0.status = .done
            }
            try await board.syncNow()

            for _ in 1...2 {
                #expect(try await board.undo() == .done)
                try await board.syncNow()
                #expect(try open(board).map(\.id) == [task.id])
                #expect(try open(board).map(\.recurrence) == [.monthly(on: 31)] && open(board).map(\.title) == ["Rent"])
                #expect(try await board.redo() == .done)
                try await board.syncNow()
                #expect(try open(board).map(\.due) == [next] && open(board).map(\.title) == [title])
                #expect(try open(board).map(\.recurrence) == [rule])
            }
            #expect(try await board.undo() == .done)
            try await board.syncNow()
        }
    }

    /// The way that the second task of the series goes, and how it comes back: reopened, or restored.
    @Test(arguments: [true, false])
    func `undo of what followed in a series, which the server knows, leaves its first task`(
        isCompleted: Bool
    ) async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let board = phone.board
        let task = try await board.create(.init(title: "Rent", due: .day("2099-01-31"), recurrence: .daily()))
        let second = try #require(try await board.complete(task.id))
        if isCompleted { try await board.complete(second.id) } else { try await board.delete(second.id) }
        try await board.syncNow()
        let after = try Shown(board)

        for _ in 0..<2 { #expect(try await board.undo() == .done) }
        for device in [phone, pad] { try await device.board.syncNow() }
        for device in [phone, pad] {
            #expect(try device.board.tasks().current().map(\.id) == [task.id])
            #expect(try device.board.tasks().current().map(\.recurrence) == [.daily()])
            #expect(try device.board.issues.current().isEmpty)
        }
        for _ in 0..<2 { #expect(try await board.redo() == .done) }
        for device in [phone, pad] { try await device.board.syncNow() }
        #expect(try Shown(board) == after)
        #expect(try Shown(pad.board) == after)
        for _ in 0..<3 { #expect(try await board.undo() == .done) }
        for device in [phone, pad] { try await device.board.syncNow() }
        for device in [phone, pad] { #expect(try device.board.tasks().current().isEmpty) }
    }

    @Test func `undo of a completion leaves a successor with words of another device`() async throws {
        let server = try LocalServer()
        let (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        let board = phone.board
        let task = try await board.create(.init(title: "Rent", due: .day("2099-01-31"), recurrence: .daily()))
        let second = try #require(try await board.complete(task.id))
        try await board.complete(second.id)
        for device in [phone, pad] { try await device.board.syncNow() }
        #expect(try await board.undo() == .done)
        for device in [phone, pad] { try await device.board.syncNow() }
        try await pad.board.edit(second.id) { $0.body = "by card" }
        try await pad.board.syncNow()

        // The device does not know, and the server decides.
        #expect(try await board.undo() == .done)
        for device in [phone, pad] { try await device.board.syncNow() }
        for device in [phone, pad] {
            #expect(try Set(open(device.board).map(\.id)) == [task.id, second.id])
            #expect(try await device.board.task(second.id)?.body == "by card")
            #expect(try await device.board.task(second.id)?.recurrence == .daily())
        }
    }

    @Test func `a skip moves the due date, and its undo moves it back`() async throws {
        let board = try await TestDevice().board
        let task = try await board.create(.init(title: "Rent", due: .day("2099-01-31"), recurrence: .monthly(on: 31)))

        #expect(try await board.skip(task.id).due == .day("2099-02-28"))
        #expect(try await board.undo() == .done)
        #expect(try await board.task(task.id)?.due == .day("2099-01-31"))
        let plain = try await board.create(.init(title: "Once"))
        await #expect(throws: KanbanError.self) { try await board.skip(plain.id) }
    }

    @Test func `a task that is made and completed before a push has its successor`() async throws {
        let board = try await TestDevice().board
        let task = try await board.create(.init(title: "Rent", due: .day("2099-01-31"), recurrence: .daily()))

        try await board.edit(task.id) { $0.status = .done }

        #expect(try open(board).map(\.due) == [.day("2099-02-01")])
        // The creation, and the tick with its time.
        #expect(try await board.pending().count == 2)
    }

    @Test func `a task that is made and completed days before a push comes back from its completion on`() async throws {
        let clock = TestClock()
        let network = FaultyNetwork(to: try LocalServer(clock: clock, seed: 1), seed: 1)
        network.mend()
        let device = try await TestDevice(at: clock.now.milliseconds, seed: 1) { $0.dependencies.transport = network }
        let board = device.board
        let task = try await board.create(
            .init(title: "Water", due: .day("2026-11-18"), recurrence: .afterCompletion(weeks: 2)))
        try await board.edit(task.id) { $0.status = .done }
        let shown = try open(board).map(\.due)

        for clock in [clock, device.clock] { clock.advance(days: 10) }
        try await board.syncNow(timeout: .seconds(100_000))

        #expect(shown == [.day("2026-12-02")])
        #expect(try open(board).map(\.due) == shown)
    }
}
