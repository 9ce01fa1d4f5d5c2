// The part of UIKit that KanbanClientUI names, to check its types where there is none. Does nothing.
public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier()
}

@MainActor public class UIApplication {
    public static let shared = UIApplication()
    public enum State: Sendable { case active, inactive, background }
    public var applicationState: State { .active }
    public func beginBackgroundTask(
        withName name: String?, expirationHandler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { .invalid }
    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}
