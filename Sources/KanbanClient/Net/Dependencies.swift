import Foundation
import Kanban

/// Clock, randomness, network and file system. Tests replace them.
package struct Dependencies: Sendable {
    package var now: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
    package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    /// Throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    package var transport: any Transport = Self.systemTransport
    /// Calls the closure when there may be a way to the server again, as long as what it returns is kept; `nil` where nobody tells.
    package var watchPath: (@Sendable (@escaping @Sendable () -> Void) -> any Sendable)? = Self.systemPath
    /// The SQLite file system; `nil` is the system's.
    package var fileSystem: String?

    package init() {}

    private static var systemPath: (@Sendable (@escaping @Sendable () -> Void) -> any Sendable)? {
        #if canImport(Network)
            { PathMonitor($0) }
        #else
            nil
        #endif
    }

    private static var systemTransport: any Transport {
        #if os(Linux)
            CurlTransport.shared
        #else
            URLSessionTransport.shared
        #endif
    }
}
