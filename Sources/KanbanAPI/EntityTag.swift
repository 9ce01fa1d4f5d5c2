import HTTP
import Kanban

/// A strong entity tag (RFC 9110 §8.8.3): `"<revision>"`, or `"<revision>-<digest>"` where an answer shows more than
/// the resource itself.
enum EntityTag {
    static func tag(_ revision: Revision) -> String {
        // Up to 13 digits fit into a `String` without an allocation, which interpolation would make.
        var digits = revision.magnitude
        var count = 2
        repeat {
            count += 1
            digits /= 10
        } while digits > 0
        return String(unsafeUninitializedCapacity: count) { text in
            var rest = revision.magnitude
            for place in stride(from: count - 2, to: 0, by: -1) {
                text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            text[0] = UInt8(ascii: "\"")
            text[count - 1] = UInt8(ascii: "\"")
            return count
        }
    }

    /// - Parameter rest: the bytes of what is shown beside the resource.
    static func tag(_ revision: Revision, digestOf rest: some Sequence<UInt8>) -> String {
        "\"\(revision)-\(String(fingerprint(rest), radix: 36))\""
    }

    /// FNV-1a, 64 bits: tells texts apart that the server itself wrote; nothing is proven by it.
    static func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Whether `If-None-Match` lists the tag (weak comparison, RFC 9110 §13.1.2).
    static func matches(_ tag: String, ifNoneMatch fields: [String]) -> Bool {
        fields.contains { field in
            field == tag || field.listElements.contains { $0 == "*" || $0 == tag || $0 == "W/\(tag)" }
        }
    }
}

extension Precondition {
    /// Reads `If-Match` and `If-None-Match` of a request that changes something. Of a tag only the revision counts;
    /// a tag that is weak or not of ours matches nothing.
    init(_ headers: Headers) {
        self.init(
            match: Self.revisions(headers.values("if-match"), allowsWeak: false),
            noneMatch: Self.revisions(headers.values("if-none-match"), allowsWeak: true))
    }

    private static func revisions(_ fields: [String], allowsWeak: Bool) -> Revisions? {
        guard !fields.isEmpty else { return nil }
        var revisions: Set<Revision> = []
        for element in fields.flatMap(\.listElements) {
            if element == "*" { return .any }
            var tag = element
            if allowsWeak, tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            guard tag.count > 2, tag.first == "\"", tag.last == "\"" else { continue }
            let digits = tag.dropFirst().dropLast().prefix { $0 != "-" }
            // In the spelling of ours alone: `"+41"` and `"041"` are other tags.
            if let revision = Revision(digits), "\(revision)" == digits { revisions.insert(revision) }
        }
        return .oneOf(revisions)
    }
}
