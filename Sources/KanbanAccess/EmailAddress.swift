import Kanban

/// The e-mail address with which an account logs in: stored as typed, without white space around it; compared without
/// regard to case.
package struct EmailAddress: Hashable, Sendable {
    package let text: String
    /// The key for comparing addresses; see ``CaseFolding``.
    package let folded: String

    /// Accepts texts of the form of an address: a local part, one `@`, and a domain. Only a mail can tell whether it
    /// exists. Returns `nil` for anything else, and above 254 bytes (RFC 5321 §4.5.3.1.3 without the brackets).
    package init?(_ text: String) {
        let trimmed = text.trimmed
        guard let at = trimmed.lastIndex(of: "@"), trimmed.utf8.count <= 254,
            Self.isLocal(trimmed[..<at]), Self.isDomain(trimmed[trimmed.index(after: at)...]),
            !trimmed.unicodeScalars.contains(where: Self.isForbidden)
        else { return nil }
        self.text = trimmed
        folded = CaseFolding.fold(trimmed)
    }

    /// An address of an existing account, accepted by an earlier rule.
    package init(stored text: String) {
        self.text = text
        folded = CaseFolding.fold(text)
    }

    /// Folds the text of a log-in, address or not: another text finds no account.
    package static func fold(_ text: String) -> String {
        CaseFolding.fold(text.trimmed)
    }

    /// A second `@` is allowed only in a quoted part (RFC 5321 §4.1.2).
    private static func isLocal(_ local: Substring) -> Bool {
        !local.isEmpty && (!local.contains("@") || local.count > 2 && local.first == "\"" && local.last == "\"")
    }

    /// White space and invisible characters: control characters, and those of the format category, which have no width
    /// or change the direction of text. Two accounts must not have addresses that look the same.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || properties.isBidiControl
            || [.control, .format].contains(properties.generalCategory)
    }

    private static func isDomain(_ domain: Substring) -> Bool {
        domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
}
