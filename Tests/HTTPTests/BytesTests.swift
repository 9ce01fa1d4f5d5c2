import Testing

@testable import HTTP

struct BytesTests {
    private let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    @Test func `the characters of a token are those of RFC 9110`() {
        for byte in UInt8.min...UInt8.max { #expect(byte.isTokenCharacter == tokens.contains(byte)) }
    }

    @Test func `a name of a host is made of letters, digits and four marks`() {
        let wanted = Set("-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

        for byte in UInt8.min...UInt8.max { #expect(byte.isHostNameCharacter == wanted.contains(byte)) }
    }

    @Test func `a usual name ends at its first byte that is no letter, digit, hyphen or dot`() {
        let usual = Set("-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for place in 0..<16 {
            for byte in UInt8.min...UInt8.max {
                var bytes = Array("xAccept-Enc.0ding9".utf8)
                bytes[place + 1] = byte

                if bytes.span.endOfUsualName(in: 1..<17) != (usual.contains(byte) ? 17 : place + 1) {
                    Issue.record("\(byte) at \(place)")
                }
            }
        }
        let short = Array("abcdefg:".utf8)
        #expect(short.span.endOfUsualName(in: 0..<7) == 0)
    }

    @Test(arguments: ["host", "Host", "HOST", "hos", "hosts", "hoss"])
    func `names are compared without their case`(name: String) {
        let isEqual = Array(name.utf8).withUnsafeBytes { FieldSyntax.equal($0, "host") }

        #expect(isEqual == (name.lowercased() == "host"))
    }

    @Test func `long names are compared to their end`() {
        func isEqual(_ name: String) -> Bool {
            Array(name.utf8).withUnsafeBytes { FieldSyntax.equal($0, "transfer-encoding") }
        }

        #expect(isEqual("Transfer-Encoding"))
        #expect(!isEqual("Transfer-Encodinh"))
        #expect(!isEqual("Xransfer-Encoding"))
        #expect(!isEqual("Transfer-Xncoding"))
    }

    @Test func `one byte is found at any place among harmless ones, and only one that is meant`() {
        for length in [1, 7, 8, 9, 16, 21] {
            for place in 0..<length {
                for byte in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: UInt8(ascii: "z"), count: length)
                    bytes[place] = byte

                    let isRefused = bytes.span.contains(
                        in: 0..<length, where: { $0.isRefusedInTarget },
                        quickly: {
                            $0.hasByte(below: 0x21) | $0.hasByte(above: 0x7E) | $0.hasByte(UInt8(ascii: "#"))
                                | $0.hasByte(UInt8(ascii: "\\"))
                        })
                    let isControl = bytes.span.contains(
                        in: 0..<length, where: { !$0.isFieldValueCharacter },
                        quickly: { $0.hasByte(below: 0x20) | $0.hasByte(0x7F) })

                    if isRefused != byte.isRefusedInTarget || isControl != !byte.isFieldValueCharacter {
                        Issue.record("\(byte) at \(place) of \(length)")
                    }
                }
            }
        }
    }

    @Test func `only the range that was asked for is looked at`() {
        let bytes: [UInt8] = [0] + Array("harmless enough".utf8) + [0]
        func hasBreak(_ range: Range<Int>) -> Bool {
            bytes.span.contains(in: range, where: { $0.isLineBreak }, quickly: { $0.hasByte(below: 0x0E) })
        }
        func first(_ byte: UInt8, from start: Int) -> Int? {
            bytes.span.firstIndex(of: byte, from: start)
        }

        #expect(!hasBreak(1..<bytes.count - 1))
        #expect(hasBreak(1..<bytes.count))
        #expect(first(0, from: 1) == bytes.count - 1)
        #expect(first(1, from: 0) == nil)
        #expect(first(0, from: bytes.count) == nil)
    }

    @Test(arguments: ["", "&", "a", "a&b", "&a&&bc&", "&&"])
    func `pieces are what split gives`(text: String) {
        let bytes = Array("=\(text)=".utf8).dropFirst().dropLast()

        #expect(bytes.pieces(separatedBy: UInt8(ascii: "&")) == bytes.split(separator: UInt8(ascii: "&")))
    }
}
