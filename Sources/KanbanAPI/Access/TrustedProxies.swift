import HTTP
import Sockets

/// The proxies whose word is taken for where a request comes from. Everyone else could write any address into the field.
package struct TrustedProxies: Sendable {
    private let addresses: Set<String>

    /// - Parameter addresses: numeric, as `127.0.0.1` or `::1`.
    package init(_ addresses: some Sequence<String> = []) {
        self.addresses = Set(addresses.map { SocketAddress(numeric: $0)?.host ?? $0 })
    }

    /// Whom the request counts for: the peer, or behind a trusted proxy the last address of `X-Forwarded-For` that is
    /// not a trusted proxy itself. See ``SocketAddress/network``.
    func origin(of head: Request) -> String {
        guard !addresses.isEmpty, isTrusted(head.peer.host), head.headers.has("x-forwarded-for") else {
            return head.peer.network
        }
        // Without the port that some proxies write beside it: each would count as a client of its own.
        let hops = head.headers.values("x-forwarded-for").flatMap(\.listElements)
            .map { SocketAddress(numeric: String($0)) }
        guard let client = hops.last(where: { hop in hop.map { !isTrusted($0.host) } ?? true }) ?? nil else {
            return head.peer.network
        }
        return client.network
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
}
