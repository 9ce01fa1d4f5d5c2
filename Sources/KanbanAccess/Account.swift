import Kanban

/// Somebody whose board is kept here.
package struct Account: Hashable, Sendable {
    package var key: AccountKey
    package var id: ID
    /// `nil` for the built-in account of `--auth open`, and where a provider vouches for none.
    package var email: EmailAddress?
    /// 1–100 code points.
    package var displayName: String?
    /// Of the account's board.
    package var image: ID?
    package var createdAt: Timestamp
    /// Whether somebody read a mail there, or a provider vouches for it.
    package var isEmailVerified: Bool
    package var state: State
    /// What its data may take, where that is not what the server grants everybody.
    package var limits: OwnLimits

    /// Whether the account takes log-ins.
    package enum State: Int, Sendable {
        case active = 0
        /// By its owner: only a password reset by mail opens it.
        case locked = 1
        /// By the operator.
        case disabled = 2
    }

    package init(
        key: AccountKey, id: ID, email: EmailAddress?, displayName: String? = nil, image: ID? = nil,
        createdAt: Timestamp, isEmailVerified: Bool = false, state: State = .active, limits: OwnLimits = OwnLimits()
    ) {
        self.key = key
        self.id = id
        self.email = email
        self.displayName = displayName
        self.image = image
        self.createdAt = createdAt
        self.isEmailVerified = isEmailVerified
        self.state = state
        self.limits = limits
    }
}

/// A device that is logged in. Its token is known to the device alone; the store has the token's digest.
package struct Session: Hashable, Sendable {
    /// How long a session lives after its last use.
    package static let lifetime: Duration = .seconds(90 * 86_400)
    /// How exactly the last use is kept: one write in this time, however many requests there are.
    package static let precisionOfLastUse: Duration = .seconds(300)
    /// The most that one account keeps; the one that went unused longest makes room for a new one.
    package static let most = 500

    package var id: ID
    package var account: AccountKey
    /// What the device called itself, 1–100 code points.
    package var device: String?
    package var createdAt: Timestamp
    package var lastUsedAt: Timestamp
    package var expiresAt: Timestamp
    /// The sign-in provider whose token began it; `nil` for a password.
    package var provider: String?

    package init(
        id: ID, account: AccountKey, device: String?, createdAt: Timestamp, lastUsedAt: Timestamp, expiresAt: Timestamp,
        provider: String? = nil
    ) {
        self.provider = provider
        self.id = id
        self.account = account
        self.device = device
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }
}

/// A personal token, for a script, a widget or a calendar app: made by hand, with a scope, and no log-in behind it.
package struct AccessToken: Hashable, Sendable {
    /// What a token opens.
    package enum Scope: String, Sendable, CaseIterable {
        /// Everything a session does.
        case full
        /// GET and HEAD.
        case read
        /// The calendar feed alone.
        case calendar
    }

    /// The most that one account keeps.
    package static let most = 100

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
