import Crypto
import Kanban

/// A one-time code of 160 random bits: it proves that a mailbox is the caller's, or that the caller was invited. The
/// server stores only its digest.
package struct SecretCode: Sendable {
    private static let randomBytes = 20
    private static let length = 32

    /// Shown once, in a mail or in the answer that creates it: 32 characters of base 32.
    package let text: String

    package init() {
        text = ByteText.base32(SecureRandom.bytes(Self.randomBytes))
    }

    package var digest: [UInt8] { SHA256.digest(text.utf8) }

    /// The digest of a typed or pasted code, in any case and with white space around it; `nil` when it cannot be a
    /// code.
    package static func digest(of typed: String) -> [UInt8]? {
        let text = typed.trimmed.lowercased()
        return text.utf8.count == length ? SHA256.digest(text.utf8) : nil
    }
}

/// A code as it is stored.
package struct StoredCode: Hashable, Sendable {
    /// The purpose of the code.
    package enum Kind: String, Sendable, CaseIterable {
        case passwordReset = "password_reset"
        case emailVerification = "email_verification"
        case accountLock = "account_lock"
        /// Ends the mails of what is due. It works more than once.
        case digestEnd = "digest_end"

        /// The lifetime from the time at which its mail is made.
        package var lifetime: Duration {
            switch self {
            case .passwordReset, .emailVerification: .seconds(30 * 60)
            case .accountLock: .seconds(7 * 86_400)
            case .digestEnd: .seconds(60 * 86_400)
            }
        }
    }

    package var kind: Kind
    package var account: AccountKey
    /// The address to which it was sent.
    package var address: EmailAddress
    /// The time of the event that the mail is about.
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
