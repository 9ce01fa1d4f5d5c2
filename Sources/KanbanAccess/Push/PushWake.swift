import Kanban

/// When the server wakes the app of a device, in the background, to read what changed elsewhere.
///
/// Apple delivers few of these and drops some, so what they bring is only sooner: a reminder that the plan of the device does not
/// have is sent as an alert. Changes are gathered, and a device is woken at most twice an hour.
package struct PushWake: Hashable, Sendable {
    /// Changes of one moment, of which the device may have made some itself: then it reads the rest and reports its plan.
    private static let gathering = Duration.seconds(15)
    private static let pause = Duration.seconds(1_800)

    /// `nil` when nothing changed that it does not know.
    package var dueAt: Timestamp?
    package var sentAt: Timestamp?
    /// Of the account when it was woken last, or for nothing looked at: it is not woken for the same twice.
    package var revision: Revision

    package init(dueAt: Timestamp? = nil, sentAt: Timestamp? = nil, revision: Revision = 0) {
        self.dueAt = dueAt
        self.sentAt = sentAt
        self.revision = revision
    }

    mutating func plan(at now: Timestamp) {
        dueAt = max(now + Self.gathering, sentAt.map { $0 + Self.pause } ?? now)
    }
}

extension PushDevice {
    /// True if the device reports plans, and something that they are made of changed since through another device: a
    /// device that made the change itself has read it soon after.
    func isBehind(in board: any BoardReader) throws -> Bool {
        guard case .apns = target, !isPaused, wake.dueAt == nil, let plan else { return false }
        return try plan.isOutdated(since: wake.revision, in: board)
    }

    /// True if the device is to be woken now, which is noted in it; otherwise it has read everything meanwhile.
    mutating func wakes(by now: Timestamp, in board: any BoardReader) throws -> Bool {
        wake.dueAt = nil
        guard !isPaused, let plan, try plan.isOutdated(since: wake.revision, in: board) else { return false }
        wake.revision = try board.feedState().revision
        wake.sentAt = now
        return true
    }
}

extension PushPlan {
    /// More changes are not looked at one by one.
    private static let mostChanges = 200

    /// True if `/upcoming` or `/today` may have changed since the plan was made.
    /// - Parameter revision: what changed up to it does not count.
    fileprivate func isOutdated(since revision: Revision, in board: any BoardReader) throws -> Bool {
        // Of another history, all of it is news.
        guard try board.feedState().epoch == epoch else { return true }
        let since = max(self.revision, revision)
        let changes = try board.changes(
            since: since, types: [.task, .dday, .settings], livingOnly: false, limit: Self.mostChanges)
        return try changes.count == Self.mostChanges || changes.contains { try $0.concerns(board, since: since) }
    }
}

extension Change {
    /// True if a notification or a widget shows the change, or showed it before.
    fileprivate func concerns(_ board: any BoardReader, since: Revision) throws -> Bool {
        switch value {
        case .task(let task):
            // Without a due date it shows nowhere, unless it had one.
            if task.changed(.dueDate, .reminders, since: since) { return true }
            return task.isTimed && task.changed(.title, .status, since: since)
        case .deleted:
            guard type == .task, let id else { return true }
            return try board.task(id).map { $0.isTimed || $0.changed(.dueDate, .reminders, since: since) } ?? true
        case .settings(let settings):
            return settings.changed(["timeZone", "allDayTime"], since: since)
        case .dday: return true
        case .category, .image: return false
        }
    }
}

extension TaskItem {
    fileprivate var isTimed: Bool { dueDate != nil || reminders?.triggers.isEmpty == false }

    fileprivate func changed(_ members: TaskMember..., since: Revision) -> Bool {
        members.contains { memberRevisions[$0] > since }
    }
}

extension Settings {
    fileprivate func changed(_ names: Set<String>, since: Revision) -> Bool {
        Self.members.indices.contains { names.contains(Self.members[$0].text) && memberRevisions[$0] > since }
    }
}
