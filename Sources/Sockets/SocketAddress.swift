/// The address of one end of a connection: IPv4 or IPv6, with a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// Numeric, without brackets: `127.0.0.1`, `::1`.
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package static let loopback = SocketAddress(host: "127.0.0.1", port: 0)

    /// True for 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped to IPv6.
    package var isLoopback: Bool {
        host == "::1" || host.hasPrefix("127.") || host.hasPrefix("::ffff:127.")
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
