// The part of Network that KanbanClient names, to check its types where there is none. The monitor is not Sendable, as in SDKs before
// that of iOS 18. Does nothing.
import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { .satisfied }
}

public final class NWPathMonitor {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
