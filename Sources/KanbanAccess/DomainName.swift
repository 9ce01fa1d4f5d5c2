import Foundation
import Kanban

/// A domain as names are looked up: A-labels (RFC 5890 §2.3.2.1) of small letters, so that `한글.KR` and `xn--bj0bj06e.kr` are
/// one. Letters are mapped as RFC 5895 says, so `straße.de` is another domain than `strasse.de`.
enum DomainName {
    static func aLabels(_ domain: String) -> String {
        guard !domain.utf8.allSatisfy({ $0 < 0x80 }) else { return CaseFolding.fold(domain) }
        var letters = String.UnicodeScalarView()
        for scalar in domain.precomposedStringWithCompatibilityMapping.unicodeScalars {
            // The other full stops that a keyboard may type (RFC 5895 §2.3); the full-width one is mapped already.
            if scalar == "\u{3002}" { letters.append(".") } else { letters.append(contentsOf: scalar.lowercased) }
        }
        let labels = String(letters).precomposedStringWithCompatibilityMapping.unicodeScalars
            .split(separator: ".", omittingEmptySubsequences: false)
        return labels.map { label in
            label.allSatisfy(\.isASCII) ? String(label) : "xn--" + punycode(Array(label))
        }.joined(separator: ".")
    }

    /// RFC 3492 §6.3.
    private static func punycode(_ label: [Unicode.Scalar]) -> String {
        var text = String(String.UnicodeScalarView(label.filter(\.isASCII)))
        let basic = text.utf8.count
        if basic > 0 { text += "-" }
        var (next, delta, bias, done) = (UInt32(128), 0, 72, basic)
        while done < label.count {
            guard let least = label.lazy.map(\.value).filter({ $0 >= next }).min() else { break }
            // An address has 254 bytes at most, so this stays far below the range of Int.
            delta += Int(least - next) * (done + 1)
            next = least
            for scalar in label {
                if scalar.value < next { delta += 1 }
                guard scalar.value == next else { continue }
                append(delta, bias: bias, to: &text)
                bias = adapted(delta, count: done + 1, isFirst: done == basic)
                delta = 0
                done += 1
            }
            delta += 1
            next += 1
        }
        return text
    }

    private static func append(_ delta: Int, bias: Int, to text: inout String) {
        var rest = delta
        var place = 36
        while true {
            let threshold = min(max(place - bias, 1), 26)
            guard rest >= threshold else { break }
            text.unicodeScalars.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            place += 36
        }
        text.unicodeScalars.append(digit(rest))
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var rest = isFirst ? delta / 700 : delta / 2
        rest += rest / count
        var places = 0
        while rest > 455 {
            rest /= 35
            places += 36
        }
        return places + 36 * rest / (rest + 38)
    }

    private static func digit(_ value: Int) -> Unicode.Scalar {
        Unicode.Scalar(UInt8(value < 26 ? 97 + value : 22 + value))
    }
}

extension Unicode.Scalar {
    fileprivate var lowercased: String.UnicodeScalarView { properties.lowercaseMapping.unicodeScalars }
}
