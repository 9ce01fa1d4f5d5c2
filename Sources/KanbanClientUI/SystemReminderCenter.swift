#if canImport(UserNotifications) || KANBAN_APPLE_STUBS
    import Foundation
    import KanbanClient
    import UserNotifications

    /// Apple's notifications of the app, for ``Configuration/reminderCenter``.
    public struct SystemReminderCenter: ReminderCenter {
        public init() {}

        // With closures: what an async call returns here is not Sendable.
        public func pending() async -> (reminders: [ScheduledReminder], others: Int) {
            await withCheckedContinuation { continuation in
                UNUserNotificationCenter.current().getPendingNotificationRequests { requests in
                    let reminders = requests.compactMap { ScheduledReminder($0) }
                    continuation.resume(returning: (reminders, requests.count - reminders.count))
                }
            }
        }

        public func add(_ reminder: ScheduledReminder) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                UNUserNotificationCenter.current().add(reminder.request) { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
        }

        public func remove(_ ids: [ScheduledReminder.ID]) async {
            UNUserNotificationCenter.current().removePendingNotificationRequests(withIdentifiers: ids)
        }
    }

    extension ScheduledReminder {
        fileprivate init?(_ request: UNNotificationRequest) {
            self.init(title: request.content.title, userInfo: request.content.userInfo)
        }

        fileprivate var request: UNNotificationRequest {
            let content = UNMutableNotificationContent()
            content.title = title
            content.sound = .default
            content.userInfo = userInfo
            return UNNotificationRequest(identifier: id, content: content, trigger: trigger)
        }

        /// At a moment, whatever zone the device is in by then. In whole seconds, and never too early.
        private var trigger: UNNotificationTrigger {
            let left = fireAt.timeIntervalSinceNow
            // A second that has begun never comes.
            guard left > 2 else {
                return UNTimeIntervalNotificationTrigger(timeInterval: max(left, 0.1), repeats: false)
            }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let second = Date(timeIntervalSinceReferenceDate: fireAt.timeIntervalSinceReferenceDate.rounded(.up))
            var parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: second)
            parts.calendar = calendar
            parts.timeZone = .gmt
            return UNCalendarNotificationTrigger(dateMatching: parts, repeats: false)
        }
    }

    extension BoardReminders {
        /// Asks the user for permission to show notifications, if they have not decided yet, and schedules what is to come. Call it
        /// where the user sees what it is for.
        /// - Returns: true if they allow it.
        @discardableResult
        public func allow(_ options: UNAuthorizationOptions = [.alert, .sound]) async throws -> Bool {
            let isAllowed = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Bool, any Error>) in
                UNUserNotificationCenter.current().requestAuthorization(options: options) { isAllowed, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: isAllowed)
                    }
                }
            }
            await update()
            return isAllowed
        }

        /// Registers this device for notifications of the server, with the token of
        /// `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
        public func register(token: Data) {
            register(token: token, topic: Bundle.main.bundleIdentifier ?? "")
        }
    }

    /// The notification service extension of an app: puts the task's title, which neither the server nor Apple tell, into the server's
    /// notifications. Name a subclass as the principal class of the extension:
    ///
    /// ```swift
    /// final class NotificationService: ReminderService {
    ///     override var folder: URL? {
    ///         FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.example")?.appending(path: "board")
    ///     }
    /// }
    /// ```
    open class ReminderService: UNNotificationServiceExtension {
        /// The folder of the board, in an App Group.
        open var folder: URL? { nil }

        override open func didReceive(
            _ request: UNNotificationRequest,
            withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            contentHandler(completed(request.content))
        }

        /// The content with the title of its task; as it came where the device does not know the task.
        private func completed(_ content: UNNotificationContent) -> UNNotificationContent {
            guard let folder, let reminder = ScheduledReminder(title: content.title, userInfo: content.userInfo),
                // Without a board the word of the server stays.
                let title = try? ScheduledReminder.title(of: reminder.task, in: folder),
                let completed = content.mutableCopy() as? UNMutableNotificationContent
            else { return content }
            completed.title = title
            return completed
        }
    }
#endif
