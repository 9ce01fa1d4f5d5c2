import Kanban

/// When an account gets its next mail of what is due.
package struct DigestSchedule: Hashable, Sendable {
    package var account: AccountKey
    /// Of the settings by which it was planned.
    package var revision: Revision
    package var nextAt: Timestamp
    /// The day of the last one, in the user's zone: there is one a day.
    package var sentOn: Day?

    package init(account: AccountKey, revision: Revision, nextAt: Timestamp, sentOn: Day?) {
        self.account = account
        self.revision = revision
        self.nextAt = nextAt
        self.sentOn = sentOn
    }
}

/// Queues the mails of what is due: for each account whose settings have a `digest`, one a day at that time.
///
/// The mail and the time of the next are one transaction. One that could not go at its time, because the server was down or
/// the address had the most mails of an hour, goes later on the same day.
package struct DigestPlanner: Sendable {
    /// The pause between two looks, and after an error of the store.
    private static let pause = Duration.seconds(10)
    private static let rest = Duration.seconds(60)
    /// How long an address that had the most mails of an hour is left alone.
    private static let delay = Duration.seconds(600)
    /// Accounts that are read at once.
    private static let accounts = 64

    private let accounts: AccessService
    private let zone: Zone
    private let mayRun: @Sendable () async throws -> Bool
    private let warn: @Sendable (_ message: String, _ reason: String) -> Void

    /// - Parameters:
    ///   - zone: of accounts that have chosen none.
    ///   - mayRun: true if this process does the work, if several serve the same accounts.
    package init(
        accounts: AccessService, zone: Zone, mayRun: @escaping @Sendable () async throws -> Bool = { true },
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.accounts = accounts
        self.zone = zone
        self.mayRun = mayRun
        self.warn = warn
    }

    /// Looks until the task is cancelled. Returns at once where mail is off.
    package func run() async {
        guard accounts.isMailOn else { return }
        await lookAgain(every: Self.pause, afterErrors: Self.rest) {
            try await queueDue()
        } warn: {
            warn("the mails of what is due cannot be queued; they are tried again later", $0)
        }
    }

    /// Queues all that is due, unless another server does.
    package func queueDue() async throws {
        guard try await mayRun() else { return }
        var last: AccountKey?
        var faults = AccountFaults()
        while true {
            let (now, after) = (accounts.clock(), last)
            let due = try await accounts.store.readAccess {
                try $0.digests(dueAt: now, after: after, limit: Self.accounts)
            }
            for (account, schedule) in due {
                try await faults.during { try await plan(account, schedule, at: now) }
            }
            guard due.count == Self.accounts else { break }
            last = due.last?.0
        }
        try faults.report()
    }

    private func plan(_ account: AccountKey, _ old: DigestSchedule?, at now: Timestamp) async throws {
        let zone = zone
        // Counted beside the writes of others.
        let plan = try await accounts.store.readAccess { reader -> (DigestSchedule, isWanted: Bool)? in
            let board = try reader.board(of: account)
            let settings = try board.settings()
            let moment = Moment(now: now, zone: settings.zone ?? zone)
            guard let time = settings.digest.flatMap(TimeOfDay.milliseconds) else { return nil }
            var new = DigestSchedule(
                account: account, revision: settings.revision, nextAt: moment.next(time), sentOn: old?.sentOn)
            // What was put off comes also after other settings were changed.
            if let old, old.nextAt > now, old.nextAt <= now + Self.delay, old.sentOn != moment.today,
                moment.instant(of: time, on: moment.today) <= now
            {
                new.nextAt = old.nextAt
            }
            // A plan of an earlier day counts if only the server was away since. Also by the time that the settings have now: it
            // may be later than the one of the plan.
            guard let old, old.nextAt <= now,
                moment.zone.day(of: old.nextAt) == moment.today || old.revision == settings.revision,
                moment.instant(of: time, on: moment.today) <= now, old.sentOn != moment.today
            else { return (new, false) }
            new.sentOn = moment.today
            let count = try board.countTasks(.overdue(at: moment)) + board.countTasks(.dueToday(at: moment))
            return (new, count > 0)
        }
        guard let (new, isWanted) = plan else { return }
        let isQueued = try await accounts.store.writeAccess { [accounts] writer in
            guard try writer.digest(of: account) == old else { return false }
            var new = new
            var isQueued = false
            if isWanted, let owner = try writer.account(account), owner.state == .active {
                isQueued = try accounts.mail(.digest, to: owner, about: nil, in: writer)
                // Not without an address that is proven: then nothing comes later, either.
                if !isQueued, owner.isEmailVerified {
                    (new.sentOn, new.nextAt) = (old?.sentOn, writer.now + Self.delay)
                }
            }
            try writer.save(new)
            return isQueued
        }
        if isQueued { accounts.wakeMailQueue() }
    }
}

extension Moment {
    /// - Parameter time: milliseconds after midnight.
    fileprivate func instant(of time: Int64, on day: Day) -> Timestamp {
        DueDate.day(day).alarm(in: zone, allDayTime: time)
    }

    /// The first instant from now on with this time of day in the user's zone.
    /// - Parameter time: milliseconds after midnight.
    fileprivate func next(_ time: Int64) -> Timestamp {
        var day = today
        while true {
            let instant = instant(of: time, on: day)
            if instant > now { return instant }
            day = day.adding(days: 1)
        }
    }
}
