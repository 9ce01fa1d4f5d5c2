/// The correlation id of a request: in its answer, in a problem document and in the log.
package enum RequestID: Sendable {
    /// What the client sent: 1–128 of `[A-Za-z0-9._-]`.
    case given(String)
    /// One of ours, shown as 13 characters.
    case number(UInt64)

    /// The client's when there is a well-formed one, else the next number.
    init(of head: RequestHead, _ numbers: inout RequestNumbers) {
        guard let given = Headers(head: head).bytes("x-request-id"), (1...128).contains(given.count),
            given.allSatisfy(Self.isAllowed)
        else {
            self = .number(numbers.next())
            return
        }
        self = .given(String(decoding: given, as: UTF8.self))
    }

    package static func new() -> RequestID {
        var numbers = RequestNumbers()
        return .number(numbers.next())
    }

    package var text: String {
        switch self {
        case .given(let text): text
        // 13 characters fit into a `String` without an allocation.
        case .number(let number):
            String(unsafeUninitializedCapacity: 13) { text in
                let (first, last) = Self.digits(of: number)
                for place in 0..<13 {
                    let digits = place < 8 ? first >> UInt64(place * 8) : last >> UInt64(place * 8 - 64)
                    text[place] = UInt8(truncatingIfNeeded: digits)
                }
                return 13
            }
        }
    }

    /// The first eight and the last five characters of a number, the first of each in the lowest byte.
    static func digits(of number: UInt64) -> (first: UInt64, last: UInt64) {
        (digits(ofForty: number & 0xff_ffff_ffff), digits(ofForty: number >> 40))
    }

    /// Eight digits of five bits each, `0`–`9` and `a`–`v`, all at once: one after the other they are as many
    /// instructions as finding the route.
    private static func digits(ofForty bits: UInt64) -> UInt64 {
        var each = (bits & 0xf_ffff) | (bits & 0xff_fff0_0000) << 12
        each = (each & 0x0000_03ff_0000_03ff) | (each & 0x000f_fc00_000f_fc00) << 6
        each = (each & 0x001f_001f_001f_001f) | (each & 0x03e0_03e0_03e0_03e0) << 3
        let isLetter = (each + 0x7676_7676_7676_7676) >> 7 & 0x0101_0101_0101_0101
        return each + 0x3030_3030_3030_3030 + isLetter * 39
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
