import Crypto
import JSON
import Kanban

/// What lets a server speak to Apple for a team of developers.
package struct AppleKey: Sendable {
    /// Apple wants to see this as the audience, wherever its stand-in listens.
    private static let audience = "https://appleid.apple.com"
    /// Apple allows six months. One is made for each request.
    private static let lifetime: Int64 = 300

    private let team: String
    private let id: String
    private let key: PrivateSignatureKey

    /// - Parameters:
    ///   - team: the identifier of the team, ten letters and digits.
    ///   - id: the identifier of the key.
    package init(team: String, id: String, key: PrivateSignatureKey) {
        self.team = team
        self.id = id
        self.key = key
    }

    /// The password of a client of the team: a token that this key signs, good for some minutes.
    func clientSecret(for clientID: String, at now: Timestamp) -> String {
        // Of the clock in UTC: with a local time Apple answers invalid_client.
        let seconds = now.milliseconds / 1000
        var claims = JSONWriter(capacity: 256)
        claims.beginObject()
        claims.name("iss")
        claims.value(team)
        claims.name("iat")
        claims.value(seconds)
        claims.name("exp")
        claims.value(seconds + Self.lifetime)
        claims.name("aud")
        claims.value(Self.audience)
        claims.name("sub")
        claims.value(clientID)
        claims.endObject()
        return key.token(head: #"{"alg":"ES256","kid":"\#(id)"}"#, claims: claims.bytes)
    }
}
