import Foundation
import JSON
import Kanban
import KanbanRows

/// How the reminders of a board reach this device while the app is closed: what it has scheduled as notifications of its own, which
/// needs no network, and the server's notifications of what changed elsewhere since.
///
/// The device reports to the server what it has scheduled, so each reminder comes once.
public struct BoardReminders: Sendable {
    let core: BoardCore

    /// Schedules the reminders as they are now. The board does so by itself with each change; call it when the user has allowed
    /// notifications.
    public func update() async {
        core.isLive ? await core.reminders.scheduleAndReport(of: core) : await core.reminders.schedule(of: core)
    }

    /// Registers this device for notifications of the server, at once or with the next sync, and with every account that logs in.
    /// Call it at each start of the app with the token that Apple gave it, because tokens change. Log-out ends it.
    /// - Parameters:
    ///   - topic: the bundle id of the app.
    ///   - environment: of the entitlement `aps-environment`.
    public func register(token: Data, topic: String, environment: PushEnvironment = .production) {
        let digits = token.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        core.reminders.register(.init(token: digits.joined(), topic: topic, environment: environment))
        guard core.isLive else { return }
        Task { [core] in await core.reminders.scheduleAndReport(of: core) }
    }
}

/// Which of Apple's push services has an app's token: a build from Xcode has the sandbox.
public enum PushEnvironment: String, Hashable, Sendable, CaseIterable, Codable {
    case production, sandbox
}

extension KanbanBoard {
    /// The reminders of this device.
    public nonisolated var reminders: BoardReminders { BoardReminders(core: core) }

    // MARK: - The devices of the account

    /// The devices that the server notifies of reminders while their app is closed.
    public func devices() async throws -> [AccountDevice] {
        let current = try core.read { try $0.connection.state(.device) }.flatMap { KanbanID($0) }
        return try await core.ask(.get("/devices")).items { AccountDevice($0, current: current) }
    }

    /// Sends a notification to the device now.
    public func testDevice(_ id: AccountDevice.ID) async throws {
        try await core.ask { try await $0.finish(.post("/devices/\(id)/test", [:]), with: 202) }
    }

    /// The server no longer notifies the device, until its app starts again and registers.
    public func removeDevice(_ id: AccountDevice.ID) async throws {
        try await core.ask { try await $0.finish(.delete("/devices/\(id)"), with: 204) }
    }
}

/// A device that the server notifies of reminders: an app, or a browser.
public struct AccountDevice: Identifiable, Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case apns
        case webPush = "webpush"
    }

    public let id: KanbanID
    public let kind: Kind
    /// The bundle id of the app; `nil` for a browser.
    public let topic: String?
    public let createdAt, lastSuccessAt: Date?
    /// Why the last notification was not taken, and when.
    public let failure: String?
    public let failedAt: Date?
    /// It is this device.
    public let isCurrent: Bool

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), kind: Kind = .apns, topic: String? = nil, createdAt: Date? = nil,
        lastSuccessAt: Date? = nil, failure: String? = nil, failedAt: Date? = nil, isCurrent: Bool = false
    ) {
        self.id = id
        self.kind = kind
        self.topic = topic
        self.createdAt = createdAt
        self.lastSuccessAt = lastSuccessAt
        self.failure = failure
        self.failedAt = failedAt
        self.isCurrent = isCurrent
    }

    init?(_ json: JSON, current: KanbanID?) {
        guard let id = json.id("id"), let kind = json["kind"]?.stringValue.flatMap(Kind.init(rawValue:)) else {
            return nil
        }
        let failure = json["lastFailure"]
        self.init(
            id: id, kind: kind, topic: json["topic"]?.stringValue, createdAt: json.date("createdAt"),
            lastSuccessAt: json.date("lastSuccessAt"), failure: failure?["reason"]?.stringValue,
            failedAt: failure?.date("at"), isCurrent: id == current)
    }
}

extension BoardCore {
    /// Asks the server about the board that is shown, with an account or without one.
    func ask<Answer: Sendable>(_ ask: (APIClient) async throws -> Answer) async throws -> Answer {
        do {
            return try await ask(client(of: account))
        } catch {
            throw appError(error)
        }
    }

    func ask(_ call: APICall) async throws -> JSON {
        try await ask { try await $0.json(call).json }
    }

    /// Schedules the reminders now and with each change, until the notifier is closed or the task is cancelled.
    func followReminders() -> Task<Void, Never> {
        let (notifier, regions) = (notifier, Set<Region>([.tasks, .settings, .board]))
        return Task { [weak self] in
            while !Task.isCancelled, !notifier.isClosed {
                let version = notifier.version(of: regions)
                await self?.scheduleReminders()
                await notifier.wait(for: regions, after: version)
            }
        }
    }

    private func scheduleReminders() async {
        await reminders.schedule(of: self)
        // While changes come live no sync follows that would report it. The answer is not waited for: the next change is
        // scheduled meanwhile.
        if isLive { Task { await reminders.report(of: self) } }
    }
}
