/// Why a sign-up, a log-in or a change of an account is refused. Expected outcomes, not failures.
package enum AccessError: Error, Hashable, Sendable {
    /// The server sends no mail.
    case mailOff
    /// The code is wrong, used or expired.
    case codeInvalid
    /// Too many requests for a reset from one address; the time until the next one.
    case tooManyResets(Duration)
    /// The account got the most mails of an hour; the time until the next one.
    case tooManyMails(Duration)
    /// Too many changes of the address within an hour; the time until the next one.
    case tooManyEmailChanges(Duration)
    case unknownProvider
    /// A provider's token failed a check; which one.
    case tokenInvalid(String)
    /// The server has no key of Apple's.
    case appleOff
    /// What came in Apple's name failed a check; which one.
    case notificationInvalid(String)
    /// The provider's keys are not available.
    case providerUnavailable
    /// The address belongs to an account that proved it, and that has to link the identity.
    case linkRequired
    /// The identity belongs to another account.
    case identityTaken
    case noIdentity
    case tooManyIdentities
    /// It is the last way to log in.
    case lastWayIn
    /// Its owner locked the account.
    case accountLocked
    /// The operator disabled the account.
    case accountDisabled
    case invitationRequired
    case invitationUsed
    case noInvitation
    /// The account made as many as it may within a day; the time until the next one.
    case tooManyInvitations(Duration)
    /// Only the operator creates accounts.
    case signupClosed
    /// Another account has the address, and proved it where mail is on.
    case emailTaken
    /// The account has no address: its provider reported none that is verified, or it lost its address to another account.
    case noEmail
    /// No such account, or a wrong password; the answer does not say which.
    case wrongCredentials
    /// A logged-in caller gave a wrong password, or none.
    case wrongPassword
    /// The account has no password, and the caller's session is not a new one of a provider.
    case freshSessionRequired
    /// Too many failures; the time until the next attempt.
    case throttled(Duration)
    /// Too many sign-ups from one address; the time until the next one.
    case tooManySignUps(Duration)
    /// Too many passwords wait to be hashed, or there is no memory for it.
    case busy
    /// The account is gone.
    case noAccount
    case noSession
    /// The caller's session ended while the request was handled.
    case sessionEnded
    /// Too many mails wait.
    case mailQueueFull
    case noToken
    /// The account has the most tokens.
    case tooManyTokens
    /// The account of `--auth open` has no address, password or end.
    case builtInAccount
}
