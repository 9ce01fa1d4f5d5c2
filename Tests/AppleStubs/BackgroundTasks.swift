// The part of BackgroundTasks that KanbanClientUI names, to check its types where there is none. As in Apple's headers, none of it is
// Sendable, and its handlers are plain closures. Does nothing.
import Dispatch
import Foundation

public class BGTask {
    init() {}
    public var expirationHandler: (() -> Void)?
    public func setTaskCompleted(success: Bool) {}
}

public class BGTaskRequest {
    init() {}
    public var earliestBeginDate: Date?
}

public class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) { super.init() }
}

public class BGTaskScheduler {
    nonisolated(unsafe) public static let shared = BGTaskScheduler()
    public func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool { true }
    public func submit(_ request: BGTaskRequest) throws {}
}
