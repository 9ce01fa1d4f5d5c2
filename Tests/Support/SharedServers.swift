import Foundation
import Locks

/// The servers of a test that share a database.
package enum SharedServers {
    /// `KANBASE_TEST_SERVERS`; 0, which is usual: each test has one server over a directory.
    package static let count = ProcessInfo.processInfo.environment["KANBASE_TEST_SERVERS"].flatMap(Int.init) ?? 0

    /// By the port of the first server, those of all that share its database.
    private static let ports = Locked<[UInt16: [UInt16]]>([:])

    /// Notes a server with those that share its database. An earlier server may have had its port.
    package static func note(_ port: UInt16, besides other: UInt16?) {
        ports.withLock { ports in ports[port] = [port] + (other.flatMap { ports[$0] } ?? []) }
    }

    /// The port of a server that shares the database of this one, or its own.
    package static func any(of port: UInt16) -> UInt16 {
        ports.withLock { $0[port]?.randomElement() } ?? port
    }
}
