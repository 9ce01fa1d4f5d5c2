/// The name an account logs in with: kept as it was typed, without white space around it, compared without regard to case.
package struct EmailAddress: Hashable, Sendable {
    package let text: String
    /// What two spellings of one address have in common; see ``CaseFolding``.
    package let folded: String

    /// Takes what looks like an address: something, one `@`, and a domain. Whether it is one, only a letter would tell.
    /// Returns `nil` for anything else, and above 254 bytes (RFC 5321 §4.5.3.1.3 less its brackets).
    package init?(_ text: String) {
        let trimmed = text.trimmed
        let parts = trimmed.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, let domain = parts.last,
            !local.isEmpty, Self.isDomain(domain), trimmed.utf8.count <= 254,
            !trimmed.unicodeScalars.contains(where: {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control
            })
        else { return nil }
        self.text = trimmed
        folded = CaseFolding.fold(trimmed)
    }

    /// Folds what somebody typed at log-in, address or not: what is none finds no account.
    package static func fold(_ text: String) -> String {
        CaseFolding.fold(text.trimmed)
    }

    private static func isDomain(_ domain: Substring) -> Bool {
        domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
}
