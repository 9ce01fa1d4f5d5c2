import Crypto
import Testing

struct SHA256Tests {
    /// FIPS 180-4's examples, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the digest is that of the standard`(message: String, expected: String) {
        #expect(hex(SHA256.digest(Array(message.utf8))) == expected)
        #expect(hex(SHA256.digest(message.utf8)) == expected)
    }

    @Test func `a million times a has the digest of the standard, in pieces of any size`() {
        var hash = SHA256()
        var left = 1_000_000
        for size in (1...2000).lazy where left > 0 {
            let piece = min(size, left)
            hash.update([UInt8](repeating: UInt8(ascii: "a"), count: piece))
            left -= piece
        }
        let digest = hash.finish()

        #expect(left == 0)
        #expect(hex(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `a collection without storage of its own is hashed like an array`() {
        let bytes = (0..<300).lazy.map { UInt8(truncatingIfNeeded: $0) }
        var hash = SHA256()
        hash.update(bytes)
        let digest = hash.finish()

        #expect(digest == SHA256.digest(Array(bytes)))
        #expect(SHA256.digest(bytes) == digest)
    }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}
