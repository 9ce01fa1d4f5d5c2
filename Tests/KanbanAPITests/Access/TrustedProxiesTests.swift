import HTTP
import Kanban
import Sockets
import Testing

@testable import KanbanAPI

struct TrustedProxiesTests {
    private func request(from peer: String, _ headers: [(name: String, value: String)]) -> Request {
        Request(
            method: .get, target: "/", headers: Headers(headers), peer: SocketAddress(host: peer, port: 1))
    }

    @Test(arguments: [
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"), ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("::ffff:127.0.0.1", "198.51.100.7", "198.51.100.7"),
        // A client wrote the first itself; the proxy added the last.
        ("127.0.0.1", "10.9.8.7, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "198.51.100.7, 10.0.0.5", "198.51.100.7"),
        ("127.0.0.1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        // A port is no part of who asks.
        ("127.0.0.1", "198.51.100.7:4711", "198.51.100.7"), ("127.0.0.1", "9.9.9.9, 10.0.0.5:1", "9.9.9.9"),
        ("127.0.0.1", "[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"),
        ("127.0.0.1", "[2001:db8::1]", "2001:db8:0:0::/64"),
        ("127.0.0.1", "198.51.100.7:port", "127.0.0.1"), ("127.0.0.1", "198.51.100.700", "127.0.0.1"),
        ("127.0.0.1", "1:2", "127.0.0.1"),
        ("::1", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "unknown", "127.0.0.1"), ("127.0.0.1", "", "127.0.0.1"), ("127.0.0.1", "10.0.0.5", "127.0.0.1"),
    ])
    func `a trusted proxy is believed, and nobody else`(peer: String, field: String, origin: String) {
        let proxies = TrustedProxies(["127.0.0.1", "10.0.0.5", "0:0:0:0:0:0:0:1"])

        #expect(proxies.origin(of: request(from: peer, [("X-Forwarded-For", field)])) == origin)
        #expect(TrustedProxies().origin(of: request(from: "192.0.2.1", [("X-Forwarded-For", field)])) == "192.0.2.1")
    }

    @Test func `what a proxy on this machine passes on is not from this machine`() {
        let proxies = TrustedProxies()

        #expect(proxies.isLocal(request(from: "127.0.0.1", [])))
        #expect(!proxies.isLocal(request(from: "127.0.0.1", [("X-Forwarded-For", "198.51.100.7")])))
        #expect(!proxies.isLocal(request(from: "::1", [("Via", "1.1 proxy")])))
        #expect(!proxies.isLocal(request(from: "192.0.2.1", [])))
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0::/64"),
        ("2001:db8::7", "2001:db8:0:0::/64"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80:0:0:0::/64"), ("1::2:3:4:5:6:7", "1:0:2:3::/64"), ("::2:3:4:5:6:7:8", "0:2:3:4::/64"),
    ])
    func `an IPv6 address counts as its network`(host: String, network: String) {
        #expect(SocketAddress(host: host, port: 0).network == network)
    }
}
