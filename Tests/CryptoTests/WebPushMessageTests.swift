import Testing

@testable import Crypto

/// The example of RFC 8291, appendix A.
struct WebPushMessageTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(ByteText.bytes(base64URL: text)) }

    private func pair(_ scalar: String, _ point: String) throws -> AgreementKey {
        try #require(AgreementKey(scalar: bytes(scalar), point: bytes(point)))
    }

    private func sender() throws -> AgreementKey {
        try pair(
            "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
    }

    private let receiver =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

    @Test func `the message of the RFC is encrypted as there`() throws {
        let message = WebPushMessage.encrypted(
            Array("When I grow up, I want to be a watermelon".utf8), to: try bytes(receiver),
            secret: try bytes("BTBZMqHH6r4Tts7J_aSIgg"), key: try sender(), salt: try bytes("DGv6ra1nlYgDCS1FRnbzlw"))

        #expect(
            message.map(ByteText.base64URL)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
                + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    @Test func `both sides agree on one secret`() throws {
        let other = try pair("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", receiver)

        let secret = try #require(try sender().secret(with: other.publicPoint))

        #expect(ByteText.base64URL(secret) == "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
        #expect(other.secret(with: try sender().publicPoint) == secret)
    }

    @Test func `a new pair is kept and read again, and signs`() throws {
        let pair = AgreementKey()
        let again = try #require(AgreementKey(der: pair.der))

        #expect(again.publicPoint == pair.publicPoint && pair.publicPoint.count == 65)
        let point = pair.publicPoint
        let key = try #require(SignatureKey(p256X: Array(point[1..<33]), y: Array(point[33...])))
        let signature = try PrivateSignatureKey(der: pair.der).signature(of: [1, 2, 3])
        #expect(key.verifies(signature, of: [1, 2, 3]))
    }

    @Test func `what is no point of the curve, or no key, is refused`() throws {
        let pair = AgreementKey()
        var point = pair.publicPoint
        point[64] ^= 1

        #expect(pair.secret(with: point) == nil)
        #expect(pair.secret(with: Array(point.dropLast())) == nil)
        #expect(pair.secret(with: []) == nil)
        #expect(AgreementKey(der: [1, 2, 3]) == nil)
        #expect(WebPushMessage.encrypted([1], to: point, secret: []) == nil)
    }
}
