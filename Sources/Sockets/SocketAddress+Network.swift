extension SocketAddress {
    /// The unit for counting clients: an IPv4 address, or the first 64 bits of an IPv6 address, because a client usually has
    /// all 2^64 addresses of such a network.
    package var network: String {
        guard host.utf8.contains(UInt8(ascii: ":")) else { return host }
        let mapped = "::ffff:"
        if host.hasPrefix(mapped), host.contains(".") { return String(host.dropFirst(mapped.count)) }
        // Everything but the zone index of a link-local address, `fe80::1%eth0`.
        let parts = host.prefix { $0 != "%" }.split(separator: "::", omittingEmptySubsequences: false)
        let left = parts[0].split(separator: ":")
        let right = parts.count > 1 ? parts[1].split(separator: ":") : []
        let zeros = [Substring](repeating: "0", count: max(0, 8 - left.count - right.count))
        return (left + zeros + right).prefix(4).joined(separator: ":") + "::/64"
    }
}
