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

    /// Whether any byte of the range is one of those; asks of every byte, without a branch, so that the compiler makes
    /// it sixteen at a time.
    @inline(__always)
    func contains(in range: Range<Int>, where isOne: (UInt8) -> Bool) -> Bool {
        // Unsafe so that no bound is checked in between; the range is, before.
        withUnsafeBufferPointer { buffer in
            var found: UInt8 = 0
            for byte in UnsafeBufferPointer(rebasing: buffer[range]) { found |= isOne(byte) ? 1 : 0 }
            return found != 0
        }
    }
}

extension UInt8 {
    /// `A`–`Z` made small, everything else as it is.
    var asciiLowercased: UInt8 {
        (0x41...0x5A).contains(self) ? self | 0x20 : self
    }

    var isDigit: Bool { (0x30...0x39).contains(self) }

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
    @inline(__always)
    var isRefusedInTarget: Bool {
        (self &- 0x21 > 0x7E - 0x21) || self == UInt8(ascii: "#") || self == UInt8(ascii: "\\")
    }

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
