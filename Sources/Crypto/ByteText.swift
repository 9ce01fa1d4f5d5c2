import Foundation

/// Bytes as text (RFC 4648), without padding.
package enum ByteText {
    private static let base32Alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Base 32 in lower case: no sign that a double click, a shell or an address would stumble over (RFC 4648 §6).
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

    /// The bytes of a base 64 text without padding; `nil` when it is none.
    package static func bytes(base64 text: String) -> [UInt8]? {
        guard !text.contains("="), let data = Data(base64Encoded: text + padding(for: text.utf8.count)) else {
            return nil
        }
        return [UInt8](data)
    }

    private static func padding(for count: Int) -> String {
        String(repeating: "=", count: (4 - count % 4) % 4)
    }
}
