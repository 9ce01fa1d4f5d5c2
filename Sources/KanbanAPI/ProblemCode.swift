/// A `code` of problems: a stable name for programs, with a page that explains it. ``ProblemCode`` has those of requests,
/// ``Fault/Code`` those of members.
package protocol ProblemKind: Sendable {
    var rawValue: String { get }
    /// The usual status, the title in a few words, and the advice of the page.
    var meaning: (status: Int, title: String, advice: String) { get }
}

extension ProblemKind {
    package var status: Int { meaning.status }
    package var title: String { meaning.title }
    package var advice: String { meaning.advice }
}

/// The codes of problems with a request as such, or with the server.
package enum ProblemCode: String, ProblemKind, CaseIterable {
    // The request.
    case badRequest = "bad_request"
    case malformedJSON = "malformed_json"
    case malformedCoding = "malformed_coding"
    case invalidParameter = "invalid_parameter"
    case unknownParameter = "unknown_parameter"
    case invalidCursor = "invalid_cursor"
    case unknownTimeZone = "unknown_time_zone"
    case invalidIdempotencyKey = "invalid_idempotency_key"
    case notificationInvalid = "notification_invalid"
    case unauthorized
    case foreignOrigin = "foreign_origin"
    case insufficientScope = "insufficient_scope"
    case tokenInvalid = "token_invalid"
    case signupClosed = "signup_closed"
    case invitationRequired = "invitation_required"
    case invitationUsed = "invitation_used"
    case accountLocked = "account_locked"
    case accountDisabled = "account_disabled"
    case accountsOff = "accounts_off"
    case wrongPassword = "wrong_password"
    case freshSessionRequired = "fresh_session_required"
    case sessionRequired = "session_required"
    case notFound = "not_found"
    case mailOff = "mail_off"
    case weatherOff = "weather_off"
    case appleOff = "apple_off"
    case pushOff = "push_off"
    case methodNotAllowed = "method_not_allowed"
    case requestTimeout = "request_timeout"
    case alreadyExists = "already_exists"
    case deleted
    case nameTaken = "name_taken"
    case emailTaken = "email_taken"
    case linkRequired = "link_required"
    case identityTaken = "identity_taken"
    case lastWayIn = "last_way_in"
    case idempotencyKeyInUse = "idempotency_key_in_use"
    case cursorExpired = "cursor_expired"
    case preconditionFailed = "precondition_failed"
    case payloadTooLarge = "payload_too_large"
    case uriTooLong = "uri_too_long"
    case unsupportedMediaType = "unsupported_media_type"
    case expectationFailed = "expectation_failed"
    case misdirectedRequest = "misdirected_request"
    case tooManyRequests = "too_many_requests"
    case headerTooLarge = "header_too_large"
    // The server.
    case internalError = "internal_error"
    case notImplemented = "not_implemented"
    case upstreamFailed = "upstream_failed"
    case unavailable
    case upstreamTimeout = "upstream_timeout"
    case versionNotSupported = "version_not_supported"
    case insufficientStorage = "insufficient_storage"
    case quotaExceeded = "quota_exceeded"

    package var meaning: (status: Int, title: String, advice: String) {
        switch self {
        case .badRequest:
            (
                400, "Malformed request",
                "The message breaks a rule of HTTP. The detail says which; the connection closes."
            )
        case .malformedJSON:
            (
                400, "Malformed JSON",
                "The body is not one JSON text as RFC 8259 has it. The detail names the byte offset."
            )
        case .malformedCoding:
            (
                400, "Malformed gzip",
                "The body is not valid gzip, although Content-Encoding says so, or it is incomplete."
            )
        case .invalidParameter:
            (400, "Invalid parameter", "A query parameter or header field has a value that is not allowed.")
        case .unknownParameter:
            (400, "Unknown parameter", "The address knows no query parameter of this name. Look for a typing error.")
        case .invalidCursor:
            (400, "Invalid cursor", "A cursor is opaque and belongs to the query that gave it. Start without one.")
        case .unknownTimeZone:
            (400, "Unknown time zone", "Use a name of the IANA time zone database, such as Asia/Seoul.")
        case .invalidIdempotencyKey:
            (400, "Invalid idempotency key", "Idempotency-Key takes 1 to 255 visible ASCII characters.")
        case .notificationInvalid:
            (
                400, "Notification refused",
                "Only Apple may say this: the payload must be a token that Apple signed for one of this server's apps, not over and not of the future."
            )
        case .unauthorized:
            (401, "Log in first", "Send Authorization: Bearer with a token that is known, not expired and not revoked.")
        case .foreignOrigin:
            (403, "Foreign origin", "Without accounts, no page of another origin may reach in. Use --auth required.")
        case .insufficientScope:
            (403, "Insufficient scope", "The token's scope does not allow this call. Make one with a wider scope.")
        case .tokenInvalid:
            (401, "The provider's token is refused", "Sign in with the provider again, and send the new ID token.")
        case .signupClosed:
            (403, "Sign-up is closed", "Ask the server's operator to run: kanbase account add.")
        case .invitationRequired:
            (403, "An invitation is needed", "Send the code of a valid invitation for this address.")
        case .invitationUsed:
            (403, "The invitation was used", "An invitation can be used once. Ask for another one.")
        case .accountLocked:
            (403, "The account is locked", "Its owner locked it. Set a new password with POST /password-resets.")
        case .accountDisabled:
            (403, "The account is disabled", "The server's operator disabled it. Ask there.")
        case .accountsOff:
            (403, "Accounts are off", "This server runs with --auth open: it has no accounts and needs no log-in.")
        case .wrongPassword:
            (403, "Wrong password", "This change needs the account's current password.")
        case .freshSessionRequired:
            (
                403, "Sign in again",
                "The account has no password, so this needs a session that a provider's sign-in opened within the last 10 minutes. Sign in again with POST /sessions, and use the token of that session."
            )
        case .sessionRequired:
            (403, "Log in for this", "A token cannot do this. Log in, and use the token of that session.")
        case .notFound:
            (404, "Not found", "The resource does not exist, or it was deleted.")
        case .mailOff:
            (404, "Mail is off", "The server runs without --mail-url.")
        case .weatherOff:
            (404, "Weather is off", "The server runs without --weather-url.")
        case .appleOff:
            (404, "Apple is off", "The server runs without --apple-team, --apple-key-id and --apple-key.")
        case .pushOff:
            (
                404, "Push is off",
                "The server notifies no such devices: its operator chose neither --apns-key nor Web Push for them."
            )
        case .methodNotAllowed:
            (405, "Method not allowed", "The Allow field lists what this address answers to.")
        case .requestTimeout:
            (408, "Request timed out", "The request did not arrive in time. Send it again.")
        case .alreadyExists:
            (409, "Already exists", "The id was used before, perhaps by something deleted. Ids are never reused.")
        case .deleted:
            (409, "Deleted", "The resource was deleted. A task in the trash can be restored first.")
        case .nameTaken:
            (409, "Name taken", "Another category has this name; upper and lower case are the same here.")
        case .emailTaken:
            (409, "E-mail address taken", "There is an account with this e-mail address. Log in instead.")
        case .linkRequired:
            (
                409, "Link it first",
                "An account has the provider's address. Log in to it with its password, then POST /account/identities."
            )
        case .identityTaken:
            (409, "Identity taken", "The provider's account opens another account here.")
        case .lastWayIn:
            (
                409, "Last way to log in",
                "Without it the account could not log in. Set a password or link another identity first."
            )
        case .idempotencyKeyInUse:
            (409, "Idempotency key in use", "The first request with this key is still running. Try again shortly.")
        case .cursorExpired:
            (410, "Cursor expired", "The history that this cursor belongs to is gone. Start over without since.")
        case .preconditionFailed:
            (
                412, "Precondition failed",
                "The condition of If-Match or If-None-Match is false: the resource changed since you read it, or it exists already. Read it again; the current member holds a single resource as it is now."
            )
        case .payloadTooLarge:
            (
                413, "Payload too large",
                "The body is larger than the server's limit (--body-limit), or than an image may be (1 MiB)."
            )
        case .uriTooLong:
            (414, "Target too long", "The request target is longer than the server's limit.")
        case .unsupportedMediaType:
            (
                415, "Unsupported media type",
                "Send the body with Content-Type: application/json; an image as PNG, JPEG, WebP or HEIC."
            )
        case .expectationFailed:
            (417, "Expectation failed", "The only expectation that is met is 100-continue.")
        case .misdirectedRequest:
            (421, "Misdirected request", "Without accounts, only requests to a loopback name or address are answered.")
        case .tooManyRequests:
            (429, "Too many requests", "Wait for the number of seconds in Retry-After.")
        case .headerTooLarge:
            (431, "Header section too large", "The header section is larger than the server's limit.")
        case .internalError:
            (500, "Internal error", "The server has a fault. Its log has the cause under the request's id.")
        case .notImplemented:
            (501, "Not implemented", "The server knows no such method or transfer coding.")
        case .upstreamFailed:
            (502, "Upstream failed", "The weather service did not answer as it should.")
        case .unavailable:
            (503, "Unavailable", "The server cannot answer now. Try again after Retry-After.")
        case .upstreamTimeout:
            (504, "Upstream timed out", "The weather service took longer than 3 seconds.")
        case .versionNotSupported:
            (505, "HTTP version not supported", "Use HTTP/1.1.")
        case .quotaExceeded:
            (
                507, "Quota exceeded",
                "The account has all that it may have. Delete something; GET /account shows what it takes, and the limits."
            )
        case .insufficientStorage:
            (507, "Disk full", "There is no room on the server's disk; nothing was changed. Reading still works.")
        }
    }
}
