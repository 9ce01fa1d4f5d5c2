import Kanban

/// An account with a board.
package struct Account: Hashable, Sendable {
    package var key: AccountKey
    package var id: ID
    /// `nil` for the built-in account of `--auth open`, and without an address that a provider has verified.
    package var email: EmailAddress?
    /// The address that takes its place once a code that was sent there comes back.
    package var pendingEmail: EmailAddress?
    /// 1–100 code points.
    package var displayName: String?
    /// An image of the account's board.
    package var image: ID?
    package var createdAt: Timestamp
    /// True if the address is proven, by a code that was mailed to it or by a provider. An account that proves the address
    /// takes it from one that has not.
    package var isEmailVerified: Bool
    package var state: State
    /// Limits of its own, in place of the server's.
    package var limits: OwnLimits

    /// How the account is closed to log-ins, if it is.
    package enum State: Int, Sendable {
        case active = 0
        /// By its owner: only a password reset by mail opens it.
        case locked = 1
        /// By the operator.
        case disabled = 2
    }

    package init(
        key: AccountKey, id: ID, email: EmailAddress?, pendingEmail: EmailAddress? = nil,
        displayName: String? = nil, image: ID? = nil,
        createdAt: Timestamp, isEmailVerified: Bool = false, state: State = .active, limits: OwnLimits = OwnLimits()
    ) {
        self.key = key
        self.id = id
        self.email = email
        self.pendingEmail = pendingEmail
        self.displayName = displayName
        self.image = image
        self.createdAt = createdAt
        self.isEmailVerified = isEmailVerified
        self.state = state
        self.limits = limits
    }
}

/// A logged-in device. Only the device knows its token; the store has the token's digest.
package struct Session: Hashable, Sendable {
    /// How long a session lives after its last use.
    package static let lifetime: Duration = .seconds(90 * 86_400)
    /// The precision of the last use: at most one write in this time.
    package static let precisionOfLastUse: Duration = .seconds(300)
    /// The most sessions of an account; a new one replaces the least recently used.
    package static let most = 500

    package var id: ID
    package var account: AccountKey
    /// The name that the device sent, 1–100 code points.
    package var device: String?
    package var createdAt: Timestamp
    package var lastUsedAt: Timestamp
    package var expiresAt: Timestamp
    /// The sign-in provider of the log-in; `nil` for a password.
    package var provider: String?
    /// When the provider made the token that opened it.
    package var provenAt: Timestamp?
    /// The identity that opened it.
    package var identity: ID?
    /// The client id of the app that asked the provider for that token.
    package var clientID: String?

    package init(
        id: ID, account: AccountKey, device: String?, createdAt: Timestamp, lastUsedAt: Timestamp, expiresAt: Timestamp,
        provider: String? = nil, provenAt: Timestamp? = nil, identity: ID? = nil, clientID: String? = nil
    ) {
        self.provider = provider
        self.provenAt = provenAt
        self.identity = identity
        self.clientID = clientID
        self.id = id
        self.account = account
        self.device = device
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }
}

/// A personal token for a script, a widget or a calendar app, created by hand with a scope.
package struct AccessToken: Hashable, Sendable {
    /// The access of a token.
    package enum Scope: String, Sendable, CaseIterable {
        /// Everything a session does.
        case full
        /// GET and HEAD.
        case read
        /// Only the calendar feed.
        case calendar
    }

    /// The most tokens of an account.
    package static let most = 100
    /// How long one lives at most that was made without the password.
    package static let unprovenLifetime: Duration = .seconds(365 * 86_400)

    package var id: ID
    package var account: AccountKey
    /// 1–100 code points.
    package var name: String
    package var scope: Scope
    package var createdAt: Timestamp
    package var lastUsedAt: Timestamp?
    /// `nil`: until it is removed.
    package var expiresAt: Timestamp?

    package init(
        id: ID, account: AccountKey, name: String, scope: Scope, createdAt: Timestamp, lastUsedAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.account = account
        self.name = name
        self.scope = scope
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }
}
