/// The rule of a user's text: its length in code points, and whether it may be blank.
package struct TextRule: Sendable {
    package var length: ClosedRange<Int>
    /// False: the text must have something that can be seen.
    package var mayBeBlank: Bool

    package static let taskTitle = TextRule(length: 1...200, mayBeBlank: false)
    package static let taskBody = TextRule(length: 0...1_000, mayBeBlank: true)
    package static let categoryName = TextRule(length: 1...50, mayBeBlank: false)
    package static let ddayTitle = TextRule(length: 1...100, mayBeBlank: false)
    /// Names of accounts, devices and tokens.
    package static let displayName = TextRule(length: 1...100, mayBeBlank: false)
    /// The code points of a new password, blank or not.
    package static let passwordLength = 8...256

    /// - Returns: `nil` when the text is valid.
    package func fault(in text: String) -> TextFault? {
        if text.hasNull { return .controlCharacter }
        if !mayBeBlank, text.isBlank { return .blank }
        // A code point takes at least one byte, so most texts need no counting.
        if text.utf8.count > length.upperBound {
            let count = text.unicodeScalars.count
            if count > length.upperBound { return .tooLong(limit: length.upperBound, actual: count) }
        }
        return nil
    }

    /// `#rrggbb`, in any case.
    package static func colorFault(in text: String) -> TextFault? {
        let digits = text.utf8.dropFirst()
        let isColor =
            text.utf8.first == UInt8(ascii: "#") && digits.count == 6
            && digits.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    true
                default: false
                }
            }
        return isColor ? nil : .color
    }

    /// One grapheme that can be seen and has no control character. Which graphemes are emoji changes with every
    /// version of Unicode, so the app decides that. At most 32 code points, because combining characters have no limit.
    package static func emojiFault(in text: String) -> TextFault? {
        // Check the bytes first: do not search a long text for graphemes.
        guard text.utf8.count <= 128, text.unicodeScalars.count <= 32, text.count == 1, !text.isBlank else {
            return .emoji
        }
        let isPrintable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isPrintable ? nil : .emoji
    }
}

/// How a text breaks a rule.
package enum TextFault: Error, Hashable, Sendable {
    case blank
    case tooLong(limit: Int, actual: Int)
    /// U+0000.
    case controlCharacter
    /// Not `#rrggbb`.
    case color
    /// Not one grapheme.
    case emoji

    /// The code of the problem.
    package var code: String {
        switch self {
        case .blank: "blank"
        case .tooLong: "too_long"
        case .controlCharacter: "control_character"
        case .color, .emoji: "invalid_format"
        }
    }

    /// The rest of a sentence that begins with the member's name.
    package var detail: String {
        switch self {
        case .blank: "must hold more than white space and invisible characters."
        case .tooLong(let limit, let actual): "has \(actual) code points; at most \(limit) are allowed."
        case .controlCharacter: "must not hold U+0000."
        case .color: "must be a color as #rrggbb."
        case .emoji: "must be one emoji."
        }
    }
}

extension String {
    /// True when the text has nothing to see: white space, characters without a width, formatting and control characters.
    package var isBlank: Bool {
        // Most texts begin with a letter: its properties take longer to look up than all else.
        if let first = utf8.first, (0x21...0x7e).contains(first) { return false }
        return unicodeScalars.allSatisfy(\.isInvisible)
    }

    /// True if the text contains U+0000. Searches the bytes in one piece, which native strings have: their iterator takes ten
    /// times as long.
    fileprivate var hasNull: Bool {
        utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? utf8.contains(0)
    }

    /// The text without Unicode white space at both ends; otherwise byte for byte.
    package var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}

extension Unicode.Scalar {
    /// Default ignorable characters are those that a font without them shows as nothing: the fillers of Hangul, variation
    /// selectors, tags. A Braille pattern without a dot is a letter to Unicode, and a space to a reader.
    fileprivate var isInvisible: Bool {
        // All of Hangul, Han and Kana are seen but for the filler below.
        if (0x3041...0xD7A3).contains(value), value != 0x3164 { return false }
        return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || value == 0x2800
            || [.control, .format].contains(properties.generalCategory)
    }
}
