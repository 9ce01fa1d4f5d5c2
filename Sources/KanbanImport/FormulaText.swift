/// How a table for spreadsheets keeps text from being run as a formula: with a `'` before it. Before a text that begins with
/// `'`, there is one more, so that the way back is exact.
package enum FormulaText {
    private static let quote = UInt8(ascii: "'")
    /// `=`, `+`, `-`, `@`, tab and carriage return.
    private static let formulas: [UInt8] = [0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D]

    private static func needsQuote(_ text: some StringProtocol) -> Bool {
        text.utf8.first.map { $0 == quote || formulas.contains($0) } == true
    }

    package static func quoted(_ text: String) -> String { needsQuote(text) ? "'\(text)" : text }

    package static func unquoted(_ text: String) -> String {
        guard text.utf8.first == quote else { return text }
        let rest = Substring(text.utf8.dropFirst())
        return needsQuote(rest) ? String(rest) : text
    }
}
