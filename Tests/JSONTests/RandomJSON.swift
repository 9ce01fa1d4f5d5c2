import JSON
import TestSupport

extension JSON {
    /// Any value, with the characters that are hard to write well in its texts.
    static func random(using random: inout SeededRandom, depth: Int) -> JSON {
        switch Int.random(in: depth > 0 ? 0..<7 : 0..<4, using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .string(randomText(using: &random))
        case 3: return JSON(Double.random(in: -1e9...1e9, using: &random))
        case 4: return JSON(Int.random(in: .min ... .max, using: &random))
        case 5:
            return .array(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in .random(using: &random, depth: depth - 1) })
        default:
            var object = JSON.object([])
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                object[randomText(using: &random)] = .random(using: &random, depth: depth / 3)
            }
            return object
        }
    }

    private static func randomText(using random: inout SeededRandom) -> String {
        let letters: [Unicode.Scalar] = ["a", "Z", " ", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "é", "한", "😀"]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...24, using: &random) {
            text.append(letters.randomElement(using: &random) ?? "a")
        }
        return String(text)
    }
}
