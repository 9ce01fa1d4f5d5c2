#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Span<UInt8> {
    /// Where the byte stands first at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        // Unsafe for memchr, the fastest search there is; the pointer does not leave.
        withUnsafeBufferPointer { buffer in
            guard start < buffer.count, let base = buffer.baseAddress,
                let found = memchr(base + start, Int32(byte), buffer.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }

    /// The end of the letters, digits, hyphens and dots of the range, which are nearly all of a name of a field or of a
    /// host; somewhere before it when fewer than eight bytes follow. Byte by byte, names would be a third of reading a field.
    func endOfUsualName(in range: Range<Int>) -> Int {
        // Unsafe to load eight bytes at once; all loads lie within the range, which is checked first.
        withUnsafeBytes { buffer in
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[range])
            var offset = 0
            while offset + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let others = word.bytesUnusualInNames
                if others != 0 { return range.lowerBound + offset + others.trailingZeroBitCount / 8 }
                offset += 8
            }
            return range.lowerBound + offset
        }
    }

    func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { wanted in wanted.indices.allSatisfy { self[$0] == wanted[$0] } }
    }

    /// True if any byte of the range is one of these. Compares eight at a time where there are eight: byte by byte it
    /// is a dozen instructions each, which for the fields of a browser is as much as all the rest of a request.
    ///
    /// - Parameters:
    ///   - mayHoldOne: not 0 when there may be one among eight bytes; then they are asked one by one.
    @inline(__always)
    func contains(
        in range: Range<Int>, where isOne: (UInt8) -> Bool, quickly mayHoldOne: (UInt64) -> UInt64
    ) -> Bool {
        // Unsafe to load eight bytes at once; all loads lie within the range, which is checked first.
        withUnsafeBufferPointer { buffer in
            let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[range])
            var offset = 0
            while offset + 8 <= bytes.count {
                if mayHoldOne(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) != 0,
                    bytes[offset..<offset + 8].contains(where: isOne)
                {
                    return true
                }
                offset += 8
            }
            // Of more than eight, test the last eight again.
            if offset < bytes.count, offset > 0 {
                let last = bytes.count - 8
                return mayHoldOne(bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)) != 0
                    && bytes[last...].contains(where: isOne)
            }
            return bytes[offset...].contains(where: isOne)
        }
    }
}

extension ArraySlice<UInt8> {
    /// True if these are the bytes of the text. For short texts this is quicker than comparing byte by byte.
    package func equals(_ text: String) -> Bool {
        var text = text
        // Unsafe for memcmp; neither pointer leaves, and the counts are compared first.
        return text.withUTF8 { wanted in
            withUnsafeBufferPointer { bytes in
                guard bytes.count == wanted.count else { return false }
                guard let first = bytes.baseAddress, let second = wanted.baseAddress else { return true }
                return memcmp(first, second, bytes.count) == 0
            }
        }
    }

    /// Where the byte stands first. Faster than the generic search, which asks byte by byte.
    package func firstIndex(of byte: UInt8) -> Int? {
        span.firstIndex(of: byte, from: 0).map { startIndex + $0 }
    }

    package func contains(_ byte: UInt8) -> Bool {
        firstIndex(of: byte) != nil
    }

    /// What stands between the separators, the empty pieces left out, as `split` would return it in five times as long.
    package func pieces(separatedBy separator: UInt8) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        // Few texts have more, and an array that grows from nothing is copied three times on its way to as many.
        pieces.reserveCapacity(8)
        var rest = self
        while !rest.isEmpty {
            let end = rest.firstIndex(of: separator) ?? rest.endIndex
            if end > rest.startIndex { pieces.append(rest[..<end]) }
            rest = rest[end...].dropFirst()
        }
        return pieces
    }
}

/// Questions about eight bytes at once: 0 for no, something else for yes. The carries of one byte can make the next
/// ones wrong, but never the answer as a whole.
extension UInt64 {
    private static let each: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// - Parameter bound: at most 128.
    @inline(__always)
    func hasByte(below bound: UInt64) -> UInt64 {
        (self &- Self.each &* bound) & ~self & Self.highBits
    }

    /// - Parameter bound: at most 127.
    @inline(__always)
    func hasByte(above bound: UInt64) -> UInt64 {
        ((self &+ Self.each &* (127 - bound)) | self) & Self.highBits
    }

    @inline(__always)
    func hasByte(_ byte: UInt8) -> UInt64 {
        (self ^ (Self.each &* UInt64(byte))).hasByte(below: 1)
    }

    /// The high bit of each byte that is no letter or digit of ASCII, no hyphen and no dot. Exact for each byte.
    @inline(__always)
    var bytesUnusualInNames: UInt64 {
        // Without their high bits no sum carries into the next byte.
        let low = self & ~Self.highBits
        let lower = low | Self.each &* 0x20
        let letters = (lower &+ Self.each &* 0x1F) & ~(lower &+ Self.each &* 0x05)
        let digits = (low &+ Self.each &* 0x50) & ~(low &+ Self.each &* 0x46)
        let marks = (low &+ Self.each &* 0x53) & ~(low &+ Self.each &* 0x51)
        return (~(letters | digits | marks) | self) & Self.highBits
    }
}

extension UInt8 {
    /// `A`–`Z` made small, everything else as it is.
    var asciiLowercased: UInt8 {
        (0x41...0x5A).contains(self) ? self | 0x20 : self
    }

    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// What a name of a host is made of: letters, digits, `-`, `.`, `_` and `~`.
    var isHostNameCharacter: Bool {
        // One bit a byte, as in `isTokenCharacter`.
        self < 64
            ? (0x03FF_6000_0000_0000 as UInt64) >> UInt64(self) & 1 == 1
            : self < 128 && (0x47FF_FFFE_87FF_FFFE as UInt64) >> UInt64(self - 64) & 1 == 1
    }

    /// The value of a hexadecimal digit, `nil` for any other byte.
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }

    /// What a target may not hold here: control characters, space, bytes above ASCII, a fragment, a backslash.
    var isRefusedInTarget: Bool {
        self < 0x21 || self > 0x7E || self == UInt8(ascii: "#") || self == UInt8(ascii: "\\")
    }

    /// What would end a line of a head.
    var isLineBreak: Bool { self == 0x0D || self == 0x0A || self == 0 }

    /// What a field value may hold (RFC 9110 §5.5): everything but control characters, HTAB allowed.
    @inline(__always)
    var isFieldValueCharacter: Bool {
        (self >= 0x20 && self != 0x7F) || self == 0x09
    }

    /// A `tchar` of RFC 9110 §5.6.2: what methods and field names are made of.
    var isTokenCharacter: Bool {
        // One bit a byte: "!#$%&'*+-." and digits below 64; letters, "^_`|~" above.
        self < 64
            ? (0x03FF_6CFA_0000_0000 as UInt64) >> UInt64(self) & 1 == 1
            : self < 128 && (0x57FF_FFFF_C7FF_FFFE as UInt64) >> UInt64(self - 64) & 1 == 1
    }
}
