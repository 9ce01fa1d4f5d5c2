/// Removes the metadata that a camera writes into the file, for example the place: users do not expect to publish these
/// with a picture. The orientation and the color profile stay, since the picture would look otherwise.
///
/// It goes by the structure of the file and decodes nothing. Bytes that do not have that structure to their end stay as they
/// are, and so does HEIC, whose metadata lie among the bytes of the picture.
enum ImageMetadata {
    static func removed(from bytes: [UInt8], _ mediaType: Image.MediaType) -> [UInt8] {
        switch mediaType {
        case .jpeg: jpeg(bytes) ?? bytes
        case .png: png(bytes) ?? bytes
        case .webp: webp(bytes) ?? bytes
        case .heic: bytes
        }
    }

    // MARK: - JPEG (ITU-T T.81, annex B)

    private static func jpeg(_ bytes: [UInt8]) -> [UInt8]? {
        var kept: [UInt8] = [0xff, 0xd8]
        var orientation: UInt16?
        var isChanged = false
        var place = 2
        while true {
            guard place + 4 <= bytes.count || place + 2 <= bytes.count && bytes[place + 1] == 0xd9,
                bytes[place] == 0xff
            else { return nil }
            let marker = bytes[place + 1]
            if marker == 0xd9 { break }
            let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
            let end = place + 2 + length
            guard length >= 2, end <= bytes.count else { return nil }
            let segment = bytes[(place + 4)..<end]
            if isPicture(marker, segment) {
                kept += bytes[place..<end]
            } else {
                isChanged = true
                if marker == 0xe1, segment.starts(with: Array("Exif\0\0".utf8)) {
                    orientation = orientation ?? self.orientation(ofTIFF: Array(segment.dropFirst(6)))
                }
            }
            place = end
            if marker == 0xda {
                // The coded picture goes to the next marker; a 0xff in it is followed by 0, and restarts belong to it.
                let start = place
                while place + 1 < bytes.count,
                    bytes[place] != 0xff || bytes[place + 1] == 0 || (0xd0...0xd7).contains(bytes[place + 1])
                {
                    place += 1
                }
                kept += bytes[start..<place]
            }
        }
        guard isChanged else { return nil }
        kept += [0xff, 0xd9]
        guard let orientation else { return kept }
        let exif = Array("Exif\0\0".utf8) + tiff(orientation)
        kept.insert(contentsOf: [0xff, 0xe1, 0, UInt8(exif.count + 2)] + exif, at: 2)
        return kept
    }

    /// The segments that a decoder needs, JFIF, Adobe's transform and the color profile.
    private static func isPicture(_ marker: UInt8, _ segment: ArraySlice<UInt8>) -> Bool {
        switch marker {
        case 0xe0, 0xee: true
        case 0xe2: segment.starts(with: Array("ICC_PROFILE\0".utf8))
        case 0xe1...0xef, 0xfe: false
        default: true
        }
    }

    // MARK: - PNG (ISO/IEC 15948, §5)

    private static func png(_ bytes: [UInt8]) -> [UInt8]? {
        var kept = Array(bytes.prefix(8))
        var isChanged = false
        var place = 8
        while true {
            guard place + 12 <= bytes.count else { return nil }
            let length = big(bytes[place..<place + 4])
            let end = place + 12 + length
            guard end <= bytes.count else { return nil }
            let name = String(decoding: bytes[(place + 4)..<(place + 8)], as: UTF8.self)
            switch name {
            case "tEXt", "zTXt", "iTXt", "tIME": isChanged = true
            case "eXIf":
                isChanged = true
                if let orientation = orientation(ofTIFF: Array(bytes[(place + 8)..<(end - 4)])) {
                    let chunk = Array("eXIf".utf8) + tiff(orientation)
                    kept += big(UInt32(chunk.count - 4)) + chunk + big(crc(chunk))
                }
            default: kept += bytes[place..<end]
            }
            place = end
            if name == "IEND" { break }
        }
        return isChanged ? kept : nil
    }

    /// CRC-32 (ISO/IEC 15948, annex D).
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xedb8_8320 ^ (sum >> 1) : sum >> 1 }
        }
    }

    // MARK: - WebP (RFC 9649 §2)

    private static func webp(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 12, little(bytes[4..<8]) + 8 <= bytes.count else { return nil }
        let whole = little(bytes[4..<8]) + 8
        var kept = Array(bytes.prefix(12))
        var flags: Int?
        var orientation: UInt16?
        var isChanged = false
        var place = 12
        while place < whole {
            guard place + 8 <= whole else { return nil }
            let length = little(bytes[(place + 4)..<(place + 8)])
            let end = place + 8 + length + length % 2
            guard end <= whole else { return nil }
            switch String(decoding: bytes[place..<place + 4], as: UTF8.self) {
            case "EXIF":
                isChanged = true
                let content = bytes[(place + 8)..<(place + 8 + length)]
                let prefix = Array("Exif\0\0".utf8)
                orientation = self.orientation(
                    ofTIFF: Array(content.starts(with: prefix) ? content.dropFirst(prefix.count) : content))
            case "XMP ": isChanged = true
            case "VP8X":
                guard length >= 10 else { return nil }
                flags = kept.count + 8
                kept += bytes[place..<end]
            default: kept += bytes[place..<end]
            }
            place = end
        }
        guard isChanged else { return nil }
        // Bits of the header tell which of the two are there.
        if let flags { kept[flags] = kept[flags] & ~0x0c | (orientation == nil ? 0 : 0x08) }
        if let orientation {
            let exif = tiff(orientation)
            kept += Array("EXIF".utf8) + little(UInt32(exif.count)) + exif
        }
        kept.replaceSubrange(4..<8, with: little(UInt32(kept.count - 8)))
        return kept
    }

    // MARK: - Orientation (TIFF 6.0, §2; Exif 2.32, 4.6.4)

    /// The orientation of the first directory, unless it is the usual one.
    private static func orientation(ofTIFF bytes: [UInt8]) -> UInt16? {
        guard bytes.count >= 14 else { return nil }
        let isLittle = bytes.starts(with: [0x49, 0x49])
        func number(_ place: Int, _ count: Int) -> Int {
            let part = bytes[place..<place + count]
            return isLittle ? little(part) : big(part)
        }
        let start = number(4, 4)
        guard isLittle || bytes.starts(with: [0x4d, 0x4d]), start <= bytes.count - 2 else { return nil }
        for entry in 0..<number(start, 2) {
            let place = start + 2 + 12 * entry
            guard place + 12 <= bytes.count else { return nil }
            if number(place, 2) == 0x0112 {
                let value = number(place + 8, 2)
                return (2...8).contains(value) ? UInt16(value) : nil
            }
        }
        return nil
    }

    /// A directory with the orientation alone.
    private static func tiff(_ orientation: UInt16) -> [UInt8] {
        [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
    }

    private static func big(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    private static func little(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
    private static func big(_ number: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
    private static func little(_ number: UInt32) -> [UInt8] { big(number).reversed() }
}
