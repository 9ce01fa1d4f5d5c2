import Crypto
import Kanban

/// The devices of accounts, as far as clients have to do with them.
package final class PushService: Sendable {
    package enum Fault: Error, Hashable, Sendable {
        case noDevice
        /// The account has ``PushDevice/most``.
        case tooManyDevices
        /// The server has no way to such devices.
        case off
        case unknownTopic
        case unknownService
    }

    private let store: any AccessStore
    private let senders: PushSenders
    private let onQueued: @Sendable () -> Void

    /// - Parameter onQueued: called when something was queued.
    package init(store: any AccessStore, senders: PushSenders, onQueued: @escaping @Sendable () -> Void) {
        self.store = store
        self.senders = senders
        self.onQueued = onQueued
    }

    /// The most notifications of an account that may wait when a test is sent: behind more it would not come at once.
    private static let mostTests = 100

    package var topics: [String]? { senders.apns?.topics }
    package var webPushKey: String? { senders.webPush?.publicKey }

    package func devices(of account: AccountKey) async throws -> [PushDevice] {
        try await store.readAccess { try $0.devices(of: account) }
    }

    /// Registers the device, in the place of all others with its target: a new owner of a phone gets no reminders of
    /// the old one.
    /// - Returns: the device, and whether it is new.
    package func put(_ device: PushDevice) async throws -> (device: PushDevice, isNew: Bool) {
        switch device.target {
        case .apns(let target):
            guard let topics else { throw Fault.off }
            guard topics.contains(target.topic) else { throw Fault.unknownTopic }
        case .webPush(let target):
            guard let webPush = senders.webPush else { throw Fault.off }
            guard webPush.services.knows(target.endpoint) else { throw Fault.unknownService }
        }
        return try await store.writeAccess { writer in
            guard try writer.account(device.account) != nil else { throw AccessError.noAccount }
            // It may have ended while the request came: its devices went with it.
            if let session = device.session,
                try !writer.sessions(of: device.account).contains(where: { $0.id == session })
            {
                throw AccessError.sessionEnded
            }
            var new = device
            let old = try writer.device(device.id, of: device.account)
            if let old {
                new.createdAt = old.createdAt
                if old.target == new.target {
                    new.plan = old.plan
                    new.wake = old.wake
                    new.lastSuccessAt = old.lastSuccessAt
                }
            }
            try writer.removeOtherDevices(with: new)
            if old == nil {
                guard try writer.devices(of: device.account).count < PushDevice.most else { throw Fault.tooManyDevices }
            }
            try writer.save(new)
            if try writer.schedule(of: device.account) == nil {
                // Of the past nobody wants to hear; what is to come is looked for at once.
                try writer.save(
                    ReminderSchedule(account: device.account, revision: -1, firedAt: writer.now, nextAt: nil))
            }
            return (new, old == nil)
        }
    }

    package func remove(_ id: ID, of account: AccountKey) async throws {
        guard try await store.writeAccess({ try $0.removeDevice(id, of: account) }) else { throw Fault.noDevice }
    }

    /// Queues a notification that says that notifications arrive.
    package func test(_ id: ID, of account: AccountKey) async throws {
        try await store.writeAccess { writer in
            guard var device = try writer.device(id, of: account) else { throw Fault.noDevice }
            guard try writer.pushCount(of: account) < Self.mostTests else { return }
            // Somebody looks: tell of it even if it was paused.
            if device.isPaused {
                device.isPaused = false
                try writer.save(device)
            }
            try writer.enqueue(PushJob(account: account, device: id, cause: .test, createdAt: writer.now))
        }
        onQueued()
    }

    /// Stores what the device has scheduled by itself; `nil`: nothing. What is due by now goes by what it said before.
    package func plan(_ plan: PushPlan?, for id: ID, of account: AccountKey) async throws -> PushDevice {
        let known = try await store.readAccess { try $0.device(id, of: account) }
        guard let known else { throw Fault.noDevice }
        guard known.plan != plan else { return known }
        try await ReminderPlanner(store: store, zone: senders.zone, clock: senders.clock, onQueued: onQueued)
            .queueDue(of: account)
        return try await store.writeAccess { writer in
            guard var device = try writer.device(id, of: account) else { throw Fault.noDevice }
            if device.plan != plan {
                device.plan = plan
                try writer.save(device)
            }
            return device
        }
    }
}
