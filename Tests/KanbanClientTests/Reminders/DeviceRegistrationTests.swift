import Foundation
import JSON
import Kanban
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// What a device tells the server, so that each reminder comes once.
struct DeviceRegistrationTests {
    private let clock = TestClock()
    private let server: NotifyingServer
    private let network: RecordingNetwork

    init() throws {
        server = try NotifyingServer(clock: clock)
        network = RecordingNetwork(to: server.local)
    }

    private func phone() async throws -> TestPhone {
        let network = network
        return try await TestPhone(1, clock: clock) { $0.dependencies.transport = network }
    }

    private func due(_ seconds: Int64) -> JSON {
        .string(clock.now.adding(milliseconds: seconds * 1_000).description)
    }

    private func lines() -> [String] { network.takeDeviceCalls().map(\.line) }

    @Test func `a device registers with its next sync, and again at each start under the same id`() async throws {
        var phone = try await phone()
        network.setAway(true)
        phone.register()
        await #expect(throws: KanbanError.offline) { try await phone.board.syncNow() }
        network.setAway(false)
        try await phone.board.syncNow()
        let calls = network.takeDeviceCalls()
        let device = try #require(try await phone.board.devices().first)

        #expect(calls.map(\.line) == ["PUT /devices/\(device.id)", "PATCH /devices/\(device.id)"])
        #expect(calls.first?.body["token"] == .string(String(repeating: "11", count: 32)))
        #expect(calls.first?.body["environment"] == "production")
        #expect(device.isCurrent && device.kind == .apns && device.topic == NotifyingServer.topic)

        phone.register()
        try await phone.board.syncNow()
        #expect(lines() == ["GET /devices"])
        phone = try await phone.restarted()
        phone.register()
        try await phone.board.syncNow()
        #expect(lines() == ["PUT /devices/\(device.id)", "PATCH /devices/\(device.id)"])
        // iOS may start the app without a token, to sync in the background.
        phone = try await phone.restarted()
        try await phone.board.syncNow()
        #expect(lines() == ["PATCH /devices/\(device.id)"])
        await phone.board.close()
    }

    @Test func `a plan is reported when the server would notify without it, and nothing else is reported`() async throws
    {
        let phone = try await phone()
        phone.register()
        let task = try await phone.board.create(
            .init(title: "milk", due: .instant(Date(clock.now.adding(milliseconds: 600_000)))))
        try await phone.board.syncNow()
        let reported = try #require(network.takeDeviceCalls().last)
        #expect(reported.body["planned"] == (try await server.json("GET", "/changes"))["cursor"])
        #expect(reported.body["from"] == .string(clock.now.description) && reported.body["until"] == nil)

        try await phone.board.createCategory(.init(name: "Shop"))
        try await phone.board.create(.init(title: "without a date"))
        try await phone.board.syncNow()
        #expect(lines().isEmpty)
        _ = try await server.json("PATCH", "/tasks/\(task.id)", ["dueDate": due(900)])
        try await phone.board.syncNow()
        #expect(lines().count == 1)
        _ = try await server.json("POST", "/tasks/\(task.id)/move", ["status": "done"])
        try await phone.board.syncNow()
        #expect(phone.center.titles.isEmpty && lines().isEmpty)
        _ = try await server.json("PATCH", "/settings", ["allDayTime": "08:00"])
        try await phone.board.syncNow()
        #expect(lines().count == 1)
        await phone.board.close()
    }

    @Test func `a report whose answer is lost is made again`() async throws {
        let phone = try await phone()
        phone.register()
        try await phone.board.syncNow()
        _ = try await server.json("POST", "/tasks", ["title": "web", "dueDate": due(600)])
        network.setLosingReports(true)
        try await phone.board.syncNow()
        network.setLosingReports(false)
        _ = network.takeDeviceCalls()

        // As it was before, as far as this device knows.
        phone.center.setOthers(64)
        try await phone.board.syncNow()
        #expect(network.takeDeviceCalls().last?.body["until"] == due(600))
        await phone.board.close()
    }

    @Test func `a device that may not show anything leaves all to the server`() async throws {
        let phone = try await phone()
        phone.register()
        phone.center.setRefusing(true)
        _ = try await server.json("POST", "/tasks", ["title": "web", "dueDate": due(600)])
        try await phone.board.syncNow()
        #expect(network.takeDeviceCalls().last?.body == ["planned": .null])

        phone.center.setRefusing(false)
        try await phone.board.syncNow()
        #expect(phone.center.titles == ["web"])
        #expect(network.takeDeviceCalls().last?.body["planned"]?.stringValue != nil)
        await phone.board.close()
    }

    @Test func `the first reminder beyond the room of the device is the server's`() async throws {
        let phone = try await phone()
        phone.register()
        phone.center.setOthers(62)
        for minute in 1...4 {
            _ = try await server.json(
                "POST", "/tasks", ["title": .string("\(minute)"), "dueDate": due(Int64(minute) * 60)])
        }
        try await phone.board.syncNow()
        #expect(phone.center.titles == ["1", "2"])
        #expect(network.takeDeviceCalls().last?.body["until"] == due(180))

        try await server.look()
        for _ in 1...4 {
            clock.advance(seconds: 60)
            try await server.look()
        }
        #expect(phone.center.shown.count == 2)
        #expect(server.takePushes().map(\.at).count == 2)
        await phone.board.close()
    }

    @Test func `what a device hears of too late to show it is the server's`() async throws {
        let phone = try await phone()
        phone.register()
        try await phone.board.syncNow()
        _ = try await server.json("POST", "/tasks", ["title": "now", "dueDate": due(1)])
        _ = try await server.json("POST", "/tasks", ["title": "soon", "dueDate": due(60)])
        clock.advance(seconds: 1)
        // Before the server looks what is due.
        try await phone.board.syncNow()
        #expect(phone.center.titles == ["soon"])

        try await server.look()
        #expect(server.takePushes().count == 1)
        clock.advance(seconds: 60)
        try await server.look()
        #expect(server.takePushes().isEmpty && phone.center.shown.count == 1)
        await phone.board.close()
    }

    @Test func `a server that notifies nobody is asked once`() async throws {
        let server = try LocalServer(clock: clock)
        let network = RecordingNetwork(to: server)
        let phone = try await TestPhone(1, clock: clock) { $0.dependencies.transport = network }
        phone.register()
        try await phone.board.create(
            .init(title: "milk", due: .instant(Date(clock.now.adding(milliseconds: 600_000)))))

        for _ in 1...3 { try await phone.board.syncNow() }

        #expect(network.takeDeviceCalls().map(\.line).filter { $0.hasPrefix("P") }.count == 1)
        #expect(phone.center.titles == ["milk"])
        #expect(try await phone.board.devices().isEmpty)
        await phone.board.close()
    }

    @Test func `a device is tested and removed, and registers again with the next start of its app`() async throws {
        var phone = try await phone()
        phone.register()
        try await phone.board.syncNow()
        let id = try #require(try await phone.board.devices().first?.id)
        try await phone.board.testDevice(id)
        try await server.look()
        #expect(server.takePushes().map(\.token) == [phone.tokenText])

        try await phone.board.removeDevice(id)
        await #expect(throws: KanbanError.notFound) { try await phone.board.testDevice(id) }
        _ = try await server.json("POST", "/tasks", ["title": "web", "dueDate": due(600)])
        for _ in 1...2 { try await phone.board.syncNow() }
        #expect(try await phone.board.devices().isEmpty)
        phone = try await phone.restarted()
        phone.register()
        try await phone.board.syncNow()
        #expect(try await phone.board.devices().map(\.id) == [id])
        await phone.board.close()
    }

    @Test func `another token is registered at once while changes come live, and what comes is reported`() async throws
    {
        let proxied = try ProxiedServer(server.local.application, seed: 1)
        proxied.mend()
        let center = TestReminderCenter(clock)
        let clock = clock
        let device = try await TestDevice(clock: clock, server: proxied.url) { configuration in
            configuration.dependencies.transport = Dependencies().transport
            configuration.reminderCenter = center
        }
        let board = device.board
        board.start()
        try await until("it is live") { try board.status.current().phase == .live }
        board.reminders.register(token: Data(repeating: 0xAB, count: 32), topic: NotifyingServer.topic)
        try await until("it is registered") { try await !board.devices().isEmpty }

        _ = try await server.json("POST", "/tasks", ["title": "web", "dueDate": due(60)])
        try await until("it is scheduled") { center.titles == ["web"] }
        try await until("the server knows") {
            let cursor = try await server.json("GET", "/changes")["cursor"]?.stringValue
            return await board.core.reminders.hasReported(upTo: try #require(cursor))
        }
        clock.advance(seconds: 60)
        try await server.look()

        #expect(center.shown.count == 1 && server.takePushes().isEmpty)
        await board.close()
        proxied.stop()
    }

    @Test func `each account has a device of its own, and the token goes with who is logged in`() async throws {
        let network = TestNetwork()
        let phone = try await TestPhone(1, clock: clock) { $0.dependencies.transport = network }
        network.answer { method, target, body in
            switch (method, target) {
            case ("POST", "/sessions"):
                let who = body["email"]?.stringValue?.first == "a" ? 1 : 2
                return (
                    201,
                    """
                    {"token": "t\(who)", "account": {"id": "00000000-0000-4000-8000-00000000000\(who)"},
                    "session": {"id": "00000000-0000-4000-8000-00000000001\(who)"}}
                    """
                )
            case ("GET", "/account"): return nil
            case ("POST", "/sync"),
                ("GET", _) where target == "/sync" || target.hasPrefix("/changes"):
                return (200, #"{"changes": [], "results": [], "cursor": "abc-1", "hasMore": false}"#)
            case ("GET", _): return (200, #"{"items": [], "nextCursor": null}"#)
            case ("PUT", _): return (201, "{}")
            case ("PATCH", _): return (200, "{}")
            default: return nil
            }
        }
        phone.register()
        for email in ["a@example.org", "b@example.org", "a@example.org"] {
            try await phone.board.logIn(email: email, password: "x", guest: .keep)
            try await phone.board.syncNow()
        }

        let calls = zip(network.requests, network.authorizations).filter { $0.0.method == "PUT" }
        let ids = calls.map(\.0.target)
        #expect(calls.map(\.1) == ["Bearer t1", "Bearer t2", "Bearer t1"])
        #expect(ids.count == 3 && ids.first == ids.last && Set(ids).count == 2)
        await phone.board.close()
    }
}
