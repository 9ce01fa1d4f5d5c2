import Kanban

/// A notification that waits until a push service has taken it.
package struct PushJob: QueuedJob {
    /// Pushed until so long after its time.
    static let lifetime: Duration = .seconds(3_600)

    package var number: Int64
    package var account: AccountKey
    package var device: ID
    package var cause: Cause
    package var createdAt: Timestamp
    package var attempts: Int

    package enum Cause: Hashable, Sendable {
        case reminder(task: ID, Alarm)
        /// Says that notifications arrive.
        case test
        /// Shows nothing: the app reads what changed. See ``PushWake``.
        case wake
    }

    package init(
        number: Int64 = 0, account: AccountKey, device: ID, cause: Cause, createdAt: Timestamp, attempts: Int = 0
    ) {
        self.number = number
        self.account = account
        self.device = device
        self.cause = cause
        self.createdAt = createdAt
        self.attempts = attempts
    }

    /// After this time the push is no longer wanted.
    var end: Timestamp {
        if case .reminder(_, let alarm) = cause { alarm.fireAt + Self.lifetime } else { createdAt + Self.lifetime }
    }

    var notificationID: String {
        switch cause {
        case .reminder(let task, let alarm): alarm.notificationID(of: task)
        case .test: "test"
        case .wake: "wake"
        }
    }
}

/// Sends notifications. A job is deleted once a push service has taken or refused it, and an hour after its time.
package struct PushWork: QueuedWork {
    /// A job with what has to be known to send it.
    package struct Delivery: Sendable {
        var job: PushJob
        var device: PushDevice
        /// Of the task.
        var title: String
    }

    let store: any AccessStore
    let senders: PushSenders

    package var words: QueueWords {
        QueueWords(
            unreadable: "the queue of notifications cannot be read; it is tried again later",
            failed: "a push service did not take a notification; it is tried again",
            refused: "a push service refused a notification, which is not tried again",
            givenUp: ("a notification was given up", "no push service took it within an hour"))
    }

    package func due(at now: Timestamp, limit: Int, in reader: any AccessReader) throws -> [PushJob] {
        try reader.pushes(dueAt: now, limit: limit)
    }

    package func nextDue(in reader: any AccessReader) throws -> Timestamp? {
        try reader.nextPushDue()
    }

    package func prepare(_ job: PushJob, in writer: any AccessWriter) throws -> Preparation<Delivery> {
        guard job.end > writer.now else {
            try writer.removePush(job.number, of: job.account)
            return .givenUp
        }
        guard let delivery = try delivery(of: job, in: writer) else {
            try writer.removePush(job.number, of: job.account)
            return .needless
        }
        return try postpone(job, in: writer) ? .made(delivery) : .needless
    }

    package func postpone(_ job: PushJob, in writer: any AccessWriter) throws -> Bool {
        try writer.postponePush(job, until: min(writer.now + job.pause, job.end))
    }

    /// - Returns: `nil` when the push is no longer wanted: the task was done, or moved, or the device shows it.
    private func delivery(of job: PushJob, in writer: any AccessWriter) throws -> Delivery? {
        guard let device = try writer.device(job.device, of: job.account), !device.isPaused,
            senders.canSend(to: device.target), try writer.account(job.account)?.state == .active
        else { return nil }
        guard case .reminder(let id, let alarm) = job.cause else {
            return Delivery(job: job, device: device, title: "")
        }
        let board = try writer.board(of: job.account)
        guard let task = try board.task(id), task.deletedAt == nil, task.status != .done else { return nil }
        let settings = try board.settings()
        let zone = settings.zone ?? senders.zone
        guard task.alarms(in: zone, allDayTime: settings.allDayAlarm).contains(alarm),
            try device.plan?.covers(
                Upcoming.Item(task: task, alarm: alarm), settings: settings, feed: board.feedState())
                != true
        else { return nil }
        return Delivery(job: job, device: device, title: task.title)
    }

    package func deliver(_ delivery: Delivery) async throws -> Verdict {
        let answer: PushAnswer
        do {
            answer = try await senders.send(delivery)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try await note(delivery.device) { $0.lastFailure = .init(at: $1, reason: "\(error)") }
            throw error
        }
        switch answer {
        case .taken(let environment):
            let device = delivery.device
            let isNews = environment != nil || device.lastFailure != nil
            let last = device.lastSuccessAt?.milliseconds ?? 0
            // Not a write for each: a minute is near enough.
            if isNews || senders.clock().milliseconds - last > 60_000 {
                try await note(device) { device, now in
                    device.lastSuccessAt = now
                    device.lastFailure = nil
                    if case .apns(var target) = device.target, let environment {
                        target.environment = environment
                        device.target = .apns(target)
                    }
                }
            }
            return .taken
        case .gone:
            let (account, id) = (delivery.device.account, delivery.device.id)
            let target = delivery.device.target
            try await store.writeAccess { writer in
                // Perhaps the device has registered again meanwhile.
                guard try writer.device(id, of: account)?.target == target else { return }
                _ = try writer.removeDevice(id, of: account)
            }
            return .refused("the device is gone")
        case .refused(let reason, let pauses):
            try await note(delivery.device) { device, now in
                device.lastFailure = .init(at: now, reason: reason)
                if pauses { device.isPaused = true }
            }
            return .refused(reason)
        }
    }

    /// Changes the device as it is now, unless it is gone or has registered again.
    private func note(
        _ device: PushDevice, _ change: @escaping @Sendable (inout PushDevice, Timestamp) -> Void
    ) async throws {
        try await store.writeAccess { writer in
            guard var current = try writer.device(device.id, of: device.account), current.target == device.target
            else { return }
            change(&current, writer.now)
            try writer.save(current)
        }
    }

    package func remove(_ job: PushJob, in writer: any AccessWriter) throws {
        try writer.removePush(job.number, of: job.account)
    }
}

package typealias PushQueue = DurableQueue<PushWork>

extension DurableQueue where Work == PushWork {
    /// - Parameters: see ``init(_:store:clock:mayRun:warn:)``.
    package convenience init(
        store: any AccessStore, senders: PushSenders,
        mayRun: @escaping @Sendable () async throws -> Bool = { true },
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.init(
            PushWork(store: store, senders: senders), store: store, clock: senders.clock, mayRun: mayRun, warn: warn)
    }
}
