import Dispatch
import Foundation
import Kanban
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// Values for code that has no views of SwiftUI, and boards that need no server.
struct ObservationTests {
    @MainActor @Test func `a closure on the main actor has the first value at once, and each other one`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "first"))
        var seen: [[String]] = []

        let observation = device.board.tasks().observe { seen.append($0.map(\.title)) }

        #expect(seen == [["first"]])
        try await device.board.create(.init(title: "second"))
        try await until("the second came") { await MainActor.run { seen.count == 2 } }
        #expect(seen == [["first"], ["first", "second"]])
        observation.cancel()
        try await device.board.create(.init(title: "third"))
        let later = device.board.tasks()
        for try await tasks in later where tasks.count == 3 { break }
        #expect(seen.count == 2)
        await device.board.close()
    }

    @Test func `a closure on a queue is called there, until nobody keeps the observation`() async throws {
        let device = try await TestDevice()
        let queue = DispatchQueue(label: "test.observation")
        let mark = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: mark, value: true)
        let seen = Locked<[(count: Int, isThere: Bool)]>([])

        var observation: LiveObservation? = device.board.tasks().observe(on: queue) { tasks in
            seen.withLock { $0.append((tasks.count, DispatchQueue.getSpecific(key: mark) ?? false)) }
        }
        try await until("the first came") { seen.withLock { $0.map(\.count) == [0] } }
        try await device.board.create(.init(title: "x"))
        try await until("the second came") { seen.withLock { $0.map(\.count) == [0, 1] } }

        #expect(seen.withLock { $0.allSatisfy(\.isThere) })
        withExtendedLifetime(observation) {}
        observation = nil
        try await until("nobody follows") {
            device.board.core.reads.followers(of: device.board.tasks().query) == 0
        }
        await device.board.close()
    }

    @MainActor @Test func `a value that cannot be read is reported once`() async throws {
        var errors: [KanbanError?] = []

        let observation = Live<Int>.failing(.newerData).observe(failed: { errors.append($0 as? KanbanError) }) { _ in
            Issue.record("there is no value")
        }

        try await until("it failed") { await MainActor.run { !errors.isEmpty } }
        #expect(errors == [.newerData])
        observation.cancel()
    }

    @Test func `a board in memory holds what it is given, and asks nobody`() async throws {
        let exam = NewCategory(name: "Exam", color: "#ff0000")
        let board = try KanbanBoard.inMemory(
            tasks: [
                .init(title: "read", category: .id(exam.id)), .init(title: "run", category: .named("Sport")),
                .init(title: "old", status: .done, createdAt: Date(timeIntervalSince1970: 1_000)),
            ], categories: [exam], ddays: [.init(title: "day", date: "2026-12-24")])
        let folder = board.core.folder

        #expect(try board.tasks(in: .todo).current().map(\.title) == ["read", "run"])
        #expect(try board.tasks().current().allSatisfy { !$0.isPending })
        #expect(
            try board.categories().current().map { [$0.name, $0.color ?? ""] } == [
                ["Exam", "#ff0000"], ["Sport", ""],
            ])
        #expect(try board.ddays().current().map(\.title) == ["day"])
        #expect(try board.status.current().pendingEdits == 0 && !board.undoState.current().canUndo)
        #expect(try board.tasks(in: .done).current().first?.completedAt == Date(timeIntervalSince1970: 1_000))
        // It is a board like others.
        let task = try await board.create(.init(title: "new"))
        try await board.move(task.id, to: .doing)
        _ = try await board.undo()
        #expect(try board.tasks(in: .todo).current().map(\.title) == ["read", "run", "new"])
        await #expect(throws: KanbanError.offline) { try await board.syncNow(timeout: .seconds(60)) }
        #expect(FileManager.default.fileExists(atPath: folder.path))
        await board.close()
    }

    @Test func `the folder of a board in memory goes with the last that uses it`() async throws {
        var board: KanbanBoard? = try KanbanBoard.inMemory(tasks: [.init(title: "x")])
        // An edit starts the engine.
        try await board?.create(.init(title: "y"))
        var list = board?.tasks()
        let folder = try #require(board?.core.folder)

        board = nil
        #expect(try list?.current().map(\.title) == ["x", "y"])
        list = nil

        try await until("it is gone") { !FileManager.default.fileExists(atPath: folder.path) }
    }

    @Test func `what a board in memory is given obeys the rules`() throws {
        #expect(throws: KanbanError.invalid([Fault(pointer: "#/title", code: "blank")])) {
            try KanbanBoard.inMemory(tasks: [.init(title: " ")])
        }
    }

    @Test func `a path that changes is tried while the board is started`() async throws {
        let watched = Locked<[@Sendable () -> Void]>([])
        let watching = Locked(0)
        let device = try await TestDevice { configuration in
            configuration.dependencies.watchPath = { changed in
                watched.withLock { $0.append(changed) }
                watching.withLock { $0 += 1 }
                return Ending { watching.withLock { $0 -= 1 } }
            }
        }
        #expect(watching.withLock { $0 } == 0)

        device.board.start()
        device.board.start()
        #expect(watching.withLock { $0 } == 1)
        // The first request finds no server, and the next one would come after a while.
        try await until("it failed") { try device.board.status.current().phase == .offline }
        let asked = device.network.requests.count
        watched.withLock { $0.last }?()
        try await until("it is tried again") { device.network.requests.count > asked }

        device.board.pause()
        #expect(watching.withLock { $0 } == 0)
        device.board.start()
        await device.board.close()
        #expect(watching.withLock { $0 } == 0)
    }
}

private final class Ending: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}
