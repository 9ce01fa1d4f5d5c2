// The part of BackgroundTasks that KanbanClientUI names, to check its types where there is none. Does nothing.
import Dispatch
import Foundation

/// Unchecked: it does nothing.
public class BGTask: @unchecked Sendable {
    public var expirationHandler: (() -> Void)?
    public func setTaskCompleted(success: Bool) {}
}

public class BGTaskRequest {
    public var earliestBeginDate: Date?
}

public final class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) {}
}

public final class BGTaskScheduler: Sendable {
    public static let shared = BGTaskScheduler()
    public func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping @Sendable (BGTask) -> Void
    ) -> Bool { true }
    public func submit(_ request: BGTaskRequest) throws {}
}
