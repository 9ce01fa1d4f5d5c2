import Foundation
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// The device's schedule and the server's notifications together: each reminder comes to each phone once.
struct ReminderScenarioTests {
    /// `KANBASE_REMINDER_SEEDS` says how many scenarios are run, `KANBASE_REMINDER_SEED` runs one again.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["KANBASE_REMINDER_SEED"].flatMap(UInt64.init) { return one..<(one + 1) }
        return 0..<(environment["KANBASE_REMINDER_SEEDS"].flatMap(UInt64.init) ?? 30)
    }()

    @Test func `each reminder comes to each phone once, and none of a task that is done`() async throws {
        for seed in Self.seeds {
            let scenario = try await ReminderScenario(seed: seed)
            try await scenario.run()
            #expect(
                scenario.faults.isEmpty,
                "seed \(seed): \(scenario.faults.joined(separator: "; "))\n\(scenario.trail.suffix(30).joined(separator: "\n"))"
            )
            guard scenario.faults.isEmpty else { return }
        }
    }

    // MARK: - Set at 10:00 for 10:10

    private let clock = TestClock()
    private let server: NotifyingServer

    init() throws {
        server = try NotifyingServer(clock: clock)
    }

    /// Lets this number of seconds pass; the server looks at each.
    private func wait(_ seconds: Int64) async throws {
        for _ in 0..<seconds {
            clock.advance(seconds: 1)
            try await server.look()
        }
    }

    /// A registered phone whose app is closed, and a task that was set on the web for ten minutes later.
    private func phoneAndTask(isKnown: Bool) async throws -> (TestPhone, task: String) {
        let phone = try await TestPhone.on(server)
        phone.register()
        try await phone.board.syncNow()
        let due = clock.now.adding(milliseconds: 600_000).description
        let task = try await server.json("POST", "/tasks", ["title": "milk", "dueDate": .string(due)])
        if isKnown { try await phone.board.syncNow() }
        await phone.board.close()
        return (phone, try #require(task["id"]?.stringValue))
    }

    @Test func `set on the web while the phone is closed, it is pushed at its time`() async throws {
        let (phone, task) = try await phoneAndTask(isKnown: false)
        let due = clock.now.adding(milliseconds: 600_000)

        try await wait(900)

        #expect(server.takePushes() == [.init(token: phone.tokenText, id: "\(task)/PT0S", at: due)])
        #expect(phone.center.shown.isEmpty)
    }

    @Test func `ticked elsewhere before its time, it is not pushed`() async throws {
        let (phone, task) = try await phoneAndTask(isKnown: false)
        try await wait(300)
        _ = try await server.json("POST", "/tasks/\(task)/move", ["status": "done"])

        try await wait(600)

        #expect(server.takePushes().isEmpty && phone.center.shown.isEmpty)
    }

    @Test func `scheduled by the phone, it comes from the phone alone`() async throws {
        let (phone, task) = try await phoneAndTask(isKnown: true)

        try await wait(900)

        #expect(server.takePushes().isEmpty)
        #expect(phone.center.shown.map(\.reminder.id) == ["\(task)/PT0S"])
    }

    @Test func `moved elsewhere after the phone has scheduled it, it is pushed at its new time`() async throws {
        let (phone, task) = try await phoneAndTask(isKnown: true)
        let due = clock.now.adding(milliseconds: 1_200_000)
        _ = try await server.json("PATCH", "/tasks/\(task)", ["dueDate": .string(due.description)])

        try await wait(1_300)

        #expect(server.takePushes() == [.init(token: phone.tokenText, id: "\(task)/PT0S", at: due)])
    }
}
