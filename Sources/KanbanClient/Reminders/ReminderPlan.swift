import Foundation
import Kanban
import KanbanRows

/// Which reminders a device shows by itself, as far as it knows the board.
struct ReminderPlan: Hashable, Sendable {
    var reminders: [ScheduledReminder]
    /// How far the device has read; `nil` until it has read everything once.
    var cursor: String?
    /// The newest change of the server's that the reminders depend on.
    var newest: Revision
    /// When the plan was made: what was due by then is not in it.
    var from: Timestamp
    /// The first reminder that there was no room for.
    var until: Timestamp?
    /// False where no server shows the rest: then nothing is reported.
    var isShared: Bool

    /// - Parameters:
    ///   - room: how many notifications the system keeps.
    ///   - isShared: True if the server shows the rest.
    init(_ reader: SQLiteBoard, at now: Timestamp, room: Int, isShared: Bool) throws {
        let settings = try reader.settings()
        let moment = try reader.moment(now)
        let items = try Kanban.Upcoming(reader, at: moment, limit: room + 1, allDayTime: settings.allDayAlarm).items
        let end = items.count > room ? items[room].fireAt : nil
        // Of several at one instant all or none, because the plan tells the server no more than that.
        let mine = isShared ? items.prefix { item in end.map { item.fireAt < $0 } ?? true } : items.prefix(room)
        self.isShared = isShared
        until = end
        reminders = mine.map { item in
            ScheduledReminder(
                id: item.notificationID, task: KanbanID(item.task.id), title: item.task.title,
                fireAt: Date(item.fireAt))
        }
        newest = (mine.map(\.task.revision) + [settings.revision]).filter { !$0.isOptimistic }.max() ?? 0
        cursor = try reader.connection.hasCursor ? reader.connection.state(.cursor) : nil
        from = now
    }

    /// True if a server that knows the other plan treats the reminders of this one the same: no report is needed.
    func isCovered(by known: ReminderPlan) -> Bool {
        guard let mine = cursor.flatMap(Place.init), let place = known.cursor.flatMap(Place.init) else { return false }
        return place.epoch == mine.epoch && place.revision >= newest && known.until == until
    }

    /// A cursor, taken apart.
    private struct Place {
        var epoch: Substring
        var revision: Revision

        init?(_ cursor: String) {
            let parts = cursor.split(separator: "-")
            guard parts.count > 1, let revision = Revision(parts[1]) else { return nil }
            epoch = parts[0]
            self.revision = revision
        }
    }
}
