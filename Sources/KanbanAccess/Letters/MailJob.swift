import Kanban

/// A mail that is to be sent. It holds no code: the code is made when the mail is, and is never on the disk.
package struct MailJob: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case passwordReset = "password_reset"
        case emailVerification = "email_verification"
        case newDevice = "new_device"
        case passwordChanged = "password_changed"
        /// To the old address.
        case emailChanged = "email_changed"

        /// How long it waits before it is looked at. The answer to a request for a reset is long gone by then, so that
        /// nobody can tell from its time whether the look-up found an account.
        package var delay: Duration {
            self == .passwordReset ? .seconds(1) : .zero
        }

        /// What its code is good for.
        package var code: StoredCode.Kind {
            switch self {
            case .passwordReset: .passwordReset
            case .emailVerification: .emailVerification
            case .newDevice, .passwordChanged, .emailChanged: .accountLock
            }
        }
    }

    /// How long it is tried.
    package static let lifetime: Duration = .seconds(86_400)
    /// The most that wait; beyond, nothing more is taken.
    package static let most = 10_000

    /// In the order of asking.
    package var number: Int64
    package var kind: Kind
    /// `nil` for a reset: whether there is such an account is looked up when the mail is made, so that asking takes
    /// the same time for every address.
    package var account: AccountKey?
    package var address: EmailAddress
    /// `nil`: the account's own.
    package var language: Language?
    /// Of the device that the mail is about.
    package var device: String?
    package var network: String?
    package var createdAt: Timestamp
    package var attempts: Int

    package init(
        number: Int64 = 0, kind: Kind, account: AccountKey?, address: EmailAddress, language: Language?,
        device: String? = nil, network: String? = nil, createdAt: Timestamp, attempts: Int = 0
    ) {
        self.number = number
        self.kind = kind
        self.account = account
        self.address = address
        self.language = language
        self.device = device
        self.network = network
        self.createdAt = createdAt
        self.attempts = attempts
    }

    /// Until the next attempt, when this one fails: 10 s, twice as long each time, at most an hour.
    package var pause: Duration {
        min(.seconds(10) * (1 << min(attempts, 9)), .seconds(3600))
    }
}
