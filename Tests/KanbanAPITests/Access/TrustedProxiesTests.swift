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
        // A port is not part of the client's address.
        ("127.0.0.1", "198.51.100.7:4711", "198.51.100.7"), ("127.0.0.1", "9.9.9.9, 10.0.0.5:1", "9.9.9.9"),
        ("127.0.0.1", "[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"),
        ("127.0.0.1", "[2001:db8::1]", "2001:db8:0:0::/64"),
        ("127.0.0.1", "198.51.100.7:port", "127.0.0.1"), ("127.0.0.1", "198.51.100.700", "127.0.0.1"),
        ("127.0.0.1", "1:2", "127.0.0.1"),
        ("::1", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "unknown", "127.0.0.1"), ("127.0.0.1", "", "127.0.0.1"),
        // A client in the network of the proxies.
        ("127.0.0.1", "10.0.0.5", "10.0.0.5"), ("127.0.0.1", "10.0.0.5, 127.0.0.1", "10.0.0.5"),
    ])
    func `a trusted proxy is believed, and nobody else`(peer: String, field: String, origin: String) {
        let proxies = TrustedProxies(["127.0.0.1", "10.0.0.5", "0:0:0:0:0:0:0:1"].compactMap { AddressBlock($0) })

        #expect(proxies.origin(of: request(from: peer, [("X-Forwarded-For", field)])) == origin)
        #expect(TrustedProxies().origin(of: request(from: "192.0.2.1", [("X-Forwarded-For", field)])) == "192.0.2.1")
    }

    @Test(arguments: [
        ("172.18.0.0/16", "172.18.255.3", true), ("172.18.0.0/16", "::ffff:172.18.0.2", true),
        ("172.18.0.0/16", "172.19.0.2", false), ("172.18.0.5/16", "172.18.9.9", true),
        ("10.0.0.0/31", "10.0.0.1", true), ("10.0.0.0/31", "10.0.0.2", false), ("0.0.0.0/0", "203.0.113.9", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("fd00::/8", "fdff::7", true), ("fd00::/8", "fe00::7", false),
        ("2001:db8::/64", "2001:db8::ffff:0:0:1", true), ("2001:db8::/65", "2001:db8::8000:0:0:1", false),
        ("::/0", "2001:db8::1", true), ("fe80::/10", "fe80::1%eth0", true), ("::1", "::1", true), ("::1", "::2", false),
        ("192.0.2.1/32", "192.0.2.1", true), ("192.0.2.1/32", "192.0.2.2", false),
    ])
    func `a network of proxies is trusted, and nothing beside it`(block: String, peer: String, isTrusted: Bool) throws {
        let proxies = TrustedProxies([try #require(AddressBlock(block))])

        let origin = proxies.origin(of: request(from: peer, [("X-Forwarded-For", "198.51.100.7")]))
        #expect((origin == "198.51.100.7") == isTrusted, "\(origin)")
        #expect(proxies.hidesClient(request(from: peer, [])) == isTrusted)
        #expect(!proxies.hidesClient(request(from: peer, [("X-Forwarded-For", "")])))
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0/8", "::/129",
        "proxy",
        "10.0.0.1:80", "[::1]", "::1/ 8", "10.0.0.0/99999999999999999999",
    ])
    func `what is no network is refused`(text: String) {
        #expect(AddressBlock(text) == nil)
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
