import Foundation

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
