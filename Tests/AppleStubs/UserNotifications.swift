// The part of UserNotifications that KanbanClientUI and the pages on it name, to check their types where there is none. As in Apple's
// headers, its classes are not Sendable and none is isolated; completion handlers are Sendable, the content handler of an extension
// is not. Does nothing.
@_exported import AppGroups
import Foundation

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = UNAuthorizationOptions(rawValue: 1)
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
}

open class UNUserNotificationCenter: NSObject {
    // A new one each time, because it may be kept nowhere without a lock: it is not Sendable.
    open class func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
    open func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {}
    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {}
    open func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {}
    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {}
}

open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent
    public let trigger: UNNotificationTrigger?
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }
}

// Its members can only be read, those of the mutable subclass be written.
open class UNNotificationContent: NSObject {
    open var title: String { "" }
    open var body: String { "" }
    open var userInfo: [AnyHashable: Any] { [:] }
    open var sound: UNNotificationSound? { nil }
}

open class UNMutableNotificationContent: UNNotificationContent {
    open override var title: String {
        get { "" }
        set {}
    }
    open override var body: String {
        get { "" }
        set {}
    }
    open override var userInfo: [AnyHashable: Any] {
        get { [:] }
        set {}
    }
    open override var sound: UNNotificationSound? {
        get { nil }
        set {}
    }
}

open class UNNotificationSound: NSObject {
    open class var `default`: UNNotificationSound { UNNotificationSound() }
}

open class UNNotificationTrigger: NSObject {}

open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
    public init(timeInterval: TimeInterval, repeats: Bool) {}
}

open class UNCalendarNotificationTrigger: UNNotificationTrigger {
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {}
}

open class UNNotificationServiceExtension: NSObject {
    public override init() {}
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
}
