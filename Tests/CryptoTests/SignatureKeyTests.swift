#if !canImport(Darwin)
    import TestSupport
    import Testing

    @testable import Crypto

    struct SignatureKeyTests {
        private static let rsa = Result { try SigningKey(.rsa(bits: 2048), id: "r") }
        private static let curve = Result { try SigningKey(.p256, id: "e") }
        private let text = Array("header.claims".utf8)

        @Test func `RS256 is verified, and nothing but its own bytes`() throws {
            let signer = try Self.rsa.get()
            let key = try #require(SignatureKey(rsaModulus: signer.modulus, exponent: signer.exponent))

            let signature = signer.signature(of: text)

            #expect(key.algorithm == .rs256 && key.verifies(signature, of: text))
            #expect(!key.verifies(signature, of: text + [0]))
            #expect(!key.verifies(signature.dropLast() + [signature[signature.count - 1] ^ 1], of: text))
            #expect(!key.verifies([], of: text) && !key.verifies(Array(repeating: 0, count: 256), of: text))
        }

        @Test func `ES256 is verified, whatever zeros its numbers begin with`() throws {
            let signer = try Self.curve.get()
            let point = signer.point
            let key = try #require(SignatureKey(p256X: Array(point[..<32]), y: Array(point[32...])))

            #expect(key.algorithm == .es256)
            // One in 128 has a number that begins with a zero.
            for number in 0..<400 {
                let bytes = text + [UInt8(number & 0xff), UInt8(number >> 8)]
                #expect(key.verifies(signer.signature(of: bytes), of: bytes))
            }
            #expect(!key.verifies(signer.signature(of: text), of: text + [1]))
            #expect(!key.verifies(Array(repeating: 0, count: 64), of: text))
            #expect(!key.verifies(Array(repeating: 0, count: 63), of: text))
        }

        @Test func `an invalid key is refused`() throws {
            let signer = try Self.rsa.get()
            let point = try Self.curve.get().point

            #expect(SignatureKey(rsaModulus: Array(signer.modulus.prefix(128)), exponent: signer.exponent) == nil)
            #expect(SignatureKey(rsaModulus: signer.modulus, exponent: [1]) == nil)
            #expect(SignatureKey(rsaModulus: signer.modulus, exponent: [1, 0, 0, 0, 1]) == nil)
            #expect(SignatureKey(rsaModulus: signer.modulus, exponent: []) == nil)
            #expect(SignatureKey(rsaModulus: Array(repeating: 0xff, count: 1025), exponent: [1, 0, 1]) == nil)
            #expect(SignatureKey(p256X: Array(point[..<32]), y: Array(point[..<32])) == nil)
            #expect(SignatureKey(p256X: Array(point[..<31]), y: Array(point[32...])) == nil)
        }

        @Test func `base 64 of tokens is read and written without padding`() {
            #expect(ByteText.base64URL([0xfb, 0xff]) == "-_8")
            #expect(ByteText.bytes(base64URL: "-_8") == [0xfb, 0xff])
            #expect(ByteText.bytes(base64URL: "+/8") == nil && ByteText.bytes(base64URL: "-_8=") == nil)
        }
    }
#endif
