import Foundation
import JSON

/// How texts of users are compared, everywhere. `==` and `<` of `String` are neither of the rules: they take canonically
/// equivalent texts for the same, while SQL compares bytes.
extension String {
    /// Two texts are the **same** when they have one key: canonically equivalent after case folding (The Unicode Standard,
    /// D145), in its composed form. For names and for e-mail addresses; see ``EmailAddress``.
    package var sameKey: String {
        guard !isASCII else { return CaseFolding.fold(self) }
        return CaseFolding.fold(decomposedStringWithCanonicalMapping).precomposedStringWithCanonicalMapping
    }

    /// The **order** of texts: by case-folded code points. Nothing is normalized, so two keys are one only when their bytes
    /// are, as in SQL.
    package var orderKey: Spelling { Spelling(CaseFolding.fold(self)) }

    /// What a search compares: NFKC and case folding, Latin letters without marks, katakana as hiragana.
    package var searchKey: String {
        guard !isSearchedAsItIs else { return asciiLowercased }
        // Folding may leave what can be decomposed further.
        let letters = CaseFolding.fold(decomposedStringWithCompatibilityMapping)
            .decomposedStringWithCompatibilityMapping
        var key = String.UnicodeScalarView()
        var isBehindLatin = false
        for scalar in letters.unicodeScalars {
            if scalar.properties.canonicalCombiningClass != .notReordered {
                if isBehindLatin { continue }
            } else {
                isBehindLatin = scalar.isLatin
            }
            key.append(scalar.asHiragana)
        }
        return String(key).precomposedStringWithCanonicalMapping
    }

    /// What a search looks through in a task; `nil` when that is its title and its body themselves, but for capitals of
    /// ASCII, as in most tasks.
    ///
    /// Between the two stands a character that is in no ``searchKey``, a no-break space, which NFKC makes a space: no search
    /// finds it, nor what ends in the title and begins in the body.
    package static func searched(title: String, body: String) -> String? {
        if title.isSearchedAsItIs, body.isSearchedAsItIs { return nil }
        let (titleKey, bodyKey) = (title.searchKey, body.searchKey)
        if titleKey.isSpelled(like: title.asciiLowercased), bodyKey.isSpelled(like: body.asciiLowercased) { return nil }
        return titleKey + "\u{a0}" + bodyKey
    }

    private var isASCII: Bool {
        utf8.withContiguousStorageIfAvailable { $0.reduce(0, |) < 0x80 } ?? utf8.allSatisfy { $0 < 0x80 }
    }

    private var asciiLowercased: String {
        String(decoding: utf8.map(CaseFolding.lowercasedASCII), as: UTF8.self)
    }

    /// True if every character is its own search key, except for ASCII capitals: Hangul syllables, Han, hiragana, most
    /// emoji. Decided from the bytes, because every write of a task asks this.
    var isSearchedAsItIs: Bool {
        utf8.withContiguousStorageIfAvailable(Self.areSearchedAsTheyAre) ?? Self.areSearchedAsTheyAre(Array(utf8))
    }

    private static func areSearchedAsTheyAre(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        // Over all bytes at once, in steps of many.
        if bytes.reduce(0, |) < 0x80 { return true }
        var rest = bytes[...]
        while let first = rest.first {
            // Text of Swift is valid UTF-8: the bytes that follow are there.
            let next = { (offset: Int) in rest[rest.index(rest.startIndex, offsetBy: offset)] }
            switch first {
            case ..<0x80:
                rest = rest.dropFirst()
            case 0xE3:
                switch (next(1), next(2)) {
                // U+3001 to U+301F, U+3041 to U+3096, U+30FC, and from U+3400 on.
                case (0x80, 0x81...0x9F), (0x81, 0x81...), (0x82, 0x80...0x96), (0x83, 0xBC), (0x90..., _): break
                default: return false
                }
                rest = rest.dropFirst(3)
            case 0xE4...0xE9, 0xEB...0xED:
                rest = rest.dropFirst(3)
            case 0xEA where next(1) >= 0xB0:
                rest = rest.dropFirst(3)
            case 0xF0 where next(1) == 0x9F && (0x8C...0xAB).contains(next(2)):
                rest = rest.dropFirst(4)
            default:
                return false
            }
        }
        return true
    }
}

extension Unicode.Scalar {
    fileprivate var isLatin: Bool {
        switch value {
        case 0x61...0x7A, 0xC0...0x2AF, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA720...0xA7FF, 0xAB30...0xAB6F: true
        default: false
        }
    }

    fileprivate var asHiragana: Unicode.Scalar {
        switch value {
        case 0x30A1...0x30F6, 0x30FD...0x30FE: Unicode.Scalar(value - 0x60) ?? self
        default: self
        }
    }
}

/// What a task must have to be found, as its ``String/searchKey``.
package enum SearchTerm: Hashable, Sendable {
    /// Found in the title or in the body.
    case text(String)
    /// Initial consonants of syllables that follow one another, as a regular expression: a class for each, which holds the
    /// consonant and the syllables that begin with it. PostgreSQL takes it as it is.
    case initials(String)

    /// The mark that ends a quotation, by the one that begins it. Phones write typographic ones.
    private static let closings: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "\u{201C}": "\u{201D}"]

    /// The terms of a search: its words, and what stands between quotation marks.
    package static func terms(of text: String) -> [SearchTerm] {
        var terms: [SearchTerm] = []
        var rest = text.unicodeScalars[...]
        while let first = rest.firstIndex(where: { !$0.properties.isWhitespace }) {
            rest = rest[first...]
            let term: SearchTerm
            if let mark = rest.first, let closing = closings[mark] {
                rest = rest.dropFirst()
                let end = rest.firstIndex(of: closing) ?? rest.endIndex
                term = .text(String(rest[..<end]).searchKey)
                rest = rest[end...].dropFirst()
            } else {
                let end = rest.firstIndex(where: \.properties.isWhitespace) ?? rest.endIndex
                term = SearchTerm(word: String(rest[..<end]))
                rest = rest[end...]
            }
            if term != .text(""), !terms.contains(term) { terms.append(term) }
        }
        return terms
    }

    private init(word: String) {
        let key = word.searchKey
        let classes = key.unicodeScalars.map(Self.syllables)
        if classes.contains(nil) { self = .text(key) } else { self = .initials(classes.compactMap { $0 }.joined()) }
    }

    /// The class of an initial consonant; `nil` for anything else.
    private static func syllables(beginningWith scalar: Unicode.Scalar) -> String? {
        guard (0x1100...0x1112).contains(scalar.value) else { return nil }
        // A syllable's number has its consonants and its vowel in it (The Unicode Standard §3.12).
        let first = 0xAC00 + (scalar.value - 0x1100) * 588
        guard let first = Unicode.Scalar(first), let last = Unicode.Scalar(first.value + 587) else { return nil }
        var text = "[".unicodeScalars
        text.append(contentsOf: [scalar, first, "-", last, "]"])
        return String(text)
    }
}
