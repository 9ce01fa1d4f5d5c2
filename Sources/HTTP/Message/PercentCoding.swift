/// Percent-encoding of targets (RFC 3986 §2.1).
package enum PercentCoding {
    /// The bytes that were meant, or `nil` when a `%` is not followed by two hexadecimal digits.
    ///
    /// - Parameter plusIsSpace: in a query `+` stands for a space (HTML's form encoding).
    package static func decode(
        _ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false
    ) -> [UInt8]? {
        var decoded: [UInt8] = []
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next()?.hexValue, let low = iterator.next()?.hexValue else { return nil }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                decoded.append(UInt8(ascii: " "))
            default:
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// The text that was meant. The parser let nothing malformed through; where it was not asked, as in tests,
    /// what is malformed stays as it is.
    package static func text(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String {
        guard bytes.contains(UInt8(ascii: "%")) || (plusIsSpace && bytes.contains(UInt8(ascii: "+"))) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let decoded = decode(bytes, plusIsSpace: plusIsSpace) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// True if every `%` is well-formed, none stands for NUL, and the decoded bytes are UTF-8.
    static func isWellFormed(_ bytes: Span<UInt8>) -> Bool {
        // Unsafe only to walk the bytes as a sequence; the pointer does not leave.
        guard let decoded = bytes.withUnsafeBufferPointer({ decode($0) }) else { return false }
        return !decoded.contains(0) && String(validating: decoded, as: UTF8.self) != nil
    }
}
