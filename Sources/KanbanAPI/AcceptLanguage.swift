import Kanban

extension Language {
    /// The best of the three for an `Accept-Language` field (RFC 9110 §12.5.4): by quality, then by the order in the field.
    /// A range such as `ko-KR` means its language (RFC 4647 §3.4, lookup); parts that are malformed are passed over.
    ///
    /// `nil` when the field leaves the choice to us, so that the account's own counts: nothing of ours in it, or a `*`
    /// that is liked better, which is what some HTTP clients send by default.
    package init?(negotiating acceptLanguage: String) {
        var qualities: [(language: Language, quality: Int)] = []
        var others = 0
        for element in acceptLanguage.split(separator: ",") {
            guard let (range, quality) = Self.weighted(element) else { continue }
            if range == "*" {
                others = max(others, quality)
                continue
            }
            let primary = range.prefix { $0 != "-" }.lowercased()
            guard let language = Language(rawValue: primary) else { continue }
            if let known = qualities.firstIndex(where: { $0.language == language }) {
                // Of `ko-KR;q=0.5, ko;q=0.8` the better counts: both are served by the same texts.
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

    /// `ko-KR;q=0.8` as range and thousandths; `nil` when it is malformed.
    private static func weighted(_ element: Substring) -> (range: Substring, quality: Int)? {
        let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard let range = parts.first, isLanguageRange(range), parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (range, 1_000) }
        let weight = parts[1]
        guard weight.hasPrefix("q=") || weight.hasPrefix("Q=") else { return nil }
        return quality(weight.dropFirst(2)).map { (range, $0) }
    }

    /// `1*8ALPHA *("-" 1*8alphanum) / "*"` (RFC 4647 §2.1).
    private static func isLanguageRange(_ range: Substring) -> Bool {
        if range == "*" { return true }
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

    /// Thousandths of `0`–`1` with at most three decimals (RFC 9110 §12.4.2).
    private static func quality(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1" else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var thousandths = 0
        for place in decimals.utf8 { thousandths = thousandths * 10 + Int(place - 0x30) }
        for _ in decimals.utf8.count..<3 { thousandths *= 10 }
        let quality = (whole == "1" ? 1_000 : 0) + thousandths
        return quality <= 1_000 ? quality : nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
