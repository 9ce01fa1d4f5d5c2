/// The ways in which signing up, logging in or a change of an account is refused. Expected outcomes, not failures.
package enum AccessError: Error, Hashable, Sendable {
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
