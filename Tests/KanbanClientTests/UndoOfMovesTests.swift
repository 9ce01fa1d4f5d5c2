import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// The undo of moves while another device moves the same tasks.
struct UndoOfMovesTests {
    private let clock = TestClock()
    private let server: LocalServer
    private let network: MeddlingNetwork
    private let phone: TestDevice
    private let pad: TestDevice
    private let tasks: [KanbanID]

    init() async throws {
        server = try LocalServer(clock: clock)
        network = MeddlingNetwork(to: server)
        phone = try await .on(network)
        pad = try await .on(server, seed: 2)
        var tasks: [KanbanID] = []
        for number in 0..<4 { tasks.append(try await phone.board.create(.init(title: "\(number)")).id) }
        self.tasks = tasks
        try await sync(phone, pad)
    }

    /// One after the other, each at a time of its own.
    private func sync(_ devices: TestDevice...) async throws {
        for device in devices {
            clock.advance(seconds: 1)
            try await device.board.syncNow()
        }
    }

    /// Nothing was moved, because another device moved the task.
    private func expectTheirs(_ outcome: UndoOutcome, _ task: KanbanID) {
        guard case .partly(let conflicts) = outcome else {
            Testing.Issue.record("\(outcome)")
            return
        }
        #expect(conflicts.map(\.member) == ["position"])
        #expect(conflicts.map(\.target) == [task])
    }

    @Test func `a task that another device moved since stays there`() async throws {
        try await phone.board.move(tasks[3], .first)
        try await sync(phone, pad)
        try await pad.board.move(tasks[3], .after(tasks[0]))
        try await sync(pad, phone)

        expectTheirs(try await phone.board.undo(), tasks[3])

        #expect(try phone.titles() == ["0", "3", "1", "2"])
        #expect(try await phone.board.pending().isEmpty)
        try await sync(phone, pad)
        #expect(try pad.titles() == ["0", "3", "1", "2"])
        #expect(try phone.board.issues.current().isEmpty && pad.board.issues.current().isEmpty)
    }

    @Test(arguments: [true, false])
    func `a task that another device moved within its new column stays there`(isMove: Bool) async throws {
        let (board, task) = (phone.board, tasks[1])
        try await board.move(tasks[0], to: .doing)
        if isMove { try await board.move(task, to: .doing) } else { try await board.edit(task) { $0.status = .doing } }
        try await sync(phone, pad)
        try await pad.board.move(task, .first)
        try await sync(pad, phone)

        expectTheirs(try await board.undo(), task)

        #expect(try phone.titles(.doing) == ["1", "0"])
        // The other task is where this device moved it.
        #expect(try await board.undo() == .done)
        #expect(try phone.titles(.doing) == ["1"])
    }

    @Test func `the places that the server gives, and other edits of others, hinder no undo and no redo`() async throws
    {
        try await phone.board.move(tasks[3], .first)
        try await sync(phone)
        try await phone.board.move(tasks[3], .after(tasks[1]))
        // Where the phone does not see it yet.
        try await pad.board.create(.init(title: "new"))
        try await pad.board.move(tasks[0], .last)
        try await pad.board.edit(tasks[3]) { $0.title = "three" }
        try await sync(pad, phone)

        for _ in 0..<2 {
            #expect(try await phone.board.undo() == .done)
            try await sync(phone)
        }
        #expect(try phone.titles().filter { $0 != "three" } == ["1", "2", "new", "0"])
        for _ in 0..<2 {
            #expect(try await phone.board.redo() == .done)
            try await sync(phone)
        }
        #expect(try phone.titles().prefix(2) == ["1", "three"])
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `an own move that a stream brings before its answer is no other device's`() async throws {
        try await phone.board.move(tasks[3], .first)
        try await sync(phone)
        try await phone.board.move(tasks[3], .after(tasks[1]))
        clock.advance(seconds: 1)
        let replica = phone.board.core.replica
        let push = try #require(try await replica.write { try $0.collectPush(most: 500) })
        let answer = try SyncResponse(try await server.json("POST", "/sync", push.body))
        let streamed = SyncResponse(changes: answer.changes, cursor: answer.cursor)
        try await replica.write { try $0.integrate(streamed, isStream: true) }
        try await replica.write { try $0.integrate(answer) }

        for _ in 0..<2 { #expect(try await phone.board.undo() == .done) }

        #expect(try phone.titles() == ["0", "1", "2", "3"])
    }

    @Test func `a move by another device after one whose answer was lost stays`() async throws {
        try await phone.board.move(tasks[3], .first)
        network.meddle { $0 == "/sync" ? .loseAnswer : .none }
        await #expect(throws: KanbanError.offline) { try await sync(phone) }
        network.meddle { _ in .none }
        try await sync(pad)
        try await pad.board.move(tasks[3], .after(tasks[0]))
        try await sync(pad, phone)

        expectTheirs(try await phone.board.undo(), tasks[3])

        #expect(try phone.titles() == ["0", "3", "1", "2"])
    }

    @Test func `where the server refused to take their place away, no older step does`() async throws {
        try await phone.board.move(tasks[3], .first)
        try await sync(phone)
        try await phone.board.move(tasks[3], .after(tasks[1]))
        try await sync(phone, pad)
        try await pad.board.move(tasks[3], .after(tasks[0]))
        try await sync(pad)

        // Not seen here yet: the server decides.
        #expect(try await phone.board.undo() == .done)
        try await sync(phone)
        #expect(try phone.titles() == ["0", "3", "1", "2"])
        #expect(try phone.board.issues.current().isEmpty)

        expectTheirs(try await phone.board.undo(), tasks[3])
        #expect(try phone.titles() == ["0", "3", "1", "2"])
    }

    @Test(arguments: [false, true])
    func `two devices that tick the same tasks agree, and each takes its own tick back`(isMove: Bool) async throws {
        for device in [phone, pad] {
            for task in tasks {
                if isMove {
                    try await device.board.move(task, to: .done)
                } else {
                    try await device.board.complete(task)
                }
            }
        }
        try await sync(phone, pad, phone)

        for device in [phone, pad] {
            #expect(try device.titles(.done) == ["0", "1", "2", "3"])
            #expect(try device.board.issues.current().isEmpty)
        }
        for task in tasks.reversed() {
            #expect(try await phone.board.undo() == .done)
            #expect(try await phone.board.task(task)?.status == .todo)
        }
        try await sync(phone, pad)
        #expect(try pad.titles(.todo) == ["0", "1", "2", "3"])
    }

    @Test func `a task that two devices move is no issue, and its words are`() async throws {
        try await phone.board.move(tasks[3], .first)
        try await pad.board.move(tasks[3], .after(tasks[0]))
        try await sync(pad, phone)
        #expect(try phone.titles().first == "3")
        #expect(try phone.board.issues.current().isEmpty)

        try await sync(pad)
        try await phone.board.move(tasks[2], to: .doing, .first)
        try await pad.board.move(tasks[2], to: .done, .first)
        try await sync(pad, phone)
        let conflicts = try phone.board.issues.current().flatMap(\.conflicts)
        #expect(conflicts.first { $0.member == "status" }?.theirs == "done")
    }

    @Test func `a move that the user makes after another device's is undone`() async throws {
        try await phone.board.move(tasks[3], .first)
        try await sync(phone, pad)
        try await pad.board.move(tasks[3], .after(tasks[0]))
        try await sync(pad, phone)
        try await phone.board.move(tasks[3], .last)
        try await sync(phone)

        #expect(try await phone.board.undo() == .done)
        #expect(try phone.titles() == ["0", "3", "1", "2"])
        expectTheirs(try await phone.board.undo(), tasks[3])
    }
}
