import Crypto
import JSON
import Kanban

/// An ID token of OpenID Connect, parsed and not yet verified (RFC 7519, in the compact form of RFC 7515 §3.1).
struct IDToken {
    /// The name of the key that signed it.
    let keyID: String?
    let algorithm: SignatureKey.Algorithm
    let claims: JSON
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// - Throws: ``AccessError/tokenInvalid(_:)``.
    init(_ text: String) throws(AccessError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Self.json(parts[0]), let claims = Self.json(parts[1]),
            let signature = ByteText.bytes(base64URL: String(Substring(parts[2]))), !signature.isEmpty
        else { throw .tokenInvalid("It is no signed JSON Web Token.") }
        // Not `none`, and not an HMAC with a public key.
        guard let algorithm = head["alg"]?.stringValue.flatMap(SignatureKey.Algorithm.init(rawValue:)) else {
            throw .tokenInvalid("It is not signed with RS256 or ES256.")
        }
        // A critical extension; we support none (RFC 7515 §4.1.11).
        guard head["crit"] == nil else { throw .tokenInvalid("Its header has crit.") }
        self.algorithm = algorithm
        keyID = head["kid"]?.stringValue
        self.claims = claims
        signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
        self.signature = signature
    }

    func isSigned(by key: SignatureKey) -> Bool {
        key.algorithm == algorithm && key.verifies(signature, of: signed)
    }

    private static func json(_ part: Substring.UTF8View) -> JSON? {
        // `try?`: a text that does not parse is not a token.
        guard let bytes = ByteText.bytes(base64URL: String(Substring(part))), let json = try? JSON(parsing: bytes),
            json.objectMembers != nil
        else { return nil }
        return json
    }
}

/// A person's identity according to a verified token of a provider.
package struct ProvenIdentity: Hashable, Sendable {
    package var provider: String
    package var subject: String
    /// An address that the provider has verified.
    package var verifiedEmail: EmailAddress?
    /// Any address, to show.
    package var email: String?
    package var name: String?
}

extension ProvenIdentity {
    /// The allowed difference of the clocks of provider and server, in seconds.
    static let skew = 30.0
    /// The most bytes of a subject (OpenID Connect Core §2).
    private static let longestSubject = 255

    /// Validates the claims by OpenID Connect Core §3.1.3.7, after the signature was verified.
    /// - Parameter issuer: what the provider calls itself in its discovery document.
    /// - Throws: ``AccessError/tokenInvalid(_:)``.
    init(
        _ claims: JSON, of provider: Provider, named issuer: String, nonce: String?, now: Timestamp
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
        guard let subject = claims["sub"]?.stringValue, (1...Self.longestSubject).contains(subject.utf8.count),
            !subject.utf8.contains(0)
        else { throw .tokenInvalid("It has no valid sub.") }
        self.provider = provider.name
        self.subject = subject
        let address = claims["email"]?.stringValue.flatMap(EmailAddress.init)
        email = address?.text
        // Apple sends text.
        let isVerified = claims["email_verified"]?.boolValue ?? (claims["email_verified"]?.stringValue == "true")
        verifiedEmail = isVerified ? address : nil
        name = claims["name"]?.stringValue?.trimmed
    }
}
