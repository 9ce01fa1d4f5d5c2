import Kanban

/// Somebody's account at a sign-in provider, which opens an account here.
package struct Identity: Hashable, Sendable {
    /// The most that one account links.
    package static let most = 20

    package var id: ID
    package var account: AccountKey
    /// The provider's name, as the operator calls it.
    package var provider: String
    /// What the provider calls the person: never changes, and is never another's.
    package var subject: String
    /// The address that the provider told at the linking, for people to recognize it by.
    package var email: String?
    package var createdAt: Timestamp

    package init(
        id: ID, account: AccountKey, provider: String, subject: String, email: String?, createdAt: Timestamp
    ) {
        self.id = id
        self.account = account
        self.provider = provider
        self.subject = subject
        self.email = email
        self.createdAt = createdAt
    }
}

/// A code that makes one account, where sign-up needs one.
package struct Invitation: Hashable, Sendable {
    /// How long it is good when nobody says.
    package static let lifetime: Duration = .seconds(7 * 86_400)
    /// The most that an account makes in a day.
    package static let mostADay = 20

    package var id: ID
    /// Who invites; `nil` is the operator.
    package var maker: AccountKey?
    /// Who may use it; `nil` is anybody.
    package var email: EmailAddress?
    package var createdAt: Timestamp
    package var expiresAt: Timestamp
    package var usedAt: Timestamp?

    package init(
        id: ID, maker: AccountKey?, email: EmailAddress?, createdAt: Timestamp, expiresAt: Timestamp,
        usedAt: Timestamp? = nil
    ) {
        self.id = id
        self.maker = maker
        self.email = email
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}

/// Who may sign up.
package enum SignUpPolicy: String, Sendable, CaseIterable {
    case open
    /// Who has an invitation.
    case invite
    /// Nobody: the operator makes the accounts.
    case closed
}
