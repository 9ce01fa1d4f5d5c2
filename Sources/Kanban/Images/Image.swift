/// An image of an account, a category or a D-day, without its bytes. Images never change.
package struct Image: Hashable, Sendable {
    package enum MediaType: String, Sendable, CaseIterable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case webp = "image/webp"
        case heic = "image/heic"
    }

    /// The most bytes of an image.
    package static let longest = 1 << 20

    package var id: ID
    package var mediaType: MediaType
    package var bytes: Int
    /// A hash of the bytes, 64 bits.
    package var fingerprint: UInt64
    package var revision: Revision

    package init(id: ID, mediaType: MediaType, bytes: Int, fingerprint: UInt64, revision: Revision) {
        self.id = id
        self.mediaType = mediaType
        self.bytes = bytes
        self.fingerprint = fingerprint
        self.revision = revision
    }
}

/// The bytes of an image of an accepted media type and size, without ``ImageMetadata``.
package struct ImageContent: Hashable, Sendable {
    /// Why bytes are not accepted.
    package enum Fault: Error {
        case tooLarge
        /// Not an image of an accepted media type, or empty.
        case unknownKind

        /// The rest of a sentence that begins with "The body" or a member's name.
        package var detail: String {
            switch self {
            case .tooLarge: "must have at most \(Image.longest) bytes."
            case .unknownKind: "must be a picture: PNG, JPEG, WebP or HEIC."
            }
        }
    }

    package let bytes: [UInt8]
    package let mediaType: Image.MediaType
    package let fingerprint: UInt64

    package init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Image.longest else { throw .tooLarge }
        guard let mediaType = Image.MediaType(of: bytes) else { throw .unknownKind }
        self.bytes = ImageMetadata.removed(from: bytes, mediaType)
        self.mediaType = mediaType
        fingerprint = Self.fingerprint(self.bytes)
    }

    package static func == (left: ImageContent, right: ImageContent) -> Bool {
        left.fingerprint == right.fingerprint && left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(fingerprint)
    }

    /// Eight bytes a step: a megabyte takes a tenth of a millisecond. Each step is a bijection of the state.
    private static func fingerprint(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { buffer in
            var state = UInt64(buffer.count) ^ 0x9e37_79b9_7f4a_7c15
            func mix(_ word: UInt64) {
                state = (state ^ word) &* 0xbf58_476d_1ce4_e5b9
                state ^= state >> 31
            }
            var offset = 0
            while offset + 8 <= buffer.count {
                mix(UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += 8
            }
            mix(buffer[offset...].reduce(0) { $0 << 8 | UInt64($1) })
            return state
        }
    }
}

extension Image.MediaType {
    /// Recognized by the first bytes; `nil` for anything else, such as HTML and SVG, which a browser would run.
    package init?(of bytes: [UInt8]) {
        switch bytes.prefix(12) {
        case let head where head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]): self = .png
        case let head where head.starts(with: [0xff, 0xd8, 0xff]): self = .jpeg
        case let head where head.starts(with: "RIFF".utf8) && head.dropFirst(8).elementsEqual("WEBP".utf8):
            self = .webp
        case let head where head.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8) && Self.isHEIC(bytes):
            self = .heic
        default: return nil
        }
    }

    /// Brands of still pictures and sequences in HEVC (ISO/IEC 23008-12, annex B).
    private static let brands: Set<String> = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]

    /// Looks at the brands of the first box (ISO/IEC 14496-12 §4.3): the major one, its version, then the compatible ones.
    /// A general major brand says nothing of the coding, which may be AV1.
    private static func isHEIC(_ bytes: [UInt8]) -> Bool {
        let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let box = bytes.prefix(min(max(length, 12), 256))
        return stride(from: 8, through: box.count - 4, by: 4).contains { offset in
            offset != 12 && brands.contains(String(decoding: box[offset..<offset + 4], as: UTF8.self))
        }
    }
}
