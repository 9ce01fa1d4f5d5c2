import Foundation
import Kanban

/// Why the server refused a call about an account: what a form of an app can switch over. See
/// ``KanbanBoard/refusal(of:)``.
public enum AccountRefusal: Hashable, Sendable {
    /// The address or the password is wrong, or a password is needed.
    case wrongPassword
    /// Too many attempts, sign-ups or mails. When the server takes the next one; `nil` when it did not say.
    case tooManyRequests(until: Date?)
    /// Another account has proven the address.
    case emailTaken
    /// An account has the address of the provider's sign-in: log in with its password, then
    /// ``KanbanBoard/link(provider:idToken:nonce:password:)``.
    case linkRequired
    /// The provider's sign-in opens another account.
    case identityTaken
    /// Without this sign-in nothing would open the account: set a password first.
    case lastWayIn
    /// The provider's token is that of another account than the one that is logged in.
    case otherAccount
    /// It needs a log-in that is not older than ten minutes.
    case freshSessionRequired
    /// A code from a mail is wrong, used or too old.
    case codeInvalid
    /// The provider's token is refused, perhaps because it is too old: sign in with the provider again.
    case tokenInvalid
    /// The server does not know the provider.
    case unknownProvider
    /// Only the operator makes accounts.
    case signUpClosed
    case invitationRequired
    case invitationUsed
    /// Only a password reset by mail opens it again.
    case accountLocked
    /// The operator closed it.
    case accountDisabled
    /// The server has no accounts.
    case accountsOff
    /// The server sends no mails, so it proves no addresses and resets no passwords.
    case mailOff
    /// A personal token cannot do this.
    case sessionRequired

    private static let byCode: [String: AccountRefusal] = [
        "wrong_password": .wrongPassword, "email_taken": .emailTaken, "link_required": .linkRequired,
        "identity_taken": .identityTaken, "last_way_in": .lastWayIn, "other_account": .otherAccount,
        "fresh_session_required": .freshSessionRequired, "code_invalid": .codeInvalid,
        "token_invalid": .tokenInvalid, "unknown_provider": .unknownProvider, "signup_closed": .signUpClosed,
        "invitation_required": .invitationRequired, "invitation_used": .invitationUsed,
        "account_locked": .accountLocked, "account_disabled": .accountDisabled, "accounts_off": .accountsOff,
        "mail_off": .mailOff, "session_required": .sessionRequired,
    ]

    /// - Parameter next: when the server takes attempts again.
    init?(_ error: KanbanError, next: Date?) {
        let known: AccountRefusal? =
            switch error {
            case .wrongPassword: .wrongPassword
            case .server(status: 429, _, _): .tooManyRequests(until: next)
            case .server(_, let code, _), .forbidden(let code): Self.byCode[code]
            case .invalid(let faults): faults.lazy.compactMap { Self.byCode[$0.code] }.first
            default: nil
            }
        guard let known else { return nil }
        self = known
    }
}

extension KanbanBoard {
    /// The refusal behind an error that a call about an account threw; `nil` for any other error.
    ///
    /// ```swift
    /// do {
    ///     try await board.logIn(email: email, password: password)
    /// } catch {
    ///     switch board.refusal(of: error) {
    ///     case .wrongPassword: passwordIsWrong = true
    ///     case .tooManyRequests(until: let date): nextAttempt = date
    ///     default: alert = error.localizedDescription
    ///     }
    /// }
    /// ```
    public nonisolated func refusal(of error: any Error) -> AccountRefusal? {
        guard let error = error as? KanbanError else { return nil }
        return AccountRefusal(error, next: core.nextAttempt.map { Date($0) })
    }
}

extension BoardCore {
    /// The error that the app gets of a call about an account. Notes when the server takes the next attempt.
    /// - Parameter otherwise: of a failure that means the same as in any other call.
    func toldOfAccount(_ error: any Error, otherwise: KeyPath<Failure, KanbanError> = \.error) -> any Error {
        guard !(error is CancellationError) else { return error }
        let failure = Failure(caught: error)
        log(LogEvent(failure, code: "request.failed"))
        guard case .problem(let problem) = failure else { return failure[keyPath: otherwise] }
        if problem.status == 429 {
            nextAttempt = problem.retryAfter.map { dependencies.now().adding(milliseconds: Int64($0) * 1_000) }
        }
        switch problem.code {
        case "wrong_password": return KanbanError.wrongPassword
        // By their status alone they would say that something is not there, or that this device is logged out.
        case "mail_off", "token_invalid":
            return KanbanError.server(status: problem.status, code: problem.code, requestID: problem.requestID)
        default: return failure[keyPath: otherwise]
        }
    }
}
