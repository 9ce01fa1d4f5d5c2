import Crypto
import JSON
import Kanban

/// What Apple tells about a person who signed in with it (server-to-server notifications).
package struct AppleNotification: Hashable, Sendable {
    package enum Event: String, Sendable, CaseIterable {
        /// The person ended the use of the app.
        case consentRevoked = "consent-revoked"
        /// Apple's account of the person is gone.
        case accountDeleted = "account-deleted"
        /// Apple no longer forwards mails to the person's address.
        case emailDisabled = "email-disabled"
        case emailEnabled = "email-enabled"

        fileprivate init?(name: String) {
            // Both spellings are in use.
            self.init(rawValue: name == "account-delete" ? "account-deleted" : name)
        }
    }

    var provider: String
    /// `nil` for one that this version does not know.
    var event: Event?
    /// Empty without an ``event``.
    var subject: String
    /// The address that the event is about.
    var email: EmailAddress?
    /// When it happened.
    var at: Timestamp
    /// When the token ends, the allowed difference of clocks included.
    var expiresAt: Timestamp
    /// Tells it from others, however it is signed and spelled.
    var digest: [UInt8]

    /// How long a token without `exp` is good.
    private static let lifetime = 86_400.0
    /// How old an event may be that Apple tells of. The time of an older one, or of none, is that of the token.
    private static let oldest = 30 * 86_400.0
    private static let longestIdentifier = 255

    /// Validates the claims, after the signature and the audience were verified.
    /// - Parameter issuer: what the provider calls itself in its discovery document.
    /// - Throws: ``AccessError/tokenInvalid(_:)``.
    init(_ claims: JSON, of provider: Provider, named issuer: String, now: Timestamp) throws(AccessError) {
        let now = Double(now.milliseconds) / 1000
        guard let claim = claims["iss"]?.stringValue, provider.isIssuer(claim, named: issuer) else {
            throw .tokenInvalid("Another issuer made it.")
        }
        guard let issued = claims["iat"]?.doubleValue, issued - ProvenIdentity.skew <= now else {
            throw .tokenInvalid("It is of the future.")
        }
        let end = claims["exp"].map(\.doubleValue) ?? issued + Self.lifetime
        guard let end, end > issued, end + ProvenIdentity.skew > now else { throw .tokenInvalid("It has expired.") }
        guard let identifier = claims["jti"]?.stringValue, (1...Self.longestIdentifier).contains(identifier.utf8.count)
        else { throw .tokenInvalid("It has no jti.") }
        guard let happened = Self.events(claims["events"]), let name = happened["type"]?.stringValue else {
            throw .tokenInvalid("Its events are no JSON object with a type.")
        }
        event = Event(name: name)
        subject = ""
        if event != nil {
            guard let subject = ProvenIdentity.subject(happened["sub"]) else {
                throw .tokenInvalid("Its events have no valid sub.")
            }
            self.subject = subject
        }
        self.provider = provider.name
        email = happened["email"]?.stringValue.flatMap(EmailAddress.init)
        // In seconds as documented; milliseconds are in use, too.
        let reported = happened["event_time"]?.doubleValue.map { $0 > 1e11 ? $0 / 1000 : $0 } ?? issued
        at = Timestamp(seconds: (issued - Self.oldest...issued).contains(reported) ? reported : issued)
        expiresAt = Timestamp(seconds: end + ProvenIdentity.skew)
        digest = SHA256.digest("notification \(provider.issuer) \(identifier)".utf8)
    }

    /// A text of JSON, or the object itself.
    private static func events(_ claim: JSON?) -> JSON? {
        guard let text = claim?.stringValue else { return claim?.objectMembers == nil ? nil : claim }
        // `try?`: what does not parse is no event.
        return try? JSON(parsing: Array(text.utf8))
    }
}
