import Kanban

/// The name an account logs in with: kept as it was typed, without white space around it, compared without regard to case.
package struct EmailAddress: Hashable, Sendable {
    package let text: String
    /// What two spellings of one address have in common; see ``CaseFolding``.
    package let folded: String

    /// Takes what looks like an address: something, one `@`, and a domain. Whether it is one, only a letter would tell.
    /// Returns `nil` for anything else, and above 254 bytes (RFC 5321 §4.5.3.1.3 less its brackets).
    package init?(_ text: String) {
        let trimmed = text.trimmed
        guard let at = trimmed.lastIndex(of: "@"), trimmed.utf8.count <= 254,
            Self.isLocal(trimmed[..<at]), Self.isDomain(trimmed[trimmed.index(after: at)...]),
            !trimmed.unicodeScalars.contains(where: Self.isForbidden)
        else { return nil }
        self.text = trimmed
        folded = CaseFolding.fold(trimmed)
    }

    /// An address of an account that is there, whatever the rule was when it was taken.
    package init(stored text: String) {
        self.text = text
        folded = CaseFolding.fold(text)
    }

    /// Folds what somebody typed at log-in, address or not: what is none finds no account.
    package static func fold(_ text: String) -> String {
        CaseFolding.fold(text.trimmed)
    }

    /// A second `@` may only stand in a quoted part (RFC 5321 §4.1.2).
    private static func isLocal(_ local: Substring) -> Bool {
        !local.isEmpty && (!local.contains("@") || local.count > 2 && local.first == "\"" && local.last == "\"")
    }

    /// White space and what nobody sees: control characters, and those of the format category, which have no width or turn
    /// the direction of the text. Two addresses that look alike must not be two accounts, nor one look like another.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || properties.isBidiControl
            || [.control, .format].contains(properties.generalCategory)
    }

    private static func isDomain(_ domain: Substring) -> Bool {
        domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
}
