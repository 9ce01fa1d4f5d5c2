import Crypto
import Foundation
import Kanban

/// A password as typed. Composed and decomposed characters are equal (RFC 8265 §4.2): macOS and Windows keyboards send
/// `é` differently.
package struct Password: Sendable {
    /// The allowed code points of a new password.
    package static let length = TextRule.passwordLength

    private let text: String
    /// Code points as they were typed.
    private let count: Int

    /// The most bytes of a valid password in any form. Longer texts are not normalized.
    private static let mostBytes = 4 * 4 * length.upperBound

    /// Any text, for a log-in attempt.
    package init(_ text: String) {
        count = text.unicodeScalars.count
        self.text = text.utf8.count > Self.mostBytes ? text : text.precomposedStringWithCanonicalMapping
    }

    /// Why it is not allowed as a new password; `nil` if it is.
    package var flaw: Flaw? {
        if count < Self.length.lowerBound { return .tooShort }
        if count > Self.length.upperBound { return .tooLong }
        return text.utf8.contains(0) ? .controlCharacter : nil
    }

    /// The faults of new passwords.
    package enum Flaw: Sendable {
        case tooShort
        case tooLong
        case controlCharacter
    }

    /// Hashes the password. Slow on purpose: call it on a ``PasswordHashQueue``.
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

extension PasswordHash {
    /// True when the password matches. A wrong one takes as long as `derivation`, that of unknown addresses, even for an
    /// imported hash that is cheaper: the time must not tell that there is such an account.
    func matches(_ password: Password, asSlowAs derivation: KeyDerivation) throws(KeyDerivation.Failed) -> Bool {
        if try password.matches(self) { return true }
        if let rest = derivation.rest(after: self.derivation) { _ = try password.hashed(by: rest) }
        return false
    }
}
