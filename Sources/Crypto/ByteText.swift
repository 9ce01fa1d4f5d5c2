import Foundation

/// Bytes as text (RFC 4648), without padding.
package enum ByteText {
    private static let base32Alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Base 32 in lower case (RFC 4648 §6): safe in shells and addresses, and selected by a double click.
    package static func base32(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var bits: UInt16 = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | UInt16(byte)
            held += 8
            while held >= 5 {
                held -= 5
                text.append(base32Alphabet[Int(bits >> UInt16(held)) & 31])
            }
        }
        if held > 0 { text.append(base32Alphabet[Int(bits << UInt16(5 - held)) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Base 64 with `+` and `/` (RFC 4648 §4), as password hashes write it.
    package static func base64(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    /// The bytes of a base 64 text without padding; `nil` for any other text.
    package static func bytes(base64 text: String) -> [UInt8]? {
        guard !text.contains("="), let data = Data(base64Encoded: text + padding(for: text.utf8.count)) else {
            return nil
        }
        return [UInt8](data)
    }

    /// Base 64 with `-` and `_`, without padding, as JSON Web Tokens write it (RFC 7515 §2).
    package static func base64URL(_ bytes: [UInt8]) -> String {
        exchange("+/", for: "-_", in: base64(bytes))
    }

    /// The bytes of such a text; `nil` for any other text.
    package static func bytes(base64URL text: some StringProtocol) -> [UInt8]? {
        guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        return bytes(base64: exchange("-_", for: "+/", in: text))
    }

    /// The bytes of base 64 in either alphabet, with padding or without: Google's tools differ. `nil` for any other text.
    package static func bytes(lenientBase64 text: some StringProtocol) -> [UInt8]? {
        let digits = text.prefix { $0 != "=" }
        guard text.utf8.dropFirst(digits.utf8.count).allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
        return bytes(base64: exchange("-_", for: "+/", in: digits))
    }

    private static func exchange(_ old: String, for new: String, in text: some StringProtocol) -> String {
        let pairs = Dictionary(uniqueKeysWithValues: zip(old.utf8, new.utf8))
        return String(decoding: text.utf8.map { pairs[$0] ?? $0 }, as: UTF8.self)
    }

    private static func padding(for count: Int) -> String {
        String(repeating: "=", count: (4 - count % 4) % 4)
    }
}
