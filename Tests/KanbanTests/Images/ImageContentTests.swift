import Testing

@testable import Kanban

struct ImageContentTests {
    /// The first box of a file in the base media format.
    private static func box(_ brands: String...) -> [UInt8] {
        let body = Array("ftyp".utf8) + Array(brands[0].utf8) + [0, 0, 0, 0] + brands.dropFirst().flatMap { $0.utf8 }
        return [0, 0, 0, UInt8(body.count + 4)] + body
    }

    private static let kinds: [(bytes: [UInt8], mediaType: Image.MediaType)] = [
        ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .png), ([0xff, 0xd8, 0xff], .jpeg),
        ([0xff, 0xd8, 0xff, 0xe0, 0x00], .jpeg), (Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), .webp),
        (box("heic"), .heic), (box("heix", "mif1"), .heic), (box("mif1", "mif1", "heic"), .heic),
        (box("msf1", "hevc"), .heic),
    ]

    @Test(arguments: kinds)
    func `the first bytes say what an image is`(bytes: [UInt8], mediaType: Image.MediaType) throws {
        let content = try ImageContent(bytes + [1, 2, 3])

        #expect(content.mediaType == mediaType)
        #expect(content.bytes == bytes + [1, 2, 3])
    }

    private static let others: [[UInt8]] = [
        [], [0x89], [0xff, 0xd8], Array("RIFF\u{1}\u{2}\u{3}\u{4}WEB".utf8), Array("RIFF\u{1}\u{2}\u{3}\u{4}WAVE".utf8),
        Array("GIF89a".utf8), Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), Array("<!doctype html>".utf8),
        Array("\u{feff}<svg/>".utf8), Array(" \u{89}PNG\r\n\u{1a}\n".utf8), box("avif", "mif1"), box("mif1", "avif"),
        box("isom", "mp41"), Array(box("heic").prefix(11)), Array(box("mif1", "heic").prefix(19)), Array("BM".utf8),
        // A brand that stands outside of the box.
        box("mif1") + Array("heic".utf8), Array("%PDF-1.7".utf8),
    ]

    @Test(arguments: others)
    func `anything else is none`(bytes: [UInt8]) {
        #expect(throws: ImageContent.Fault.unknownKind) { try ImageContent(bytes) }
    }

    @Test func `it may have a mebibyte`() throws {
        let start: [UInt8] = [0xff, 0xd8, 0xff]

        #expect(try ImageContent(start + Array(repeating: 0, count: (1 << 20) - 3)).bytes.count == 1 << 20)
        #expect(throws: ImageContent.Fault.tooLarge) {
            try ImageContent(start + Array(repeating: 0, count: (1 << 20) - 2))
        }
    }

    @Test func `any other byte gives another fingerprint`() throws {
        let bytes: [UInt8] = [0xff, 0xd8, 0xff] + Array(0..<30)
        var seen = Set([try ImageContent(bytes).fingerprint])

        for place in 3..<bytes.count {
            var other = bytes
            other[place] ^= 1
            seen.insert(try ImageContent(other).fingerprint)
        }
        seen.insert(try ImageContent(bytes + [0]).fingerprint)
        seen.insert(try ImageContent(Array(bytes.dropLast())).fingerprint)

        #expect(seen.count == 33)
        #expect(try ImageContent(bytes) == ImageContent(bytes))
    }
}
