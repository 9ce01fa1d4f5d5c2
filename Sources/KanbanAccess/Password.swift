import Crypto
import Foundation

/// A password that somebody typed. Two ways to type one character, composed or not, are one password (RFC 8265 §4.2:
/// macOS and a Windows keyboard send `é` differently).
package struct Password: Sendable {
    /// Code points of a new one.
    package static let length = 8...256

    private let text: String
    /// Code points as they were typed.
    private let count: Int

    /// Bytes that the longest password can have, however it is typed. Composing longer texts would be work for nothing.
    private static let mostBytes = 4 * 4 * length.upperBound

    /// Takes any text, for trying.
    package init(_ text: String) {
        count = text.unicodeScalars.count
        self.text = text.utf8.count > Self.mostBytes ? text : text.precomposedStringWithCanonicalMapping
    }

    /// What forbids it as a new password; `nil` when nothing does.
    package var flaw: Flaw? {
        if count < Self.length.lowerBound { return .tooShort }
        if count > Self.length.upperBound { return .tooLong }
        return text.utf8.contains(0) ? .controlCharacter : nil
    }

    /// What is wrong with a new password.
    package enum Flaw: Sendable {
        case tooShort
        case tooLong
        case controlCharacter
    }

    /// Hashes it. Slow on purpose: to be called on a ``PasswordHashQueue``.
    package func hashed(by derivation: KeyDerivation = PasswordHash.current) throws(KeyDerivation.Failed)
        -> PasswordHash
    {
        try PasswordHash(password: text, derivation: derivation)
    }

    /// Slow like ``hashed(by:)``.
    package func matches(_ hash: PasswordHash) throws(KeyDerivation.Failed) -> Bool {
        try hash.matches(text)
    }
}
