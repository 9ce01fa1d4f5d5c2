/// Bytes as text (RFC 4648 §4).
enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The six bits of each letter, by byte; 64 for other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        let length = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: length) { text in
            var place = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let count = min(3, bytes.count - start)
                var word = UInt32(bytes[start]) << 16
                if count > 1 { word |= UInt32(bytes[start + 1]) << 8 }
                if count > 2 { word |= UInt32(bytes[start + 2]) }
                for letter in 0..<4 {
                    text[place] = letter > count ? padding : letters[Int(word >> UInt32(18 - 6 * letter) & 63)]
                    place += 1
                }
            }
            return length
        }
    }

    /// Decodes whole groups of four letters, the last one padded; `nil` for any other text.
    static func decode(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count.isMultiple(of: 4) else { return nil }
        let padded = text.suffix(2).count { $0 == padding }
        guard padded < 2 || text.last == padding else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var word: UInt32 = 0
        for (place, letter) in text.dropLast(padded).enumerated() {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            word = word << 6 | UInt32(value)
            guard place % 4 == 3 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: word >> 16))
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
            bytes.append(UInt8(truncatingIfNeeded: word))
            word = 0
        }
        // The unused bits of the last letter must be zero.
        switch padded {
        case 1:
            guard word & 3 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: word >> 10))
            bytes.append(UInt8(truncatingIfNeeded: word >> 2))
        case 2:
            guard word & 15 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: word >> 4))
        default: break
        }
        return bytes
    }
}
