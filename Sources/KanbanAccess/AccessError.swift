/// The ways in which signing up, logging in or a change of an account is refused. Expected outcomes, not failures.
package enum AccessError: Error, Hashable, Sendable {
    /// Without a mail server nothing is sent.
    case mailOff
    /// A code that is wrong, used or old.
    case codeInvalid
    /// Too many asked for a reset from one address; the time until the next one is looked at.
    case tooManyResets(Duration)
    /// The account has got as many mails as it may within an hour.
    case tooManyMails
    case unknownProvider
    /// A provider's token that fails a check, and which.
    case tokenInvalid(String)
    /// The provider's keys cannot be had.
    case providerUnavailable
    /// The provider's address belongs to an account, which has to link the identity.
    case linkRequired
    /// The identity belongs to another account.
    case identityTaken
    case noIdentity
    case tooManyIdentities
    /// Without it nobody could log in any more.
    case lastWayIn
    /// Its owner locked the account.
    case accountLocked
    /// The operator disabled the account.
    case accountDisabled
    case invitationRequired
    case invitationUsed
    case noInvitation
    case tooManyInvitations
    /// The operator makes the accounts here.
    case signupClosed
    case emailTaken
    /// No such account, or not its password; which of them, nobody is told.
    case wrongCredentials
    /// Somebody logged in did not know the account's password.
    case wrongPassword
    /// Too many failures; the time until the next try is looked at.
    case throttled(Duration)
    /// Too many sign-ups from one address; the time until the next one is looked at.
    case tooManySignUps(Duration)
    /// Too many passwords wait to be hashed, or there is no memory for it.
    case busy
    /// The account is gone.
    case noAccount
    case noSession
    case noToken
    /// The account has as many tokens as it may have.
    case tooManyTokens
    /// The account of `--auth open` has no address, password or end.
    case builtInAccount
}
