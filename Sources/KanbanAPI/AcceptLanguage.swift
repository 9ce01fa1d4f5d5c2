import HTTP
import Kanban

extension Language {
    /// The best of the three for `Accept-Language` (RFC 9110 §12.5.4): by quality, then by the order in the field. A range
    /// such as `ko-KR` means its language (RFC 4647 §3.4, lookup). Malformed parts do not count.
    ///
    /// `nil` when the client leaves the choice to us, so that the account's setting counts: it names none of our
    /// languages, or prefers `*`, which is what some HTTP clients send by default.
    package init?(negotiating acceptLanguage: [String]) {
        var qualities: [(language: Language, quality: Int)] = []
        var others = 0
        for element in QualityList(acceptLanguage) where !element.hasParameters {
            let (range, quality) = (element.value, element.quality)
            if range == "*" {
                others = max(others, quality)
                continue
            }
            guard Self.isLanguageRange(range), let language = Language(rawValue: String(range.prefix { $0 != "-" }))
            else { continue }
            if let known = qualities.firstIndex(where: { $0.language == language }) {
                // Of `ko-KR;q=0.5, ko;q=0.8` the higher counts: both mean the same texts.
                qualities[known].quality = max(qualities[known].quality, quality)
            } else {
                qualities.append((language, quality))
            }
        }
        var best: (language: Language, quality: Int)?
        for candidate in qualities where candidate.quality > (best?.quality ?? 0) { best = candidate }
        if let best, best.quality >= others {
            self = best.language
            return
        }
        // `en;q=0, *` leaves the choice to us, but not all of it.
        let isChoiceFree = qualities.allSatisfy { $0.quality > 0 }
        let rest = [Language.en, .ko, .ja].first { other in !qualities.contains { $0.language == other } }
        guard others > 0, !isChoiceFree, let rest else { return nil }
        self = rest
    }

    /// `1*8ALPHA *("-" 1*8alphanum) / "*"` (RFC 4647 §2.1).
    private static func isLanguageRange(_ range: String) -> Bool {
        let subtags = range.split(separator: "-", omittingEmptySubsequences: false)
        return subtags.allSatisfy { subtag in
            (1...8).contains(subtag.utf8.count)
                && subtag.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"):
                        true
                    default: byte == UInt8(ascii: "*")
                    }
                }
        }
    }
}
