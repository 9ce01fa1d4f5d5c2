import HTTP
import Sockets

/// The proxies whose `X-Forwarded-For` is trusted. Anybody else could write any address into the field.
package struct TrustedProxies: Sendable {
    private let addresses: Set<String>

    /// - Parameter addresses: numeric, as `127.0.0.1` or `::1`.
    package init(_ addresses: some Sequence<String> = []) {
        self.addresses = Set(addresses.map { SocketAddress(numeric: $0)?.host ?? $0 })
    }

    /// The client's network: of the peer, or behind a trusted proxy of the last address in `X-Forwarded-For` that is
    /// not a trusted proxy itself. See ``SocketAddress/network``.
    func origin(of head: Request) -> String {
        guard !addresses.isEmpty, isTrusted(head.peer.host), head.headers.has("x-forwarded-for") else {
            return head.peer.network
        }
        // Some proxies write a port beside the address. Drop it, or each port would count as another client.
        let hops = head.headers.values("x-forwarded-for").flatMap(\.listElements)
            .map { SocketAddress(numeric: String($0)) }
        guard let client = hops.last(where: { hop in hop.map { !isTrusted($0.host) } ?? true }) ?? nil else {
            return head.peer.network
        }
        return client.network
    }

    /// Whether the client is on this machine. A request through a local proxy does not count.
    func isLocal(_ head: Request) -> Bool {
        head.peer.isLoopback && !Self.forwardingFields.contains { head.headers.has($0) }
    }

    private static let forwardingFields: [StaticString] = ["x-forwarded-for", "forwarded", "via", "x-real-ip"]

    private func isTrusted(_ host: String) -> Bool {
        let mapped = "::ffff:"
        let plain = host.hasPrefix(mapped) && host.contains(".") ? String(host.dropFirst(mapped.count)) : host
        return addresses.contains(plain)
    }
}
