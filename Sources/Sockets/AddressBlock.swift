#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A block of addresses, as `172.18.0.0/16` or `fd00::/8`, or a single address (RFC 4632 §3.1, RFC 4291 §2.3).
package struct AddressBlock: Hashable, Sendable {
    private let prefix: Bits
    private let length: Int

    /// `nil` for anything else. Bits behind the prefix do not count: `172.18.0.5/16` is the block around that address.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let bits = Bits(parts[0]) else { return nil }
        let most = parts[0].contains(":") ? 128 : 32
        var length = most
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]), given <= most
            else { return nil }
            length = given
        }
        self.length = length + 128 - most
        prefix = bits.prefix(self.length)
    }

    /// - Parameter host: numeric, perhaps with the zone index of a link-local address, `fe80::1%eth0`.
    package func contains(_ host: String) -> Bool {
        guard let bits = Bits(host.prefix { $0 != "%" }) else { return false }
        return bits.prefix(length) == prefix
    }

    /// The bits of an address. One of IPv4 has its IPv6 form, so `::ffff:127.0.0.1` is 127.0.0.1 (RFC 4291 §2.5.5.2).
    private struct Bits: Hashable {
        var high: UInt64
        var low: UInt64

        init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        init?(_ text: Substring) {
            if text.contains(":") {
                var address = in6_addr()
                guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
                // Copied: the bytes live for the call only.
                (high, low) = withUnsafeBytes(of: address) {
                    ($0.load(as: UInt64.self).bigEndian, $0.load(fromByteOffset: 8, as: UInt64.self).bigEndian)
                }
            } else {
                var address = in_addr()
                guard inet_pton(AF_INET, String(text), &address) == 1 else { return nil }
                (high, low) = (0, 0xffff_0000_0000 | UInt64(UInt32(bigEndian: address.s_addr)))
            }
        }

        func prefix(_ length: Int) -> Bits {
            // A shift by all 64 bits gives 0.
            Bits(high: high & ~(UInt64.max >> min(length, 64)), low: low & ~(UInt64.max >> max(0, length - 64)))
        }
    }
}
