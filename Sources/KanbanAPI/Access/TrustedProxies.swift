import HTTP
import Sockets

/// The proxies whose `X-Forwarded-For` is trusted. Anybody else could write any address into the field.
package struct TrustedProxies: Sendable {
    private let blocks: [AddressBlock]

    package init(_ blocks: [AddressBlock] = []) {
        self.blocks = blocks
    }

    /// The client that the limits count: the peer, or behind a trusted proxy the last address in `X-Forwarded-For` that is
    /// not a trusted proxy itself. If all are, a client of the proxies' network asks: the first one.
    package func client(of head: Request) -> SocketAddress {
        guard !blocks.isEmpty, isTrusted(head.peer.host), head.headers.has("x-forwarded-for") else { return head.peer }
        let hops = head.headers.values("x-forwarded-for").flatMap(\.listElements)
        for hop in hops.reversed() {
            guard let address = Self.address(hop) else { return head.peer }
            if !isTrusted(address.host) { return address }
        }
        return hops.first.flatMap(Self.address) ?? head.peer
    }

    /// Some proxies write a port beside the address. Drop it, or each port would count as another client.
    private static func address(_ hop: Substring) -> SocketAddress? {
        SocketAddress(numeric: String(hop)).map { SocketAddress(host: $0.host, port: 0) }
    }

    /// The client's network; see ``SocketAddress/network``.
    func origin(of head: Request) -> String {
        client(of: head).network
    }

    /// True if a trusted proxy passed the request on without the address of its client: then all of its clients count as one.
    package func hidesClient(_ head: Request) -> Bool {
        !blocks.isEmpty && !head.headers.has("x-forwarded-for") && isTrusted(head.peer.host)
    }

    package func isTrusted(_ host: String) -> Bool {
        blocks.contains { $0.contains(host) }
    }
}
