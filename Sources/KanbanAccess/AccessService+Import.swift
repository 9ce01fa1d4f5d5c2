import Kanban

/// An account that comes from another system.
package struct ImportedAccount: Sendable {
    package struct Identity: Sendable {
        package var provider: String
        package var subject: String
        package var email: String?

        package init(provider: String, subject: String, email: String?) {
            (self.provider, self.subject, self.email) = (provider, subject, email)
        }
    }

    /// What became of it.
    package enum Outcome: Sendable {
        case created
        /// An account has this address already, proven or not. It stays as it is.
        case addressTaken
        /// An account has one of these identities already.
        case identityTaken
    }

    package var email: EmailAddress?
    package var isEmailVerified = false
    package var displayName: String?
    package var isDisabled = false
    /// A ``PasswordHash`` as text.
    package var passwordHash: String?
    package var identities: [Identity] = []

    package init() {}
}

extension AccessService {
    /// Makes accounts in one transaction: all of them or none. Sends no mails.
    ///
    /// Unlike a sign-up it takes no address from an account that has not proven it: that the other system knows the address
    /// is no proof either.
    /// - Parameter onAccount: gets the number of accounts that are done, before each.
    /// - Returns: what became of each, in their order; of a dry run, what would.
    package func importAccounts(
        _ accounts: [ImportedAccount], isDryRun: Bool, onAccount: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> [ImportedAccount.Outcome] {
        do {
            return try await store.writeAccess { writer in
                let outcomes = try accounts.enumerated().map { index, account in
                    onAccount(index)
                    return try Self.importAccount(account, in: writer)
                }
                if isDryRun { throw Undone(outcomes) }
                return outcomes
            }
        } catch let dryRun as Undone<[ImportedAccount.Outcome]> {
            return dryRun.outcome
        }
    }

    private static func importAccount(
        _ imported: ImportedAccount, in writer: any AccessWriter
    ) throws -> ImportedAccount.Outcome {
        if let email = imported.email, try writer.account(foldedEmail: email.folded) != nil { return .addressTaken }
        for identity in imported.identities
        where try writer.identity(provider: identity.provider, subject: identity.subject) != nil {
            return .identityTaken
        }
        var account = try writer.makeAccount(
            email: imported.email, displayName: imported.displayName, passwordHash: imported.passwordHash)
        if imported.isEmailVerified || imported.isDisabled {
            account.isEmailVerified = imported.isEmailVerified
            account.state = imported.isDisabled ? .disabled : .active
            try writer.save(account)
        }
        for identity in imported.identities {
            try writer.insert(
                KanbanAccess.Identity(
                    id: writer.makeID(), account: account.key, provider: identity.provider, subject: identity.subject,
                    email: identity.email, createdAt: writer.now))
        }
        try writer.note(.signUp, of: account.key, by: .operator)
        return .created
    }
}
