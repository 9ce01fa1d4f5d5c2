/// Eight hexadecimal digits at once, the first in the lowest byte. Every request reads and writes ids of 32 digits; one
/// byte at a time took twenty times as many instructions.
struct HexDigits {
    let text: UInt64

    init(_ text: UInt64) {
        self.text = text
    }

    /// The digits of a number of 32 bits, in lower case.
    init(of value: UInt64) {
        // Each step moves the upper half of every group up, until each byte holds four bits: the first digit's lowest.
        var digits = value << 32 & 0xffff_0000_0000 | value >> 16
        digits = digits << 16 & 0x00ff_0000_00ff_0000 | digits >> 8 & 0x0000_00ff_0000_00ff
        digits = digits << 8 & 0x0f00_0f00_0f00_0f00 | digits >> 4 & 0x000f_000f_000f_000f
        // From ten on a digit carries into the fourth bit when six is added; "a" stands 39 after "9" + 1.
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        text = digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    /// The number of eight digits in any case; `nil` unless all are digits.
    var value: UInt64? {
        guard isHexadecimal else { return nil }
        let letters = text >> 6 & 0x0101_0101_0101_0101
        let digits = text & 0x0f0f_0f0f_0f0f_0f0f &+ letters &* 9
        var value = digits.byteSwapped
        value = (value >> 4 | value) & 0x00ff_00ff_00ff_00ff
        value = (value >> 8 | value) & 0x0000_ffff_0000_ffff
        value = (value >> 16 | value) & 0xffff_ffff
        return value
    }

    private var isHexadecimal: Bool {
        let each: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        // Without their high bits no sum carries into the next byte.
        let low = text & ~highBits
        let lower = low | each &* 0x20
        // The high bit of each byte: set from "0" on, and not yet behind "9"; the same of "a" and "f".
        let digits = (low &+ each &* 0x50) & ~(low &+ each &* 0x46)
        let letters = (lower &+ each &* 0x1F) & ~(lower &+ each &* 0x19)
        return (digits | letters) & ~text & highBits == highBits
    }
}
