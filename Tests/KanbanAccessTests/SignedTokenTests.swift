import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAccess

struct SignedTokenTests {
    private static let now = Timestamp(milliseconds: 1_795_000_000_000)
    private static let seconds = 1_795_000_000

    private let provider: Provider

    init() throws {
        provider = try #require(Provider("own=https://id.example.org,app,web"))
    }

    /// The claims of a token that is right, with some members replaced; null leaves one out.
    private func claims(_ changes: JSON = [:]) -> JSON {
        let claims: JSON = [
            "iss": "https://id.example.org", "aud": "app", "sub": "person-1", "iat": JSON(Self.seconds - 5),
            "exp": JSON(Self.seconds + 600), "email": "anna@example.org", "email_verified": true, "name": " Anna ",
        ]
        return claims.mergePatched(with: changes)
    }

    private func identity(_ changes: JSON = [:], nonce: String? = nil) throws -> ProvenIdentity {
        try ProvenIdentity(
            claims(changes), of: provider, named: provider.issuer, nonce: nonce, now: Self.now, digest: [7])
    }

    @Test func `right claims prove a person`() throws {
        let identity = try identity()

        #expect(identity.provider == "own" && identity.subject == "person-1" && identity.name == "Anna")
        #expect(identity.verifiedEmail?.text == "anna@example.org")
    }

    @Test func `an address counts as verified only if the provider says so`() throws {
        #expect(try identity(["email_verified": "true"]).verifiedEmail != nil, "Apple sends text")
        for changes in [["email_verified": false], ["email_verified": .null], ["email_verified": "yes"]] as [JSON] {
            let identity = try identity(changes)
            #expect(identity.verifiedEmail == nil && identity.email == "anna@example.org")
        }
        #expect(try identity(["email": "none"]).email == nil)
    }

    @Test(
        arguments: [
            (["iss": "https://id.example.com"], "Another issuer made it."),
            (["iss": "https://id.example.org/"], "Another issuer made it."),
            (["iss": .null], "Another issuer made it."),
            (["aud": "other"], "It is meant for another client."), (["aud": []], "It is meant for another client."),
            (["aud": ["app", "other"]], "It is meant for another client."),
            (["aud": ["app", "web"]], "Another client asked for it."),
            (["azp": "other"], "Another client asked for it."),
            (["azp": 7], "Another client asked for it."),
            (["exp": JSON(seconds - 31)], "It has expired."), (["exp": .null], "It has expired."),
            (["iat": JSON(seconds + 31)], "It is of the future."), (["iat": .null], "It is of the future."),
            (["nbf": JSON(seconds + 31)], "It is of the future."), (["nbf": "soon"], "It is of the future."),
            (["nonce": "mine"], "Its nonce differs from that of the request."), (["sub": ""], "It has no valid sub."),
            (["sub": .string(String(repeating: "x", count: 256))], "It has no valid sub."),
            (["sub": 1], "It has no valid sub."),
            (["sub": "a\u{0}"], "It has no valid sub."),
        ] as [(JSON, String)])
    func `a claim that is wrong refuses the token with its reason`(changes: JSON, reason: String) {
        #expect(throws: AccessError.tokenInvalid(reason)) { try identity(changes) }
    }

    @Test func `clocks may differ by half a minute, and several audiences need a party`() throws {
        for changes in [
            ["exp": JSON(Self.seconds - 29)], ["iat": JSON(Self.seconds + 29)], ["nbf": JSON(Self.seconds + 29)],
            ["aud": ["app", "web"], "azp": "web"],
        ] as [JSON] {
            #expect(try identity(changes).subject == "person-1")
        }
    }

    @Test func `a nonce must be the caller's`() throws {
        #expect(try identity(["nonce": "mine"], nonce: "mine").subject == "person-1")
        #expect(throws: AccessError.tokenInvalid("Its nonce differs from that of the request.")) {
            try identity(nonce: "mine")
        }
        #expect(throws: AccessError.tokenInvalid("Its nonce differs from that of the request.")) {
            try identity(["nonce": "other"], nonce: "mine")
        }
    }

    // MARK: - Its form

    @Test(arguments: ["", "a.b", "e30.e30", "e30.e30.", "e30.e30.AA.AA", "W10.e30.AA", "e30.W10.AA", "e!0.e30.AA"])
    func `what is no signed token is refused`(text: String) {
        #expect(throws: AccessError.tokenInvalid("It is no signed JSON Web Token.")) { try SignedToken(text, .idToken) }
    }

    @Test(arguments: [
        // {"alg":"none"}, {"alg":"HS256"}, {}
        "eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9", "e30",
    ])
    func `only a signature with a public key is accepted`(head: String) {
        #expect(throws: AccessError.tokenInvalid("It is not signed with RS256 or ES256.")) {
            try SignedToken("\(head).e30.AA", .idToken)
        }
    }

    @Test func `a critical extension is refused`() {
        // {"alg":"ES256","crit":["b64"]}
        #expect(throws: AccessError.tokenInvalid("Its header has crit.")) {
            try SignedToken("eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiYjY0Il19.e30.AA", .idToken)
        }
    }
}
