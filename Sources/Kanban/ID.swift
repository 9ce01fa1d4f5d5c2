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
        // Native strings give access to their bytes; a bridged one (macOS) is copied.
        guard let id = text.utf8.withContiguousStorageIfAvailable(ID.init(reading:)) ?? ID(ascii: Array(text.utf8)[...])
        else { return nil }
        self = id
    }

    /// Reads the hyphenated form from its bytes.
    package init?(ascii: ArraySlice<UInt8>) {
        guard let id = ascii.withUnsafeBufferPointer(ID.init(reading:)) else { return nil }
        self = id
    }

    /// The same of bytes that are lent.
    // Not generic: every request runs it, and a generic function would be twenty times slower.
    package init?(reading ascii: UnsafeBufferPointer<UInt8>) {
        guard ascii.count == Self.textLength else { return nil }
        let hyphen = UInt8(ascii: "-")
        guard ascii[8] == hyphen, ascii[13] == hyphen, ascii[18] == hyphen, ascii[23] == hyphen else { return nil }
        let text = UnsafeRawBufferPointer(ascii)
        func digits(_ offset: Int, _ other: Int) -> UInt64? {
            // Unsafe bytes, to load four digits at once; all are within the count checked above.
            let first = text.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let second = text.loadUnaligned(fromByteOffset: other, as: UInt32.self)
            return HexDigits(UInt64(UInt32(littleEndian: first)) | UInt64(UInt32(littleEndian: second)) << 32).value
        }
        guard let first = digits(0, 4), let second = digits(9, 14), let third = digits(19, 24),
            let last = digits(28, 32)
        else { return nil }
        self.init(high: first << 32 | second, low: third << 32 | last)
    }

    /// A version 7 UUID: 48 bits of milliseconds, then random bits (RFC 9562 §5.7).
    package init(version7At moment: Timestamp, random: (UInt64, UInt64)) {
        let milliseconds = UInt64(bitPattern: moment.milliseconds) & 0xffff_ffff_ffff
        high = milliseconds << 16 | 0x7000 | random.0 & 0x0fff
        low = 0x8000_0000_0000_0000 | random.1 & 0x3fff_ffff_ffff_ffff
    }
}

extension ID: Comparable {
    /// The order of the bytes, which is the order of the text.
    package static func < (left: ID, right: ID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension ID: CustomStringConvertible {
    package var description: String { description(after: "") }

    /// The id behind these ASCII characters, as in a path.
    package func description(after prefix: StaticString) -> String {
        let length = prefix.utf8CodeUnitCount
        return String(unsafeUninitializedCapacity: length + Self.textLength) { buffer in
            let start = UnsafeMutableBufferPointer(rebasing: buffer[..<length])
            _ = start.initialize(from: UnsafeBufferPointer(start: prefix.utf8Start, count: length))
            write(into: UnsafeMutableBufferPointer(rebasing: buffer[length...]))
            return length + Self.textLength
        }
    }

    package static let textLength = 36

    /// Writes the ``textLength`` characters.
    package func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        precondition(text.count >= Self.textLength, "An id is longer.")
        let text = UnsafeMutableRawBufferPointer(text)
        func write(_ value: UInt64, at offset: Int, _ other: Int) {
            let digits = HexDigits(of: value & 0xffff_ffff).text
            // Unsafe bytes, to store four digits at once; all are within the count checked above.
            text.storeBytes(of: UInt32(truncatingIfNeeded: digits).littleEndian, toByteOffset: offset, as: UInt32.self)
            text.storeBytes(
                of: UInt32(truncatingIfNeeded: digits >> 32).littleEndian, toByteOffset: other, as: UInt32.self)
        }
        write(high >> 32, at: 0, 4)
        write(high, at: 9, 14)
        write(low >> 32, at: 19, 24)
        write(low, at: 28, 32)
        let hyphen = UInt8(ascii: "-")
        (text[8], text[13], text[18], text[23]) = (hyphen, hyphen, hyphen, hyphen)
    }
}
