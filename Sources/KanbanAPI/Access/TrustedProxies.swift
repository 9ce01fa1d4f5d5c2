import HTTP
import Sockets

/// The proxies whose word is taken for where a request comes from. Everyone else could write any address into the field.
package struct TrustedProxies: Sendable {
    private let addresses: Set<String>

    /// - Parameter addresses: numeric, as `127.0.0.1` or `::1`.
    package init(_ addresses: some Sequence<String> = []) {
        self.addresses = Set(addresses)
    }

    /// Whom the request counts for: the peer, or behind a trusted proxy the last address of `X-Forwarded-For` that is
    /// not a trusted proxy itself. See ``SocketAddress/network``.
    func origin(of head: Request) -> String {
        guard !addresses.isEmpty, isTrusted(head.peer.host), head.headers.has("x-forwarded-for") else {
            return head.peer.network
        }
        let hops = head.headers.values("x-forwarded-for").joined(separator: ",")
            .split(separator: ",").map { String($0.filter { $0 != " " && $0 != "\t" }) }
        guard let client = hops.last(where: { !isTrusted($0) }), Self.isNumeric(client) else {
            return head.peer.network
        }
        return SocketAddress(host: client, port: 0).network
    }

    /// Whether somebody on this machine asks. What a proxy passes on does not count, though it comes from here.
    func isLocal(_ head: Request) -> Bool {
        head.peer.isLoopback && !Self.forwardingFields.contains { head.headers.has($0) }
    }

    private static let forwardingFields = ["x-forwarded-for", "forwarded", "via", "x-real-ip"]

    private func isTrusted(_ host: String) -> Bool {
        let mapped = "::ffff:"
        let plain = host.hasPrefix(mapped) && host.contains(".") ? String(host.dropFirst(mapped.count)) : host
        return addresses.contains(plain)
    }

    private static func isNumeric(_ text: String) -> Bool {
        (2...45).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    true
                default: false
                }
            }
    }
}
