import Crypto
import JSON

/// A JSON Web Token with a signature, parsed and not yet verified (RFC 7519, in the compact form of RFC 7515 §3.1).
struct SignedToken {
    /// What an issuer signs with one key. Access tokens and logout tokens are of no use here.
    enum Kind {
        /// Of OpenID Connect.
        case idToken
        /// What Apple tells about a person, in `events`.
        case notification
    }

    /// The name of the key that signed it.
    let keyID: String?
    let algorithm: SignatureKey.Algorithm
    let claims: JSON
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// - Throws: ``AccessError/tokenInvalid(_:)``.
    init(_ text: String, _ kind: Kind) throws(AccessError) {
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
        switch kind {
        case .idToken:
            guard head["typ"].map({ $0.stringValue?.uppercased() == "JWT" }) ?? true, claims["events"] == nil else {
                throw .tokenInvalid("It is no ID token.")
            }
        case .notification:
            guard claims["events"] != nil else { throw .tokenInvalid("It is no notification.") }
        }
        self.algorithm = algorithm
        keyID = head["kid"]?.stringValue
        self.claims = claims
        signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
        self.signature = signature
    }

    /// Of what is signed: the same signature can be spelled in several ways.
    var digest: [UInt8] { SHA256.digest(signed) }

    /// Those that it is meant for; empty when it names none.
    var audiences: [String] {
        claims["aud"]?.stringValue.map { [$0] } ?? claims["aud"]?.arrayValue?.map { $0.stringValue ?? "" } ?? []
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

extension PrivateSignatureKey {
    /// A JSON Web Token (RFC 7519).
    func token(head: String, claims: [UInt8]) -> String {
        let signed = "\(ByteText.base64URL(Array(head.utf8))).\(ByteText.base64URL(claims))"
        return "\(signed).\(ByteText.base64URL(signature(of: Array(signed.utf8))))"
    }
}
