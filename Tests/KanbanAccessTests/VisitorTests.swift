import KanbanAccess
import Testing

struct VisitorTests {
    @Test(
        arguments: [
            ("192.0.2.77", "192.0.2.0/24"), ("fe80:0:0:0::/64", "fe80:0:0::/48"),
            ("2001:db8:1:2::/64", "2001:db8:1::/48"), ("2001:db8::/64", "2001:db8:0::/48"),
            ("2001::/64", "2001:0:0::/48"), ("::/64", "0:0:0::/48"), ("", nil),
        ] as [(String, String?)])
    func `a network is an address without its host part`(origin: String, network: String?) {
        #expect(Visitor(origin: origin).network == network)
    }
}
