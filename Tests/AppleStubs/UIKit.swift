// The part of UIKit that KanbanClientUI names, to check its types where there is none. Does nothing.
public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier()
}

@MainActor public final class UIApplication {
    public static let shared = UIApplication()
    public func beginBackgroundTask(
        withName name: String?, expirationHandler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { .invalid }
    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}
