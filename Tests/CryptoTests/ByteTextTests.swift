import Crypto
import Testing

struct ByteTextTests {
    /// RFC 4648 §10, in lower case and without padding.
    @Test(arguments: [
        ("", "", ""), ("f", "my", "Zg"), ("fo", "mzxq", "Zm8"), ("foo", "mzxw6", "Zm9v"),
        ("foob", "mzxw6yq", "Zm9vYg"), ("fooba", "mzxw6ytb", "Zm9vYmE"), ("foobar", "mzxw6ytboi", "Zm9vYmFy"),
    ])
    func `the texts are those of the standard`(plain: String, base32: String, base64: String) {
        #expect(ByteText.base32(Array(plain.utf8)) == base32)
        #expect(ByteText.base64(Array(plain.utf8)) == base64)
        #expect(ByteText.bytes(base64: base64) == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zg==", "Z g", "Zé", "Zm9v\n"])
    func `what is no base 64 is refused`(text: String) {
        #expect(ByteText.bytes(base64: text) == nil)
    }
}
