extension ID {
    /// A version 5 UUID (RFC 9562 §5.5): the same name in the same space has the same id.
    package init(name: String, in space: ID) {
        let bytes = [space.high, space.low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        let digest = SHA1.digest(of: bytes + name.utf8)
        self.init(
            high: UInt64(digest.0) << 32 | UInt64(digest.1 & 0xffff_0fff) | 0x5000,
            low: UInt64(digest.2 & 0x3fff_ffff | 0x8000_0000) << 32 | UInt64(digest.3))
    }
}

/// FIPS 180-4. By hand, since it is for names alone, and a phone has no libcrypto. Nothing secret depends on it.
private enum SHA1 {
    /// The first four of the five words of the digest.
    static func digest(of message: [UInt8]) -> (UInt32, UInt32, UInt32, UInt32) {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[start + 4 * word + $1]) }
            }
            for index in 16..<80 {
                words.append(
                    rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1))
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for (index, word) in words.enumerated() {
                let (mixed, constant): (UInt32, UInt32) =
                    switch index / 20 {
                    case 0: (b & c | ~b & d, 0x5a82_7999)
                    case 1: (b ^ c ^ d, 0x6ed9_eba1)
                    case 2: (b & c | b & d | c & d, 0x8f1b_bcdc)
                    default: (b ^ c ^ d, 0xca62_c1d6)
                    }
                (a, b, c, d, e) = (rotated(a, by: 5) &+ mixed &+ e &+ constant &+ word, a, rotated(b, by: 30), c, d)
            }
            for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
        }
        return (state[0], state[1], state[2], state[3])
    }

    private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
