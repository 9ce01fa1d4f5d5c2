import Kanban

/// A mail in the queue. It contains no code: the code is made with the mail and is never on disk.
package struct MailJob: Hashable, QueuedJob {
    package enum Kind: String, Sendable, CaseIterable {
        case passwordReset = "password_reset"
        /// A reset beyond the mails of an hour, sent only if the account has logged in from the network that asks.
        case ownReset = "own_reset"
        case emailVerification = "email_verification"
        case newDevice = "new_device"
        case passwordChanged = "password_changed"
        /// To the old address.
        case emailChanged = "email_changed"
        /// To an address that another account asked for.
        case addressWanted = "address_wanted"
        /// What is due.
        case digest

        /// True of what only somebody who is let into the account brings about, and its owner has to hear of at once.
        var isNotice: Bool {
            switch self {
            case .newDevice, .passwordChanged, .emailChanged: true
            case .passwordReset, .ownReset, .emailVerification, .addressWanted, .digest: false
            }
        }

        /// How many mails of all kinds may wait for one of this kind to be queued: what strangers and clocks bring about leaves room
        /// for what an owner waits for.
        package var most: Int {
            switch self {
            case .emailVerification, .addressWanted, .digest: MailJob.most / 2
            case .passwordReset, .ownReset, .newDevice, .passwordChanged, .emailChanged: MailJob.most
            }
        }

        /// The delay before the first attempt. By then a request for a reset is answered, so its time does not tell
        /// whether the account exists.
        package var delay: Duration {
            code == .passwordReset ? .seconds(1) : .zero
        }

        /// The purpose of its code; `nil` for a mail without one.
        package var code: StoredCode.Kind? {
            switch self {
            case .passwordReset, .ownReset: .passwordReset
            case .emailVerification: .emailVerification
            case .newDevice, .passwordChanged, .emailChanged: .accountLock
            case .digest: .digestEnd
            case .addressWanted: nil
            }
        }
    }

    /// The most mails that wait; more are refused.
    package static let most = 10_000

    /// In the order of the requests.
    package var number: Int64
    package var kind: Kind
    /// `nil` for a reset: the account is looked up when the mail is made, so that a request takes the same time for
    /// every address.
    package var account: AccountKey?
    package var address: EmailAddress
    /// `nil`: the account's own.
    package var language: Language?
    /// The device that the mail is about.
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
}
