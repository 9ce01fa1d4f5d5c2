import Foundation
import Kanban
import KanbanRows

/// Where the system keeps notifications until their time, and shows them also while the app is closed. `SystemReminderCenter` of
/// KanbanClientUI is Apple's; a test of an app brings its own.
public protocol ReminderCenter: Sendable {
    /// What still waits: the reminders that were added, and how many notifications the app has scheduled besides.
    func pending() async -> (reminders: [ScheduledReminder], others: Int)
    /// Takes the place of one with the same id. One whose time has just passed is shown at once.
    func add(_ reminder: ScheduledReminder) async throws
    func remove(_ ids: [ScheduledReminder.ID]) async
}

/// A reminder as a notification of the device.
public struct ScheduledReminder: Identifiable, Hashable, Sendable {
    /// The same on every device, and of the server's own notification: ``Upcoming/notificationID``.
    public let id: String
    public let task: KanbanID
    public let title: String
    public let fireAt: Date

    public init(id: String, task: KanbanID, title: String, fireAt: Date) {
        self.id = id
        self.task = task
        self.title = title
        self.fireAt = fireAt
    }
}

extension ScheduledReminder {
    /// What a notification carries for the app that is opened by it: the same members as the server's.
    public var userInfo: [String: String] {
        [
            "kind": "reminder", "notificationId": id, "taskId": task.description,
            "fireAt": Timestamp(fireAt).description,
        ]
    }

    /// Reads a notification, the device's own or the server's; `nil` for any other.
    public init?(title: String, userInfo: [AnyHashable: Any]) {
        guard userInfo["kind"] as? String == "reminder", let id = userInfo["notificationId"] as? String,
            let task = (userInfo["taskId"] as? String).flatMap({ KanbanID($0) }),
            let fireAt = (userInfo["fireAt"] as? String).flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        self.init(id: id, task: task, title: title, fireAt: Date(fireAt))
    }

    /// The title of the task as the device knows it, read from the folder of a board without opening it: for the extension that
    /// completes the server's notifications, which know no title. `nil` when the account that is shown has no such task.
    public static func title(of task: KanbanID, in folder: URL) throws -> String? {
        let core = try BoardCore(folder: folder, server: nil, configuration: Configuration())
        return try core.read { try $0.shownTask(task.id)?.title }
    }
}
