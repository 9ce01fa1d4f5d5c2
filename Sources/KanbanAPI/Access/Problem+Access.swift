import Kanban
import KanbanAccess

extension Problem {
    /// 401 with the challenge of RFC 6750 §3.
    static func unauthorized(_ detail: String, error: String? = nil) -> Problem {
        let suffix = error.map { ", error=\"\($0)\"" } ?? ""
        return Problem(
            .unauthorized, detail, headers: [("WWW-Authenticate", "Bearer realm=\"kanbase\"\(suffix)")])
    }

    /// 401 for a token that is unknown or has ended.
    static let unknownToken = unauthorized("The token is unknown, expired or revoked.", error: "invalid_token")
    /// 401 for an account that was just erased.
    static let accountGone = unauthorized("The account is gone.", error: "invalid_token")

    /// 401 for a token in the address of a route that takes it only in the header field.
    static let tokenInAddress = unauthorized(
        "Only a token of scope calendar may stand in an address. Send this one as Authorization: Bearer kb_…, and end it: "
            + "it may be known by now.", error: "invalid_token")

    static func insufficientScope(_ scope: AccessToken.Scope) -> Problem {
        Problem(
            .insufficientScope, "A token of scope \(scope.rawValue) does not open this.",
            headers: [("WWW-Authenticate", "Bearer realm=\"kanbase\", error=\"insufficient_scope\", scope=\"full\"")])
    }

    /// The one place where an ``AccessError`` becomes an HTTP answer.
    package init(_ error: AccessError) {
        switch error {
        case .mailOff:
            self.init(ProblemCode.mailOff)
        case .codeInvalid:
            self.init("#/code", .codeInvalid, "The code is wrong, used or too old. Ask for a new one.")
        case .tooManyResets(let wait):
            self.init(tooMany: "Too many resets were asked for from this address.", wait: wait)
        case .tooManyMails(let wait):
            self.init(tooMany: "Mail limit reached: 3 an hour.", wait: wait)
        case .tooManyEmailChanges(let wait):
            self.init(tooMany: "At most 10 changes of the e-mail address an hour.", wait: wait)
        case .unknownProvider:
            self.init("#/provider", .unknownProvider, "This server does not know the provider.")
        case .tokenInvalid(let reason):
            self.init(
                .tokenInvalid, "The provider's token is refused. \(reason)",
                headers: [("WWW-Authenticate", "Bearer realm=\"kanbase\", error=\"invalid_token\"")])
        case .appleOff:
            self.init(ProblemCode.appleOff)
        case .notificationInvalid(let reason):
            self.init(.notificationInvalid, "The notification is refused. \(reason)")
        case .providerUnavailable:
            self.init(.unavailable, "The provider's keys cannot be had.", headers: [("Retry-After", "5")])
        case .linkRequired:
            self.init(ProblemCode.linkRequired)
        case .identityTaken:
            self.init(ProblemCode.identityTaken)
        case .noIdentity:
            self.init(.notFound, "There is no identity with this id.")
        case .tooManyIdentities:
            self.init("#", .tooMany, "An account has at most \(Identity.most) identities; remove one first.")
        case .lastWayIn:
            self.init(ProblemCode.lastWayIn)
        case .accountLocked:
            self.init(ProblemCode.accountLocked)
        case .accountDisabled:
            self.init(ProblemCode.accountDisabled)
        case .invitationRequired:
            self.init(ProblemCode.invitationRequired)
        case .invitationUsed:
            self.init(ProblemCode.invitationUsed)
        case .noInvitation:
            self.init(.notFound, "There is no invitation with this id.")
        case .tooManyInvitations(let wait):
            self.init(tooMany: "An account makes at most \(Invitation.mostADay) invitations a day.", wait: wait)
        case .signupClosed:
            self.init(ProblemCode.signupClosed)
        case .emailTaken:
            self.init(ProblemCode.emailTaken)
        case .noEmail:
            self.init(.notFound, "The account has no e-mail address. Set one with PATCH /account.")
        case .wrongCredentials:
            self = .unauthorized("The e-mail address or the password is wrong.")
        case .wrongPassword:
            self.init(ProblemCode.wrongPassword)
        case .freshSessionRequired:
            self.init(ProblemCode.freshSessionRequired)
        case .throttled(let wait):
            self.init(tooMany: "Too many wrong passwords.", wait: wait)
        case .tooManySignUps(let wait):
            self.init(tooMany: "Too many sign-ups from this address.", wait: wait)
        case .busy:
            self.init(.unavailable, "Too many people log in right now.", headers: [("Retry-After", "2")])
        case .noAccount:
            self = .accountGone
        case .noSession:
            self.init(.notFound, "There is no session with this id.")
        case .sessionEnded:
            self = .unknownToken
        case .mailQueueFull:
            self.init(
                .unavailable, "Too many mails wait to be sent. Try again in some minutes.",
                headers: [("Retry-After", "300")])
        case .noToken:
            self.init(.notFound, "There is no token with this id.")
        case .tooManyTokens:
            self.init("#", .tooMany, "An account has at most \(AccessToken.most) tokens; remove one first.")
        case .builtInAccount:
            self.init(.accountsOff)
        }
    }

    /// 429 until the wait is over.
    init(tooMany detail: String, wait: Duration, headers: [(name: String, value: String)] = []) {
        self.init(
            .tooManyRequests, "\(detail) Try again when Retry-After is over.", headers: headers + [wait.retryAfter])
    }
}

extension Duration {
    /// The field that asks a client to wait so long: whole seconds, rounded up, at least one (RFC 9110 §10.2.3).
    var retryAfter: (name: String, value: String) {
        let (seconds, rest) = components
        return ("Retry-After", String(max(1, rest > 0 ? seconds + 1 : seconds)))
    }
}
