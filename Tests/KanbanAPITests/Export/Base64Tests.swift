import Foundation
import TestSupport
import Testing

@testable import KanbanAPI

struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of the standard`(bytes: String, text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(Base64.decode(text) == Array(bytes.utf8))
    }

    @Test func `any bytes come back, and are written as Foundation writes them`() {
        var random = SeededRandom(seed: 7)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64.decode(text) == bytes)
        }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zg==Zg==", "Zm9=v", "Zm 9", "Zm9\n", "Zm-_", "Zh==", "Zm9=",
        "é==",
        "Zg=A",
    ])
    func `other text is none`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
