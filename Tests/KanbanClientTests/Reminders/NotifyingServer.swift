import Crypto
import Foundation
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// The real server with its real rules of what it sends to which device, and a push service that takes everything.
final class NotifyingServer: Sendable {
    struct Push: Hashable, Sendable {
        /// Of the device, in hexadecimal digits.
        var token: String
        /// The identifier of the notification.
        var id: String
        var at: Timestamp
    }

    static let topic = "com.example.board"

    let clock: TestClock
    let local: LocalServer
    private let work: Locked<(planner: ReminderPlanner, queue: PushQueue)?>
    private let sent: Locked<[Push]>

    init(clock: TestClock = TestClock(), seed: UInt64 = 0) throws {
        self.clock = clock
        let work = Locked<(planner: ReminderPlanner, queue: PushQueue)?>(nil)
        let sent = Locked<[Push]>([])
        let key = try PrivateSignatureKey(der: AgreementKey().der)
        let now: @Sendable () -> Timestamp = { clock.now }
        local = try LocalServer(clock: clock, seed: seed) { store in
            let tokens = ProviderTokens(store: store, team: "TEAM123456", id: "KEY1234567", key: key, clock: now)
            let post: PushSenders.Post = { request in
                // What wakes an app shows nothing, and Apple may drop it: all must hold without it.
                guard request.headers.contains("apns-push-type: alert") else { return (200, []) }
                let id = request.headers.first { $0.hasPrefix("apns-collapse-id: ") }?.dropFirst(18)
                let token = request.url.split(separator: "/").last
                sent.withLock {
                    $0.append(Push(token: String(token ?? ""), id: String(id ?? ""), at: clock.now))
                }
                return (200, [])
            }
            let senders = PushSenders(
                apns: APNsSender(topics: [Self.topic], tokens: tokens, address: nil, post: post), webPush: nil,
                content: .ids, zone: .utc, clock: now)
            let planner = ReminderPlanner(store: store, zone: .utc, clock: now, onQueued: {})
            work.withLock { $0 = (planner, PushQueue(store: store, senders: senders)) }
            return PushService(store: store, senders: senders, onQueued: {})
        }
        self.work = work
        self.sent = sent
    }

    /// Sends what is due, as the server does each second.
    func look() async throws {
        let (planner, queue) = try #require(work.withLock { $0 })
        try await planner.queueDue()
        _ = try await queue.sendDue()
    }

    /// What was sent since the last time.
    func takePushes() -> [Push] {
        sent.withLock { sent in
            defer { sent = [] }
            return sent
        }
    }

    func json(_ method: String, _ target: String, _ body: JSON? = nil) async throws -> JSON {
        try await local.json(method, target, body)
    }
}

/// A phone: a device with notifications, and a token of its own.
struct TestPhone {
    let device: TestDevice
    let center: TestReminderCenter
    let number: UInt8
    private let prepare: (inout Configuration) -> Void

    var board: KanbanBoard { device.board }
    /// As Apple gives it.
    var token: Data { Data(repeating: 16 + number, count: 32) }
    var tokenText: String { token.map { String($0, radix: 16) }.joined() }

    /// - Parameter number: below 200.
    init(
        _ number: UInt8, clock: TestClock, in directory: TemporaryDirectory? = nil,
        center: TestReminderCenter? = nil, _ prepare: @escaping (inout Configuration) -> Void = { _ in }
    ) async throws {
        let center = center ?? TestReminderCenter(clock)
        device = try await TestDevice(directory: directory, clock: clock, seed: UInt64(number) + 100) { configuration in
            configuration.reminderCenter = center
            prepare(&configuration)
        }
        self.center = center
        self.number = number
        self.prepare = prepare
    }

    static func on(_ server: NotifyingServer, _ number: UInt8 = 1) async throws -> TestPhone {
        try await TestPhone(number, clock: server.clock) { $0.dependencies.transport = server.local }
    }

    /// The app ends and starts again; its notifications stay.
    func restarted() async throws -> TestPhone {
        await board.close()
        return try await TestPhone(number, clock: device.clock, in: device.directory, center: center, prepare)
    }

    func register() {
        board.reminders.register(token: token, topic: NotifyingServer.topic)
    }

    /// What is scheduled, once every change that was made so far counts.
    func scheduled() async -> [String] {
        await board.reminders.update()
        return center.titles
    }
}
