import Crypto
import Kanban

/// 160 random bits that somebody proves something with, once: that a mailbox is theirs, or that they were invited. The
/// server keeps the digest alone.
package struct SecretCode: Sendable {
    private static let randomBytes = 20
    private static let length = 32

    /// Shown once, in a mail or in the answer that makes it: 32 characters of base 32.
    package let text: String

    package init() {
        text = ByteText.base32(SecureRandom.bytes(Self.randomBytes))
    }

    package var digest: [UInt8] { SHA256.digest(text.utf8) }

    /// The digest of what somebody typed or pasted, in any case and with white space around it; `nil` when it cannot be
    /// a code of ours.
    package static func digest(of typed: String) -> [UInt8]? {
        let text = typed.trimmed.lowercased()
        return text.utf8.count == length ? SHA256.digest(text.utf8) : nil
    }
}

/// A code as it is kept.
package struct StoredCode: Hashable, Sendable {
    /// What the code is good for.
    package enum Kind: String, Sendable, CaseIterable {
        case passwordReset = "password_reset"
        case emailVerification = "email_verification"
        case accountLock = "account_lock"

        /// How long it is good, from the moment in which its mail is made.
        package var lifetime: Duration {
            switch self {
            case .passwordReset, .emailVerification: .seconds(30 * 60)
            case .accountLock: .seconds(7 * 86_400)
            }
        }
    }

    package var kind: Kind
    package var account: AccountKey
    /// Where it was sent to.
    package var address: EmailAddress
    /// When happened what the mail was about.
    package var causedAt: Timestamp
    package var expiresAt: Timestamp

    package init(
        kind: Kind, account: AccountKey, address: EmailAddress, causedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.kind = kind
        self.account = account
        self.address = address
        self.causedAt = causedAt
        self.expiresAt = expiresAt
    }
}
