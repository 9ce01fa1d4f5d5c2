/// The authority of a Host field or an absolute target: `host [":" port]` (RFC 9110 §7.2, RFC 3986 §3.2).
///
/// Narrower than the grammar of RFC 3986: no user info, no percent-encoding and no sub-delimiters, which no name of a
/// host on the Internet has.
enum HostSyntax {
    /// The length of the host within the authority, brackets included; `nil` when it is malformed.
    static func hostLength(_ bytes: Span<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return nil }
        guard let hostEnd = bytes[0] == UInt8(ascii: "[") ? literalEnd(bytes) : nameEnd(bytes) else { return nil }
        guard hostEnd < bytes.count else { return hostEnd }
        guard bytes[hostEnd] == UInt8(ascii: ":"), isPort(bytes.extracting((hostEnd + 1)...)) else { return nil }
        return hostEnd
    }

    private static func nameEnd(_ bytes: Span<UInt8>) -> Int? {
        var index = bytes.endOfUsualName(in: 0..<bytes.count)
        while index < bytes.count, bytes[index].isHostNameCharacter { index += 1 }
        if index == bytes.count { return index }
        return index > 0 && bytes[index] == UInt8(ascii: ":") ? index : nil
    }

    /// The end of `[IPv6]`.
    private static func literalEnd(_ bytes: Span<UInt8>) -> Int? {
        var index = 1
        var hasColon = false
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "]") { return hasColon && index > 3 ? index : nil }
            if byte == UInt8(ascii: ":") { hasColon = true }
            guard byte.hexValue != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") else { return nil }
        }
        return nil
    }

    private static func isPort(_ bytes: Span<UInt8>) -> Bool {
        guard (1...5).contains(bytes.count) else { return false }
        var port = 0
        for index in bytes.indices {
            guard bytes[index].isDigit else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
        }
        return port <= 65535
    }
}
