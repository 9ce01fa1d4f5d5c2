import Crypto
import TestSupport
import Testing

struct PrivateSignatureKeyTests {
    /// A key as `openssl` writes it.
    private func openssl(_ arguments: String...) throws -> String {
        let run = try ChildProcess.run("/usr/bin/openssl", arguments, environment: [:])
        try #require(run.ending == .exited(0), "\(run.errors)")
        return run.output
    }

    #if !canImport(Darwin)
        @Test func `what it signs its public half verifies, however short r or s is`() throws {
            let pair = try SigningKey(.p256, id: "a")
            let key = try PrivateSignatureKey(pem: pair.pem)
            let verifier = try #require(
                SignatureKey(p256X: Array(pair.point.prefix(32)), y: Array(pair.point.suffix(32))))

            // One in 128 has a side that begins with a zero byte, and so is shorter in DER.
            var short = 0
            for number in 0..<4000 {
                let text = Array("header.claims \(number)".utf8)
                let signature = key.signature(of: text)
                try #require(signature.count == 64 && verifier.verifies(signature, of: text), "\(number)")
                #expect(!verifier.verifies(signature, of: text + [0]))
                if signature[0] == 0 || signature[32] == 0 { short += 1 }
            }
            #expect(short > 0)
        }
    #endif

    @Test func `a file of Apple's is read whatever its line ends, and no other key is taken`() throws {
        let good = try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        for text in [good, good.replacing("\n", with: "\r\n"), "\u{feff}a comment\n" + good + "more\n"] {
            #expect(try PrivateSignatureKey(pem: text).signature(of: []).count == 64)
        }

        for other in [
            try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"),
            try openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
            try openssl("genpkey", "-algorithm", "ED25519"),
        ] {
            #expect(throws: PrivateSignatureKey.Fault.notP256) { try PrivateSignatureKey(pem: other) }
        }
    }

    @Test func `what holds no private key is unreadable`() throws {
        let good = try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        let lines = good.split(separator: "\n")
        for text in [
            "", "nonsense", String(good.dropLast(30)), "\(lines[0])\n\(lines[2...].joined(separator: "\n"))",
            good.replacing("M", with: "!"), "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            good.replacing("PRIVATE KEY", with: "PUBLIC KEY"),
            // With a password, which nobody could type.
            try openssl(
                "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes-128-cbc", "-pass", "pass:x"),
        ] {
            #expect(throws: PrivateSignatureKey.Fault.unreadable, "\(text.prefix(40))") {
                try PrivateSignatureKey(pem: text)
            }
        }
    }
}
