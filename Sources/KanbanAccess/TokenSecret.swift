import Crypto

/// A bearer token: `kb_` and 200 random bits. The server stores only the digest: reading the file gives no token to
/// log in with. A plain digest is enough, because 200 bits cannot be guessed.
package struct TokenSecret: Sendable {
    package static let prefix = "kb_"
    private static let randomBytes = 25
    private static let length = 43

    /// Shown once, in the answer that creates it.
    package let text: String

    /// A new one.
    package init() {
        text = Self.prefix + ByteText.base32(SecureRandom.bytes(Self.randomBytes))
    }

    package var digest: [UInt8] {
        SHA256.digest(text.utf8)
    }

    /// The digest of a token that a client sent; `nil` when it cannot be one.
    package static func digest(of sent: ArraySlice<UInt8>) -> [UInt8]? {
        guard sent.count == length, sent.prefix(prefixBytes.count) == prefixBytes else { return nil }
        return SHA256.digest(sent)
    }

    private static let prefixBytes = Array(prefix.utf8)[...]
}
