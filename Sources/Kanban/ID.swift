/// A UUID (RFC 9562), the name of every resource. Lower case when written, any case when read.
package struct ID: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the 36 characters of the hyphenated form; `nil` for anything else.
    package init?(_ text: String) {
        // Native strings hand out their bytes; a bridged one (macOS) is copied.
        guard let id = text.utf8.withContiguousStorageIfAvailable(ID.init(reading:)) ?? ID(ascii: Array(text.utf8)[...])
        else { return nil }
        self = id
    }

    /// Reads the hyphenated form from its bytes.
    package init?(ascii: ArraySlice<UInt8>) {
        guard let id = ascii.withUnsafeBufferPointer(ID.init(reading:)) else { return nil }
        self = id
    }

    /// Not generic: this is on the way of every request, and one for all kinds of bytes would be twenty times slower.
    private init?(reading ascii: UnsafeBufferPointer<UInt8>) {
        guard ascii.count == 36 else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for offset in 0..<36 {
            let byte = ascii[offset]
            if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.value(ofHexDigit: byte) else { return nil }
            if offset < 18 {
                halves.high = halves.high << 4 | digit
            } else {
                halves.low = halves.low << 4 | digit
            }
        }
        self.init(high: halves.high, low: halves.low)
    }

    /// A version 7 UUID: 48 bits of milliseconds, then random bits (RFC 9562 §5.7).
    package init(version7At moment: Timestamp, random: (UInt64, UInt64)) {
        let milliseconds = UInt64(bitPattern: moment.milliseconds) & 0xffff_ffff_ffff
        high = milliseconds << 16 | 0x7000 | random.0 & 0x0fff
        low = 0x8000_0000_0000_0000 | random.1 & 0x3fff_ffff_ffff_ffff
    }

    private static func value(ofHexDigit byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension ID: Comparable {
    /// The order of the bytes, which is the order of the text.
    package static func < (left: ID, right: ID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension ID: CustomStringConvertible {
    package var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            write(into: buffer)
            return Self.textLength
        }
    }

    package static let textLength = 36

    /// Writes the ``textLength`` characters.
    package func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        var offset = 0
        for digit in 0..<32 {
            if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
                text[offset] = UInt8(ascii: "-")
                offset += 1
            }
            let half = digit < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - digit % 16 * 4)) & 0xf
            text[offset] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
            offset += 1
        }
    }
}
