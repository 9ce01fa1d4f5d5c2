import Crypto

/// What a device shows to be let in: `kb_` and 200 random bits. The server keeps the digest alone, so that nobody who
/// reads the file can log in; a plain digest is enough, for nobody guesses 200 bits.
package struct TokenSecret: Sendable {
    package static let prefix = "kb_"
    private static let randomBytes = 25
    private static let length = 43

    /// Shown once, to the one who asked for it.
    package let text: String

    /// A new one.
    package init() {
        text = Self.prefix + ByteText.base32(SecureRandom.bytes(Self.randomBytes))
    }

    package var digest: [UInt8] {
        SHA256.digest(text.utf8)
    }

    /// The digest of what somebody sent; `nil` when it cannot be a token of ours.
    package static func digest(of sent: ArraySlice<UInt8>) -> [UInt8]? {
        guard sent.count == length, sent.prefix(prefixBytes.count) == prefixBytes else { return nil }
        return SHA256.digest(sent)
    }

    private static let prefixBytes = Array(prefix.utf8)[...]
}
