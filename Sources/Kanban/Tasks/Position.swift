/// The position of a task in its column: base-62 digits (`0`–`9`, `A`–`Z`, `a`–`z`) in byte-wise order, made only by
/// the server.
///
/// Fractional indexing: a whole number whose first letter gives its length, then an optional fraction. The first letter
/// counts up from `a` (one digit) for numbers from zero on, and down from `Z` for negative ones. So positions stay
/// short at both ends of a column, and there is always another between two of them. A fraction never ends in `0`.
package struct Position: Hashable, Comparable, Sendable {
    package let text: String

    package init(text: String) {
        self.text = text
    }

    /// Parses a position; `nil` for any other text.
    package init?(reading text: String) {
        guard text.utf8.count <= 64, Parts.areWellFormed(text.utf8) else { return nil }
        // The least and the greatest whole numbers, with nothing before and after them; no column gets there.
        guard let head = text.utf8.first, head != UInt8(ascii: "A"), head != UInt8(ascii: "z") else { return nil }
        self.text = text
    }

    /// A search key between this position and all lesser ones. Not a position itself.
    var justBelow: Position {
        var bytes = Array(text.utf8)
        guard let last = bytes.popLast() else { return self }
        return Position(text: String(decoding: bytes + [last - 1, UInt8(ascii: "~")], as: UTF8.self))
    }

    /// A search key between this position and all greater ones.
    var justAbove: Position { Position(text: text + "!") }

    package static func < (left: Position, right: Position) -> Bool {
        // In ASCII that is the order of the bytes, and takes a tenth of the time of comparing them one by one.
        left.text < right.text
    }

    /// The next whole number if it differs in the last digit alone, as after most last tasks of a column; else `nil`. The
    /// arrays of ``Parts`` take five times as long.
    private var countedUp: String? {
        var text = text
        return text.withUTF8 { bytes in
            guard Parts.isWhole(bytes), let last = bytes.last, let next = Parts.digit(after: last) else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { digits in
                _ = digits.initialize(from: bytes)
                digits[bytes.count - 1] = next
                return bytes.count
            }
        }
    }

    /// A position after `lower` and before `upper`; `nil` is the end of the column.
    /// - Precondition: `lower < upper`.
    package init(after lower: Position?, before upper: Position?) {
        if upper == nil, let next = lower?.countedUp {
            text = next
            return
        }
        let digits: [UInt8]
        switch (lower.map(Parts.init), upper.map(Parts.init)) {
        case (nil, nil):
            digits = Parts.zero
        case (let lower?, nil):
            digits = Parts.increment(lower.whole) ?? lower.whole + Parts.fraction(after: lower.fraction, before: [])
        case (nil, let upper?):
            if !upper.fraction.isEmpty {
                digits = upper.whole
            } else {
                // The least whole number is 62²⁶ steps away: no column gets there.
                digits = Parts.decrement(upper.whole) ?? upper.whole
            }
        case (let lower?, let upper?):
            if lower.whole == upper.whole {
                digits = lower.whole + Parts.fraction(after: lower.fraction, before: upper.fraction)
            } else if let next = Parts.increment(lower.whole), next != upper.whole || !upper.fraction.isEmpty {
                digits = next
            } else {
                digits = lower.whole + Parts.fraction(after: lower.fraction, before: [])
            }
        }
        text = String(decoding: digits, as: UTF8.self)
    }

    /// `count` positions between two, in order, about evenly spread, at most a few bytes longer than needed.
    package static func spread(_ count: Int, after lower: Position?, before upper: Position?) -> [Position] {
        guard count > 0 else { return [] }
        if upper == nil || lower == nil {
            var places: [Position] = []
            for _ in 0..<count {
                let next =
                    upper == nil
                    ? Position(after: places.last ?? lower, before: nil)
                    : Position(after: nil, before: places.last ?? upper)
                places.append(next)
            }
            return upper == nil ? places : places.reversed()
        }
        let middle = Position(after: lower, before: upper)
        return spread(count / 2, after: lower, before: middle) + [middle]
            + spread(count - count / 2 - 1, after: middle, before: upper)
    }
}

/// The whole number and the fraction of a position.
private struct Parts {
    static let base = 62
    static let zero = Array("a0".utf8)

    let whole: [UInt8]
    let fraction: [UInt8]

    init(_ position: Position) {
        let bytes = Array(position.text.utf8)
        let length = bytes.first.map(Parts.length) ?? 0
        whole = Array(bytes.prefix(length))
        fraction = Array(bytes.dropFirst(length))
    }

    /// A letter, its number of digits, and a fraction that does not end in `0`.
    static func areWellFormed(_ bytes: String.UTF8View) -> Bool {
        guard let head = bytes.first, head >= UInt8(ascii: "A") else { return false }
        let areDigits = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: false
            }
        }
        let length = areDigits ? length(head: head) : 0
        return areDigits && bytes.count >= length && (bytes.count == length || bytes.last != UInt8(ascii: "0"))
    }

    /// The length of a whole number with this first letter, including the letter.
    private static func length(head: UInt8) -> Int {
        head >= UInt8(ascii: "a") ? Int(head - UInt8(ascii: "a")) + 2 : Int(UInt8(ascii: "Z") - head) + 2
    }

    /// True if the position is a whole number without a fraction.
    static func isWhole(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.first.map(length) == bytes.count
    }

    /// `nil` after the greatest.
    static func digit(after digit: UInt8) -> UInt8? {
        let next = value(digit) + 1
        return next < base ? Self.digit(next) : nil
    }

    private static func digit(_ value: Int) -> UInt8 {
        switch value {
        case ..<10: UInt8(ascii: "0") + UInt8(value)
        case ..<36: UInt8(ascii: "A") + UInt8(value - 10)
        default: UInt8(ascii: "a") + UInt8(value - 36)
        }
    }

    private static func value(_ digit: UInt8) -> Int {
        switch digit {
        case ..<UInt8(ascii: "A"): Int(digit) - 48
        case ..<UInt8(ascii: "a"): Int(digit) - 65 + 10
        default: Int(digit) - 97 + 36
        }
    }

    /// The next whole number; `nil` after the greatest, 62²⁶ steps up.
    static func increment(_ whole: [UInt8]) -> [UInt8]? {
        var digits = whole
        for index in digits.indices.dropFirst().reversed() {
            let value = value(digits[index])
            if value + 1 < base {
                digits[index] = digit(value + 1)
                return digits
            }
            digits[index] = digit(0)
        }
        switch digits[0] {
        case UInt8(ascii: "z"): return nil
        case UInt8(ascii: "Z"): return zero
        default:
            digits[0] += 1
            let grows = digits[0] > UInt8(ascii: "a")
            return grows ? digits + [digit(0)] : Array(digits.dropLast())
        }
    }

    /// The previous whole number; `nil` before the least.
    static func decrement(_ whole: [UInt8]) -> [UInt8]? {
        var digits = whole
        for index in digits.indices.dropFirst().reversed() {
            let value = value(digits[index])
            if value > 0 {
                digits[index] = digit(value - 1)
                return digits
            }
            digits[index] = digit(base - 1)
        }
        switch digits[0] {
        case UInt8(ascii: "A"): return nil
        case UInt8(ascii: "a"): return [UInt8(ascii: "Z"), digit(base - 1)]
        default:
            digits[0] -= 1
            let grows = digits[0] < UInt8(ascii: "Z")
            return grows ? digits + [digit(base - 1)] : Array(digits.dropLast())
        }
    }

    /// A fraction half-way between two; an empty `upper` is one.
    static func fraction(after lower: [UInt8], before upper: [UInt8]) -> [UInt8] {
        var prefix: [UInt8] = []
        var upper = upper
        for index in 0... {
            let low = index < lower.count ? value(lower[index]) : 0
            let high = index < upper.count ? value(upper[index]) : upper.isEmpty ? base : 0
            if high - low > 1 {
                return prefix + [digit(low + (high - low) / 2)]
            }
            prefix.append(digit(low))
            // Once below the upper bound, only the lower bound is left.
            if high - low == 1 { upper = [] }
        }
        return prefix
    }
}
