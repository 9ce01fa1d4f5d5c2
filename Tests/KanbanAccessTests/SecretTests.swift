import Crypto
import Kanban
import Testing

@testable import KanbanAccess

struct SecretTests {
    @Test func `a code is read in any case and with white space around it, and nothing else is one`() {
        let code = SecretCode()

        #expect(code.text.utf8.count == 32 && SecretCode().text != code.text)
        #expect(SecretCode.digest(of: code.text) == code.digest)
        #expect(SecretCode.digest(of: " \(code.text.uppercased())\n") == code.digest)
        #expect(SecretCode.digest(of: String(code.text.dropLast())) == nil)
        #expect(SecretCode.digest(of: code.text + "a") == nil)
    }

    @Test func `a bearer token is read as it is, and nothing of another length or prefix is one`() {
        let secret = TokenSecret()
        let sent = Array(secret.text.utf8)

        #expect(secret.text.hasPrefix("kb_") && sent.count == 43)
        #expect(TokenSecret.digest(of: sent[...]) == secret.digest)
        #expect(TokenSecret.digest(of: Array(secret.text.uppercased().utf8)[...]) == nil)
        #expect(TokenSecret.digest(of: sent.dropLast()) == nil)
        #expect(TokenSecret.digest(of: Array("kc_\(secret.text.dropFirst(3))".utf8)[...]) == nil)
        #expect(TokenSecret.digest(of: (Array("x".utf8) + sent).dropFirst()) == secret.digest, "a slice of a request")
    }

    @Test func `keys of a ledger hide what they are of, and differ by their kind`() {
        let digest = SHA256.digest("anna@example.org".utf8)
        let keys: [AttemptThrottle.Key] = [.account(digest), .owner(digest), .address("192.0.2.7")]

        #expect(Set(keys.map(\.digest)).count == 3)
        #expect(keys.allSatisfy { $0.digest.count == 32 && $0.digest != digest })
    }
}
