import JSON
import Kanban

/// A person's identity according to a verified token of a provider.
package struct ProvenIdentity: Hashable, Sendable {
    package var provider: String
    package var subject: String
    /// The client that asked for the token.
    package var clientID: String
    /// An address that the provider has verified.
    package var verifiedEmail: EmailAddress?
    /// Any address, to show.
    package var email: String?
    package var name: String?
    /// When the provider made the token.
    package var issuedAt: Timestamp
    /// When the token ends everywhere, the allowed difference of clocks included.
    package var expiresAt: Timestamp
    /// Tells the token from others.
    package var digest: [UInt8]
}

extension Timestamp {
    /// Within the years that a timestamp can have.
    init(seconds: Double) {
        let range = Timestamp.range
        let milliseconds = min(
            max(seconds * 1000, Double(range.lowerBound.milliseconds)), Double(range.upperBound.milliseconds))
        self.init(milliseconds: Int64(milliseconds))
    }
}

extension ProvenIdentity {
    /// The allowed difference of the clocks of provider and server, in seconds.
    static let skew = 30.0
    /// The most bytes of a subject (OpenID Connect Core §2).
    private static let longestSubject = 255

    /// A person's identifier at a provider; `nil` for what is none.
    static func subject(_ claim: JSON?) -> String? {
        guard let subject = claim?.stringValue, (1...longestSubject).contains(subject.utf8.count),
            !subject.utf8.contains(0)
        else { return nil }
        return subject
    }

    /// Validates the claims by OpenID Connect Core §3.1.3.7, after the signature was verified.
    /// - Parameter issuer: what the provider calls itself in its discovery document.
    /// - Throws: ``AccessError/tokenInvalid(_:)``.
    init(
        _ claims: JSON, of provider: Provider, named issuer: String, nonce: String?, now: Timestamp, digest: [UInt8]
    ) throws(AccessError) {
        let now = Double(now.milliseconds) / 1000
        // 2
        guard let claim = claims["iss"]?.stringValue, provider.isIssuer(claim, named: issuer) else {
            throw .tokenInvalid("Another issuer made it.")
        }
        // 3
        let audiences =
            claims["aud"]?.stringValue.map { [$0] } ?? claims["aud"]?.arrayValue?.map { $0.stringValue ?? "" }
        guard let audiences, !audiences.isEmpty, audiences.allSatisfy(provider.clientIDs.contains) else {
            throw .tokenInvalid("It is meant for another client.")
        }
        // 4, 5
        let party = claims["azp"]
        guard audiences.count == 1 || party != nil,
            party.map({ $0.stringValue.map(provider.clientIDs.contains) ?? false }) ?? true
        else { throw .tokenInvalid("Another client asked for it.") }
        // 9
        guard let expiry = claims["exp"]?.doubleValue, expiry + Self.skew > now else {
            throw .tokenInvalid("It has expired.")
        }
        // 10
        guard let issued = claims["iat"]?.doubleValue, issued - Self.skew <= now,
            claims["nbf"].map({ $0.doubleValue.map { $0 - Self.skew <= now } ?? false }) ?? true
        else { throw .tokenInvalid("It is of the future.") }
        // 11: also when only the token has one, because then the client did not compare it either.
        guard claims["nonce"]?.stringValue == nonce, claims["nonce"] == nil || nonce != nil else {
            throw .tokenInvalid("Its nonce differs from that of the request.")
        }
        guard let subject = Self.subject(claims["sub"]) else { throw .tokenInvalid("It has no valid sub.") }
        issuedAt = Timestamp(seconds: issued)
        expiresAt = Timestamp(seconds: expiry + Self.skew)
        self.digest = digest
        self.provider = provider.name
        self.subject = subject
        clientID = party?.stringValue ?? audiences[0]
        let address = claims["email"]?.stringValue.flatMap(EmailAddress.init)
        email = address?.text
        // Apple sends text.
        let isVerified = claims["email_verified"]?.boolValue ?? (claims["email_verified"]?.stringValue == "true")
        verifiedEmail = isVerified ? address : nil
        name = claims["name"]?.stringValue?.trimmed
    }
}
