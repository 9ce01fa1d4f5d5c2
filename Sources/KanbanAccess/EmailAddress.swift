import Foundation
import JSON
import Kanban

/// The e-mail address with which an account logs in: stored as typed, without white space around it; found by its
/// ``folded`` form. Two values are equal when they are spelled alike, byte for byte.
package struct EmailAddress: Hashable, Sendable {
    package let text: String
    /// The key of addresses that are the same: the ``Kanban/Swift/String/sameKey`` of the local part, and the domain in
    /// A-labels.
    package let folded: String

    /// RFC 5321 §4.5.3.1.3, without the brackets.
    private static let mostBytes = 254

    /// Accepts texts of the form of an address: a local part, one `@`, and a domain. Only a mail can tell whether it
    /// exists. Returns `nil` for anything else, and above 254 bytes.
    package init?(_ text: String) {
        let trimmed = text.trimmed
        guard let at = trimmed.unicodeScalars.lastIndex(of: "@"), trimmed.utf8.count <= Self.mostBytes,
            Self.isLocal(trimmed[..<at]), Self.isDomain(trimmed[trimmed.unicodeScalars.index(after: at)...]),
            !trimmed.unicodeScalars.contains(where: Self.isForbidden)
        else { return nil }
        self.text = trimmed
        folded = Self.fold(trimmed)
    }

    /// An address of an existing account, accepted by an earlier rule.
    package init(stored text: String) {
        self.text = text
        folded = Self.fold(text)
    }

    package static func == (left: EmailAddress, right: EmailAddress) -> Bool {
        left.text.isSpelled(like: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Spelling(text))
    }

    /// True if both addresses are of one mailbox: they have the same domain, and the local parts differ at most in the case of
    /// ASCII letters and in their composition (RFC 6532 §3.1). Others that fold to the same text may be of two people:
    /// `straße@` and `strasse@`.
    package func isSameMailbox(as other: EmailAddress) -> Bool {
        mailbox.isSpelled(like: other.mailbox)
    }

    private var mailbox: String {
        Self.key(of: text) { local in
            String(
                decoding: local.precomposedStringWithCanonicalMapping.utf8.map(CaseFolding.lowercasedASCII),
                as: UTF8.self)
        }
    }

    /// Folds the text of a log-in, address or not: another text finds no account. One that is too long for an address folds to
    /// nothing, without the work: the time of normal forms and A-labels grows with the square of a length.
    package static func fold(_ text: String) -> String {
        let trimmed = text.trimmed
        return trimmed.utf8.count <= mostBytes ? key(of: trimmed, local: \.sameKey) : ""
    }

    private static func key(of text: String, local key: (String) -> String) -> String {
        let scalars = text.unicodeScalars
        guard let at = scalars.lastIndex(of: "@") else { return key(text) }
        return key(String(scalars[..<at])) + "@" + DomainName.aLabels(String(scalars[scalars.index(after: at)...]))
    }

    /// Words between dots, or a quoted text (RFC 5321 §4.1.2), with characters beyond ASCII (RFC 6531 §3.3).
    private static func isLocal(_ local: Substring) -> Bool {
        guard local.unicodeScalars.first != "\"" else { return isQuoted(local.unicodeScalars.dropFirst()) }
        return local.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty
                && word.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains($0) }
        }
    }

    /// - Parameter rest: the text behind the first quotation mark. It ends with the second one.
    private static func isQuoted(_ rest: Substring.UnicodeScalarView) -> Bool {
        guard rest.count > 1, rest.last == "\"" else { return false }
        var content = rest.dropLast()
        while let scalar = content.popFirst() {
            if scalar == "\"" || scalar == "\\" && content.popFirst() == nil { return false }
        }
        return true
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: !scalar.isASCII
        }
    }

    /// White space and invisible characters: control characters, and those of the format category, which have no width
    /// or change the direction of text. Two accounts must not have addresses that look the same.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || properties.isBidiControl
            || [.control, .format].contains(properties.generalCategory)
    }

    /// Labels of letters, digits and hyphens, or an IP address in brackets (RFC 5321 §4.1.3).
    private static func isDomain(_ domain: Substring) -> Bool {
        let scalars = domain.unicodeScalars
        if scalars.count > 2, scalars.first == "[", scalars.last == "]" {
            return scalars.dropFirst().dropLast().allSatisfy {
                $0.isASCII && (isLetterOrDigit($0) || $0 == "." || $0 == ":")
            }
        }
        return scalars.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.first != "-" && label.last != "-"
                && label.allSatisfy { isLetterOrDigit($0) || $0 == "-" }
        }
    }
}
