import Testing

@testable import Kanban

struct ImageMetadataTests {
    /// A directory with an orientation and the text of a place.
    private static func tiff(_ orientation: UInt8, isLittle: Bool) -> [UInt8] {
        let place = Array("37.5665N".utf8)
        return isLittle
            ? [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
                + place
            : [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
                + place
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xff, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xff)] + content
    }

    private static func jpeg(_ metadata: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0xff, 0xd8]
        bytes += segment(0xe0, Array("JFIF\0".utf8))
        bytes += metadata
        bytes += segment(0xe2, Array("ICC_PROFILE\0profile".utf8))
        bytes += segment(0xdb, [1, 2, 3])
        bytes += segment(0xda, [1, 1, 0])
        bytes += [7, 0xff, 0, 8, 0xff, 0xd0, 9]
        bytes += segment(0xc4, [4])
        bytes += segment(0xda, [2])
        return bytes + [5, 6, 0xff, 0xd9]
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(content.count)] + Array(name.utf8) + content + [1, 2, 3, 4]
    }

    private static func png(_ metadata: [UInt8]) -> [UInt8] {
        [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", [1]) + chunk("iCCP", [2]) + metadata
            + chunk("IDAT", [3, 4]) + chunk("IEND", [])
    }

    private static func webp(_ chunks: [(name: String, content: [UInt8])]) -> [UInt8] {
        var body: [UInt8] = []
        for (name, content) in chunks {
            body += Array(name.utf8)
            body += [UInt8(content.count), 0, 0, 0]
            body += content
            if content.count % 2 == 1 { body.append(0) }
        }
        return Array("RIFF".utf8) + [UInt8(body.count + 4), 0, 0, 0] + Array("WEBP".utf8) + body
    }

    private static func header(_ flags: UInt8) -> (name: String, content: [UInt8]) {
        ("VP8X", [flags, 0, 0, 0, 1, 0, 0, 1, 0, 0])
    }

    private func content(_ bytes: [UInt8]) throws -> [UInt8] { try ImageContent(bytes).bytes }

    @Test(arguments: [true, false])
    func `a photo loses the place and keeps its orientation and profile`(isLittle: Bool) throws {
        let exif = Array("Exif\0\0".utf8) + Self.tiff(6, isLittle: isLittle)
        let photo = Self.jpeg(
            Self.segment(0xe1, exif) + Self.segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
                + Self.segment(0xed, Array("Photoshop 3.0\0".utf8)) + Self.segment(0xfe, Array("a comment".utf8)))

        let kept = try content(photo + Array("trailer".utf8))

        let orientation: [UInt8] =
            Array("Exif\0\0".utf8) + Self.tiff(6, isLittle: false).dropLast(Array("37.5665N".utf8).count)
        var expected = Self.jpeg([])
        expected.insert(contentsOf: Self.segment(0xe1, orientation), at: 2)
        #expect(kept == expected)
        #expect(try content(kept).count == kept.count, "what is clean stays")
    }

    @Test func `a PNG loses its texts and times`() throws {
        let picture = Self.png(
            Self.chunk("tEXt", Array("Author\0me".utf8)) + Self.chunk("tIME", [1, 2]) + Self.chunk("zTXt", [1])
                + Self.chunk("iTXt", [1]) + Self.chunk("eXIf", Self.tiff(1, isLittle: true)))

        #expect(try content(picture) == Self.png([]))
    }

    @Test func `the checksum of a kept orientation is right`() throws {
        let kept = try content(Self.png(Self.chunk("eXIf", Self.tiff(8, isLittle: true))))

        let start = try #require(kept.indices.first { kept[$0...].starts(with: "eXIf".utf8) })
        let chunk = Array(kept[start..<(start + 30)])
        let expected = Self.crc(chunk)
        let found = kept[(start + 30)..<(start + 34)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        #expect(found == expected && chunk[23] == 8)
    }

    @Test func `a WebP loses both and its header says so`() throws {
        let picture = Self.webp([
            Self.header(0x2c), ("ICCP", [1, 2]), ("VP8 ", [3]), ("EXIF", Self.tiff(1, isLittle: true)), ("XMP ", [1]),
        ])

        #expect(try content(picture) == Self.webp([Self.header(0x20), ("ICCP", [1, 2]), ("VP8 ", [3])]))
    }

    @Test func `a WebP keeps its orientation`() throws {
        let picture = Self.webp([Self.header(0x08), ("VP8 ", [3, 4]), ("EXIF", Self.tiff(3, isLittle: false))])

        let kept = try content(picture)

        #expect(kept.count < picture.count && kept[20] == 0x08 && Int(kept[4]) + 8 == kept.count)
        #expect(kept.suffix(7).first == 3)
    }

    @Test func `what is cut off, broken or clean stays as it is`() throws {
        let photo = Self.jpeg(Self.segment(0xe1, Array("Exif\0\0".utf8) + Self.tiff(6, isLittle: true)))
        let picture = Self.png(Self.chunk("tEXt", [1]))
        let web = Self.webp([("VP8 ", [3]), ("EXIF", [1, 2])])
        for whole in [photo, picture, web] {
            for count in 12..<whole.count - 1 {
                let cut = Array(whole.prefix(count))
                let kept = try content(cut)
                #expect(kept == cut)
            }
        }
        for clean in [Self.jpeg([]), Self.png([]), Self.webp([("VP8 ", [3])])] { #expect(try content(clean) == clean) }
    }

    /// Bit by bit, as the standard defines it.
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            for bit in 0..<8 {
                let low = (sum ^ UInt32(byte >> UInt8(bit))) & 1
                sum = (sum >> 1) ^ (low == 1 ? 0xedb8_8320 : 0)
            }
        }
        return ~sum
    }
}
