import Kanban

/// How far the reminders of an account were queued for its devices. There is one for each account with devices.
package struct ReminderSchedule: Hashable, Sendable {
    package var account: AccountKey
    /// Of the account when ``nextAt`` was computed.
    package var revision: Revision
    /// All reminders up to this instant were queued, and of those at it all up to this identifier.
    package var firedAt: Timestamp
    package var firedID: String
    /// `nil` when none is to come.
    package var nextAt: Timestamp?

    package init(
        account: AccountKey, revision: Revision, firedAt: Timestamp, firedID: String = Self.last, nextAt: Timestamp?
    ) {
        self.account = account
        self.revision = revision
        self.firedAt = firedAt
        self.firedID = firedID
        self.nextAt = nextAt
    }

    /// Behind all identifiers.
    package static let last = "~"
    /// Milliseconds that ``firedAt`` may be ahead of a clock. More: it was written before the clock was set back.
    package static let mostAhead: Int64 = 3_600_000

    /// The schedule as it counts for a clock that may have been set back since: what lies behind is queued, and nothing else.
    fileprivate func seen(at now: Timestamp) -> ReminderSchedule {
        guard firedAt > now.adding(milliseconds: Self.mostAhead) else { return self }
        return ReminderSchedule(account: account, revision: revision, firedAt: now, nextAt: nextAt)
    }

    fileprivate func isBehind(_ item: Upcoming.Item) -> Bool {
        (firedAt, firedID) < (item.fireAt, item.notificationID)
    }
}

/// Queues a notification for each reminder whose time has come and each device that does not show it by itself.
///
/// Nothing is written when a task changes: an account whose revision is not the one of its ``ReminderSchedule`` is looked
/// at again. What is queued and how far it was queued are one transaction, so that a crash neither loses nor repeats any.
package struct ReminderPlanner: Sendable {
    /// The pause between two looks.
    private static let pause = Duration.seconds(1)
    /// The pause after an error of the store.
    private static let rest = Duration.seconds(30)
    /// Accounts that are read at once.
    private static let accounts = 64
    /// Reminders of one transaction, which other writes wait for.
    private static let few = 100
    /// Notifications of one account that may wait; more are dropped.
    private static let mostWaiting = 20_000
    /// A reminder this much in the past counts when it is new, which is a look and the time of a slow request.
    private static let grace: Int64 = 60_000

    private let store: any AccessStore
    private let zone: Zone
    private let clock: @Sendable () -> Timestamp
    private let mayRun: @Sendable () async throws -> Bool
    private let onQueued: @Sendable () -> Void
    private let warn: @Sendable (_ message: String, _ reason: String) -> Void

    /// - Parameters:
    ///   - mayRun: true if this process does the work, if several serve the same accounts.
    ///   - onQueued: called when something was queued.
    package init(
        store: any AccessStore, zone: Zone, clock: @escaping @Sendable () -> Timestamp,
        mayRun: @escaping @Sendable () async throws -> Bool = { true }, onQueued: @escaping @Sendable () -> Void,
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.store = store
        self.zone = zone
        self.clock = clock
        self.mayRun = mayRun
        self.onQueued = onQueued
        self.warn = warn
    }

    /// Looks until the task is cancelled.
    package func run() async {
        await lookAgain(every: Self.pause, afterErrors: Self.rest) {
            try await queueDue()
        } warn: {
            warn("the reminders cannot be read; they are tried again later", $0)
        }
    }

    /// Queues all that is due, unless another server does.
    package func queueDue() async throws {
        guard try await mayRun() else { return }
        var last: AccountKey?
        var faults = AccountFaults()
        while true {
            let (now, after) = (clock(), last)
            let schedules = try await store.readAccess {
                try $0.schedules(dueAt: now, after: after, limit: Self.accounts)
            }
            for schedule in schedules {
                try await faults.during { try await queue(schedule) }
            }
            guard schedules.count == Self.accounts else { break }
            last = schedules.last?.account
        }
        try await wakeDue(&faults)
        try faults.report()
    }

    /// Wakes apps whose plan is still older than a change that it was made before.
    private func wakeDue(_ faults: inout AccountFaults) async throws {
        while true {
            let now = clock()
            var hasProgressed = false
            let devices = try await store.readAccess { try $0.devicesToWake(at: now, limit: Self.accounts) }
            for device in devices {
                try await faults.during {
                    if try await wake(device) { onQueued() }
                    hasProgressed = true
                }
            }
            // Those of damaged accounts come again.
            guard devices.count == Self.accounts, hasProgressed else { return }
        }
    }

    /// - Returns: true if a notification was queued.
    private func wake(_ device: PushDevice) async throws -> Bool {
        try await store.writeAccess { writer in
            guard var device = try writer.device(device.id, of: device.account) else { return false }
            let isWanted = try device.wakes(by: writer.now, in: writer.board(of: device.account))
            try writer.save(device)
            guard isWanted, try writer.pushCount(of: device.account) < Self.mostWaiting else { return false }
            try writer.enqueue(
                PushJob(account: device.account, device: device.id, cause: .wake, createdAt: writer.now))
            return true
        }
    }

    /// Queues all of an account that is due, whichever server does it usually.
    func queueDue(of account: AccountKey) async throws {
        let (schedule, revision) = try await store.readAccess {
            (try $0.schedule(of: account), try $0.board(of: account).feedState().revision)
        }
        guard let schedule, schedule.revision != revision || schedule.nextAt.map({ $0 <= clock() }) ?? false else {
            return
        }
        try await queue(schedule)
    }

    private func queue(_ stored: ReminderSchedule) async throws {
        let (now, zone) = (clock(), zone)
        let schedule = stored.seen(at: now)
        let (items, done, behind) = try await store.readAccess { reader in
            let board = try reader.board(of: schedule.account)
            let settings = try board.settings()
            let moment = Moment(now: now, zone: settings.zone ?? zone)
            let allDayTime = settings.allDayAlarm
            let next = try Upcoming(board, at: moment, limit: 1, allDayTime: allDayTime).items.first
            let written = try reader.lastWrite(of: schedule.account) ?? now
            let items = try Upcoming.fired(
                board, after: Self.start(of: schedule, written: written, at: now), at: moment, allDayTime: allDayTime)
            let done = ReminderSchedule(
                account: schedule.account, revision: try board.feedState().revision,
                firedAt: max(now, schedule.firedAt),
                nextAt: next?.fireAt)
            let behind = try reader.devices(of: schedule.account).filter { try $0.isBehind(in: board) }
            return (items.filter(schedule.isBehind), done, behind.map(\.id))
        }
        var reached = stored
        var rest = items.sorted { ($0.fireAt, $0.notificationID) < ($1.fireAt, $1.notificationID) }[...]
        repeat {
            let some = Array(rest.prefix(Self.few))
            rest = rest.dropFirst(Self.few)
            var next = done
            if !rest.isEmpty, let last = some.last {
                next = reached
                (next.firedAt, next.firedID) = (last.fireAt, last.notificationID)
            }
            let (old, new) = (reached, next)
            let isOurs = try await store.writeAccess {
                try Self.queue(some, from: old, to: new, toWake: behind, in: $0)
            }
            guard isOurs else { return }
            if !some.isEmpty { onQueued() }
            reached = next
        } while !rest.isEmpty
    }

    /// What was expected counts for an hour, also what was to come when the board was written last: the server may have stopped
    /// before it looked. What is new counts for a moment: a reminder that somebody makes for the past, or a task that is
    /// imported, fires nothing.
    private static func start(of schedule: ReminderSchedule, written: Timestamp, at now: Timestamp) -> Timestamp {
        let expected = min(schedule.nextAt?.milliseconds ?? .max, written.milliseconds)
        let start = max(min(expected, now.milliseconds - grace), schedule.firedAt.milliseconds)
        let earliest = (now.milliseconds - PushJob.lifetime.wholeSeconds * 1_000)
        return Timestamp(milliseconds: max(start - 1, earliest))
    }

    /// - Returns: false when another server did it.
    private static func queue(
        _ items: [Upcoming.Item], from old: ReminderSchedule, to new: ReminderSchedule, toWake behind: [ID],
        in writer: any AccessWriter
    ) throws -> Bool {
        guard try writer.schedule(of: old.account) == old else { return false }
        for id in behind {
            guard var device = try writer.device(id, of: old.account), device.wake.dueAt == nil else { continue }
            device.wake.plan(at: writer.now)
            try writer.save(device)
        }
        let devices = try writer.devices(of: old.account).filter { !$0.isPaused }
        // More of one account would fill the disk, and nobody reads that many.
        if !items.isEmpty, !devices.isEmpty, try writer.pushCount(of: old.account) < Self.mostWaiting {
            let board = try writer.board(of: old.account)
            let (settings, feed) = (try board.settings(), try board.feedState())
            for item in items {
                for device in devices where device.plan?.covers(item, settings: settings, feed: feed) != true {
                    try writer.enqueue(
                        PushJob(
                            account: old.account, device: device.id,
                            cause: .reminder(task: item.task.id, item.alarm), createdAt: writer.now))
                }
            }
        }
        try writer.save(new)
        return true
    }
}
