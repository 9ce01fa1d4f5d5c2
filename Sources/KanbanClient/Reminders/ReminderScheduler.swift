import Foundation
import JSON
import Kanban
import KanbanRows
import Locks

/// Keeps the notifications of the system as the board has its reminders, and reports to the server which of them the device
/// shows by itself, so that it sends only the others.
///
/// Scheduling needs no network and never waits for it. Reports follow each sync, and each change while changes come live.
actor ReminderScheduler {
    /// How this device is registered for notifications of the server.
    struct Registration: Hashable, Sendable {
        var token: String
        var topic: String
        var environment: PushEnvironment
    }

    /// What was reported to the server, of which board.
    private struct Reported {
        var replica: Replica
        var registration: Registration?
        /// The server does not know the device, or has no way to it: nothing more is reported until another token comes.
        var isRefused = false
        /// `nil` until a plan, or that there is none, was reported.
        var plan: ReminderPlan??
    }

    /// The system may not have shown yet what was due this long ago (ms).
    private static let lateness: Int64 = 60_000
    private static let timeout = Duration.seconds(10)

    private let center: (any ReminderCenter)?
    private let registration = Locked<Registration?>(nil)
    private let scheduling = CoalescedWork()
    private let reporting = CoalescedWork()
    /// What is scheduled, of which board; no plan where not all of it could be added.
    private var scheduled: (replica: Replica, plan: ReminderPlan?)?
    private var reported: Reported?

    init(center: (any ReminderCenter)?) {
        self.center = center
    }

    nonisolated func register(_ new: Registration) {
        registration.withLock { $0 = new }
    }

    /// Schedules the reminders as they are now. Calls at the same time share the work.
    func schedule(of core: BoardCore) async {
        await scheduling.run { [self] in await scheduleNow(core) }
    }

    /// Registers the device, and reports what it has scheduled, unless the server knows.
    func report(of core: BoardCore) async {
        await reporting.run { [self] in await reportNow(core) }
    }

    func scheduleAndReport(of core: BoardCore) async {
        await schedule(of: core)
        await report(of: core)
    }

    /// Returns when nothing is under way.
    func settle() async {
        await reporting.settle()
        await scheduling.settle()
    }

    /// True if the server knows a plan that was made with this cursor.
    func hasReported(upTo cursor: String) -> Bool {
        if case .some(.some(let plan)) = reported?.plan { plan.cursor == cursor } else { false }
    }

    // MARK: - The notifications of the system

    private func scheduleNow(_ core: BoardCore) async {
        guard let center, !core.isClosed else { return }
        let replica = core.replica
        let (known, others) = await center.pending()
        let now = core.dependencies.now()
        let plan: ReminderPlan
        do {
            let room = max(Kanban.Upcoming.mostScheduled - others, 0)
            // Also in the app, which makes a widget's edit later than it schedules.
            let isShared = try isShared(replica)
            plan = try replica.readWithQueue { try ReminderPlan($0, at: now, room: room, isShared: isShared) }
        } catch {
            // What is scheduled stays. When the disk fails, the lists show the error; when another board took the place of this one,
            // that is scheduled next.
            core.log(LogEvent(code: "reminders.failed"))
            return
        }
        let wanted = Dictionary(plan.reminders.map { ($0.id, $0) }) { first, _ in first }
        // First, because the system keeps a limited number.
        let gone = known.filter { wanted[$0.id] == nil && !Self.isDue($0, at: now) }
        if !gone.isEmpty { await center.remove(gone.map(\.id)) }
        let kept = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        let new = plan.reminders.filter { kept[$0.id] != $0 }
        var isWhole = true
        for reminder in new {
            do {
                try await center.add(reminder)
            } catch {
                isWhole = false
                core.log(LogEvent(code: "reminders.refused"))
                break
            }
        }
        if !new.isEmpty || !gone.isEmpty { core.log(LogEvent(code: "reminders.scheduled", count: wanted.count)) }
        scheduled = (replica, isWhole ? plan : nil)
    }

    /// True if a server may send this device the reminders for which there is no room.
    private func isShared(_ replica: Replica) throws -> Bool {
        guard let registration = registration.withLock({ $0 }) else { return try replica.knownDeviceID() != nil }
        guard let reported, reported.replica === replica, reported.registration == registration else { return true }
        return !reported.isRefused
    }

    /// True for one that the system is about to show.
    private static func isDue(_ reminder: ScheduledReminder, at now: Timestamp) -> Bool {
        let fireAt = Timestamp(reminder.fireAt)
        return fireAt <= now && fireAt.milliseconds > now.milliseconds - lateness
    }

    // MARK: - The server

    private func reportNow(_ core: BoardCore) async {
        let shown = core.shown
        guard !core.isClosed, !shown.replica.isReadOnly else { return }
        if reported?.replica !== shown.replica { reported = Reported(replica: shown.replica) }
        do {
            let client = try core.client(of: shown.account)
            try await register(client, shown.replica, core)
            try await report(client, shown.replica)
        } catch {
            core.log(LogEvent(Failure(caught: error), code: "device.failed"))
        }
        if reported?.isRefused == true, scheduled?.plan?.isShared == true { await schedule(of: core) }
    }

    private func register(_ client: APIClient, _ replica: Replica, _ core: BoardCore) async throws {
        guard let wanted = registration.withLock({ $0 }), reported?.registration != wanted else { return }
        let id = try await replica.deviceID()
        var call = APICall.put(
            "/devices/\(id)",
            [
                "kind": "apns", "token": .string(wanted.token), "topic": .string(wanted.topic),
                "environment": .string(wanted.environment.rawValue),
                "locale": .string(Language.preferred.rawValue),
            ])
        call.timeout = Self.timeout
        do {
            _ = try await client.json(call)
            reported?.isRefused = false
            core.log(LogEvent(code: "device.registered"))
        } catch Failure.problem(let problem) where [404, 422].contains(problem.status) {
            // The server notifies nobody, or no such app, or no more devices: it would say so again.
            reported?.isRefused = true
            core.log(LogEvent(.problem(problem), code: "device.refused"))
        }
        reported?.registration = wanted
        // A plan may be gone with an earlier token.
        reported?.plan = nil
    }

    private func report(_ client: APIClient, _ replica: Replica) async throws {
        guard let reported, !reported.isRefused, let id = try replica.knownDeviceID() else { return }
        var plan: ReminderPlan?
        if let scheduled {
            // Of the board that was shown before: the next call reports this one.
            guard scheduled.replica === replica, scheduled.plan?.isShared != false else { return }
            plan = scheduled.plan?.cursor == nil ? nil : scheduled.plan
        }
        switch (reported.plan, plan) {
        case (nil, _): break
        case (.some(nil), nil): return
        case (.some(let known?), let plan?): if plan.isCovered(by: known) { return }
        default: break
        }
        var call = APICall.patch("/devices/\(id)", plan?.json ?? ["planned": .null])
        call.timeout = Self.timeout
        // Without an answer the server may have this plan or the one before.
        self.reported?.plan = nil
        do {
            _ = try await client.json(call)
            self.reported?.plan = .some(plan)
        } catch Failure.problem(let problem) where problem.status == 404 {
            // It went with its session, or its owner removed it. It registers again with the next start of the app.
            self.reported?.isRefused = true
        }
    }
}

extension ReminderPlan {
    /// The body of `PATCH /devices/{id}`.
    fileprivate var json: JSON {
        .given(
            ("planned", cursor.map { .string($0) }), ("from", .string(from.description)),
            ("until", until.map { .string($0.description) }))
    }
}

extension Replica {
    /// The id of this device for the server's notifications; `nil` as long as it never registered for them.
    fileprivate func knownDeviceID() throws -> KanbanID? {
        try read { try $0.connection.state(.device) }.flatMap { KanbanID($0) }
    }

    /// Stays the same as long as the board is on the device. On disk before it is sent, so that a lost answer makes no second device.
    fileprivate func deviceID() async throws -> KanbanID {
        if let known = try knownDeviceID() { return known }
        let new = KanbanID()
        try await write { try $0.setState(.device, new.description) }
        return new
    }
}

/// Work that is done once for all who want it at the same time: what is wanted while it runs is done once more after that.
private actor CoalescedWork {
    private var running: Task<Void, Never>?
    private var next: Task<Void, Never>?

    /// Returns when work that began after this call is done.
    func run(_ work: @escaping @Sendable () async -> Void) async {
        if let next { return await next.value }
        let before = running
        let task = Task {
            await before?.value
            begin()
            await work()
        }
        next = task
        await task.value
    }

    private func begin() {
        running = next
        next = nil
    }

    func settle() async {
        await (next ?? running)?.value
    }
}
