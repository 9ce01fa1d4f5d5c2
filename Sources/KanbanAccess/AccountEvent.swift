import Kanban

/// An event of an account, for its owner to read.
package struct AccountEvent: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case signUp = "sign_up"
        case logIn = "log_in"
        /// A wrong password, at a log-in or for a change that needs it.
        case logInFailed = "log_in_failed"
        case tokenCreated = "token_created"
        case tokenRemoved = "token_removed"
        case passwordChanged = "password_changed"
        case passwordReset = "password_reset"
        case emailChanged = "email_changed"
        case emailVerified = "email_verified"
        case identityLinked = "identity_linked"
        case identityRemoved = "identity_removed"
        case locked
        case disabled
        case enabled
    }

    /// How long they are kept.
    package static let lifetime: Duration = .seconds(365 * 86_400)
    /// The most devices of an account whose log-ins are expected, each with its network.
    package static let mostKnownDevices = 100
    /// Grows from event to event.
    package var number: Int64
    package var id: ID
    package var account: AccountKey
    package var at: Timestamp
    package var kind: Kind
    /// The name that the device sent.
    package var device: String?
    /// The address of its network, see ``Visitor/network``.
    package var network: String?

    package init(
        number: Int64 = 0, id: ID, account: AccountKey, at: Timestamp, kind: Kind, device: String?, network: String?
    ) {
        self.number = number
        self.id = id
        self.account = account
        self.at = at
        self.kind = kind
        self.device = device
        self.network = network
    }
}

/// A device, or a network, from which an account was logged in to: for its owner.
package struct KnownDevice: Hashable, Sendable {
    /// The name that the device sent.
    package var device: String?
    package var network: String?
    package var firstSeenAt, lastSeenAt: Timestamp
}

/// The caller as far as the request tells: for throttles, events and mails.
package struct Visitor: Hashable, Sendable {
    /// The key of throttles: an IPv4 address, or the first 64 bits of an IPv6 address as `2001:db8:1:2::/64`.
    package var origin: String
    /// The name that the device sends.
    package var device: String?
    /// The language of `Accept-Language`.
    package var language: Language?

    package init(origin: String, device: String? = nil, language: Language? = nil) {
        self.origin = origin
        self.device = device
        self.language = language
    }

    /// The operator at the command line.
    package static let `operator` = Visitor(origin: "")
    /// A provider, for a person who did something there.
    static let provider = Visitor(origin: "")

    /// The address without its host part: `192.0.2.0/24`, `2001:db8:1::/48`; `nil` when there is none.
    package var network: String? {
        if origin.contains(":") {
            let groups = origin.prefix { $0 != "/" }.split(separator: "::", omittingEmptySubsequences: false)
            let left = (groups.first ?? "").split(separator: ":")
            let zeros = [Substring](repeating: "0", count: max(0, 3 - left.count))
            return (left + zeros).prefix(3).joined(separator: ":") + "::/48"
        }
        let parts = origin.split(separator: ".")
        return parts.count == 4 ? parts.prefix(3).joined(separator: ".") + ".0/24" : nil
    }
}
