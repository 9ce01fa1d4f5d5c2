import Crypto
import Testing

struct PasswordHashTests {
    @Test func `the password matches, another does not`() throws {
        let hash = try PasswordHash(password: "correct horse", derivation: cheap)

        #expect(try hash.matches("correct horse"))
        #expect(try !hash.matches("correct horsf"))
        #expect(try !hash.matches(""))
    }

    @Test func `the stored text reads back as the same hash`() throws {
        let hash = try PasswordHash(password: "비밀번호 1234", derivation: cheap)

        let read = try #require(PasswordHash(hash.text))

        #expect(read == hash)
        #expect(try read.matches("비밀번호 1234"))
        #expect(hash.text.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
    }

    @Test func `two hashes of one password differ by their salt`() throws {
        #expect(
            try PasswordHash(password: "same", derivation: cheap).text
                != PasswordHash(password: "same", derivation: cheap).text)
    }

    @Test func `a hash with old parameters matches and asks for renewal`() throws {
        let old = try PasswordHash(password: "correct horse", derivation: .pbkdf2(rounds: 1000))

        #expect(try old.matches("correct horse"))
        #expect(old.needsRenewal())
        let read = try #require(PasswordHash(old.text))
        #expect(try read.matches("correct horse"))
    }

    @Test func `a new hash needs no renewal`() throws {
        let hash = try PasswordHash(password: "correct horse")

        #expect(!hash.needsRenewal())
    }

    @Test func `new hashes cost at least what OWASP asks for`() {
        switch PasswordHash.current {
        // N=2^17 with p=1, N=2^16 with 2, N=2^15 with 3, N=2^14 with 5, N=2^13 with 10; all with r=8.
        case .scrypt(let logCost, let blockSize, let parallelism):
            let least = [13: 10, 14: 5, 15: 3, 16: 2, 17: 1][logCost]
            #expect(blockSize == 8 && parallelism >= least ?? .max)
        case .pbkdf2(let rounds):
            #expect(rounds >= 600_000)
        case .scryptStream:
            Issue.record("Firebase's function is for imported hashes alone.")
        }
    }

    @Test func `a hash of a cheaper scrypt asks for renewal`() throws {
        let old = try PasswordHash(password: "correct horse", derivation: cheap)

        #expect(old.needsRenewal(by: .scrypt(logCost: 4, blockSize: 8, parallelism: 3)))
        #expect(!old.needsRenewal(by: cheap))
    }

    @Test func `what nothing matches takes no hashing to make`() throws {
        let nobody = PasswordHash.unmatchable(by: cheap)

        #expect(try !nobody.matches(""))
        #expect(!nobody.needsRenewal(by: cheap))
    }

    @Test(arguments: [
        "", "$", "plain", "$scrypt$ln=4,r=8,p=1$c2FsdA", "$scrypt$ln=4,r=8$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=4,r=8,p=1,x=2$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=4,ln=4,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHQ$AAAA", "$bcrypt$ln=4,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=60,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `what is no hash is refused`(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    /// The example that Firebase publishes with its function.
    @Test func `a hash of Firebase matches its password without the signer key`() throws {
        let example = FirebaseExample()

        let hash = try #require(example.hash())
        let read = try #require(PasswordHash(hash.text))

        #expect(read == hash && hash.text.hasPrefix("$scrypt-stream$ln=14,r=8$"))
        #expect(try read.matches("user1password"))
        #expect(try !read.matches("user1passwore") && !read.matches(""))
        #expect(read.needsRenewal())
        #expect(!hash.text.contains(ByteText.base64(example.signerKey).prefix(40)))
    }

    @Test func `what is cheaper than ours is made up for`() {
        let ours = KeyDerivation.scrypt(logCost: 15, blockSize: 8, parallelism: 3)

        #expect(
            ours.rest(after: .scryptStream(logCost: 14, blockSize: 8))
                == .scrypt(logCost: 14, blockSize: 8, parallelism: 5))
        #expect(ours.rest(after: ours) == nil)
        #expect(cheap.rest(after: .scryptStream(logCost: 14, blockSize: 8)) == nil)
    }

    @Test func `a hash of Firebase that takes more than ours, or is of another length, is refused`() {
        let example = FirebaseExample()

        #expect(example.hash(logCost: 15) != nil)
        #expect(example.hash(logCost: 16) == nil && example.hash(logCost: 0) == nil)
        #expect(example.hash(blockSize: 9) == nil && example.hash(blockSize: .max) == nil)
        #expect(example.hash(signerKey: Array(example.signerKey.dropLast())) == nil)
        #expect(example.hash(signerKey: []) == nil)
        #expect(PasswordHash("$scrypt-stream$ln=16,r=8$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA") == nil)
    }

    @Test(arguments: [
        KeyDerivation.scrypt(logCost: 40, blockSize: 8, parallelism: 1),
        .scrypt(logCost: 4, blockSize: 1 << 30, parallelism: 1), .pbkdf2(rounds: 0), .pbkdf2(rounds: .max),
    ])
    func `parameters that would take all memory or a day give no key`(derivation: KeyDerivation) {
        #expect(!derivation.isUsable)
        #expect(throws: KeyDerivation.Failed.self) { try derivation.key(from: [1], salt: [2], count: 32) }
    }
}

private struct FirebaseExample {
    let signerKey = Self.decoded(
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
    private let salt = Self.decoded("42xEC+ixf3L2lw==") + Self.decoded("Bw==")
    private let stored = Self.decoded(
        "lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==")

    func hash(signerKey: [UInt8]? = nil, logCost: Int = 14, blockSize: Int = 8) -> PasswordHash? {
        PasswordHash(
            firebase: stored, signerKey: signerKey ?? self.signerKey, salt: salt, logCost: logCost, blockSize: blockSize
        )
    }

    private static func decoded(_ text: String) -> [UInt8] {
        ByteText.bytes(lenientBase64: text) ?? []
    }
}

/// Fast enough for a test.
private let cheap = KeyDerivation.scrypt(logCost: 4, blockSize: 8, parallelism: 1)
