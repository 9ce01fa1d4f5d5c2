import Kanban

/// An account at a sign-in provider, which opens an account here.
package struct Identity: Hashable, Sendable {
    /// The most identities of an account.
    package static let most = 20

    package var id: ID
    package var account: AccountKey
    /// The provider's name, as the operator calls it.
    package var provider: String
    /// The provider's identifier of the person. It never changes and is never reused.
    package var subject: String
    /// The address from the provider when it was linked, so that people can recognize the identity.
    package var email: String?
    package var createdAt: Timestamp
    /// An address of the person to which Apple forwards no mails.
    package var silencedEmail: EmailAddress?

    package init(
        id: ID, account: AccountKey, provider: String, subject: String, email: String?, createdAt: Timestamp,
        silencedEmail: EmailAddress? = nil
    ) {
        self.silencedEmail = silencedEmail
        self.id = id
        self.account = account
        self.provider = provider
        self.subject = subject
        self.email = email
        self.createdAt = createdAt
    }
}

/// A code for one account, if signing up needs an invitation.
package struct Invitation: Hashable, Sendable {
    /// The default lifetime.
    package static let lifetime: Duration = .seconds(7 * 86_400)
    /// The most invitations of an account in a day.
    package static let mostADay = 20

    package var id: ID
    /// The inviting account; `nil` is the operator.
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
    /// Callers with an invitation.
    case invite
    /// Nobody: only the operator creates accounts.
    case closed
}
