/// Full case folding of Unicode (The Unicode Standard §5.18), the same in every locale, for comparisons without regard
/// to case. The result is that of `CaseFolding.txt` (statuses C and F), so sorting by it sorts by case-folded code
/// points. Nothing is normalized.
package enum CaseFolding {
    package static func fold(_ text: String) -> String {
        // Native strings give access to their bytes; a bridged one (macOS) is not known to be ASCII.
        if let ascii = text.utf8.withContiguousStorageIfAvailable({ foldASCII(text, $0) }) ?? nil { return ascii }

        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { append(scalar, to: &folded) }
        return String(folded)
    }

    /// - Returns: `nil` for a text of other characters, too.
    private static func foldASCII(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // Loops over all bytes, which the compiler turns into steps of many bytes.
        guard bytes.reduce(0, |) < 0x80 else { return nil }
        guard bytes.reduce(false, { $0 || isCapital($1) }) else { return text }
        return String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for (index, byte) in bytes.enumerated() { buffer[index] = lowercasedASCII(byte) }
            return bytes.count
        }
    }

    /// A capital of ASCII as a small letter, other bytes as they are.
    package static func lowercasedASCII(_ byte: UInt8) -> UInt8 {
        isCapital(byte) ? byte | 0x20 : byte
    }

    private static func isCapital(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }

    /// Swift has no case folding, but the mappings that make it: lower of upper of lower. That is wrong for the dotless
    /// i, which would become a dotted one, and for Cherokee, which folds to capitals.
    private static func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
        switch scalar.value {
        case 0...0x7f:
            folded.append(Unicode.Scalar(lowercasedASCII(UInt8(scalar.value))))
        case 0x0131, 0x13a0...0x13f5, 0x2e80...0xa63f, 0xac00...0xd7ff, 0x20000...0x3ffff:
            // For speed: Han, Kana and Hangul have no case.
            folded.append(scalar)
        case 0x13f8...0x13fd:
            folded.append(Unicode.Scalar(scalar.value - 8) ?? scalar)
        case 0xab70...0xabbf:
            folded.append(Unicode.Scalar(scalar.value - 0xab70 + 0x13a0) ?? scalar)
        default:
            for low in scalar.properties.lowercaseMapping.unicodeScalars {
                for high in low.properties.uppercaseMapping.unicodeScalars {
                    folded.append(contentsOf: high.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
    }
}
