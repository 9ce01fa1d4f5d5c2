import HTTP
import JSON
import Kanban

/// An entity tag (RFC 9110 §8.8.3), strong but for exports: `"<revision>"`, or `"<revision>-<digest>"` where an answer shows more than
/// the resource itself, and in every answer of an account that logs in; see ``Scope``.
enum EntityTag {
    static func tag(_ revision: Revision) -> String {
        // Up to 13 digits fit into a `String` without an allocation; interpolation would allocate.
        String(unsafeUninitializedCapacity: UInt(revision.magnitude).decimalPlaces + 2) { write(revision, into: $0) }
    }

    /// Writes the tag of the revision, of up to 22 bytes.
    /// - Returns: how many.
    static func write(_ revision: Revision, into text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let number = UInt(revision.magnitude)
        let places = number.decimalPlaces
        text[0] = UInt8(ascii: "\"")
        text.writeDigits(number, places, at: 1)
        text[places + 1] = UInt8(ascii: "\"")
        return places + 2
    }

    /// - Parameter rest: the bytes of what the answer shows beside the resource.
    static func tag(_ revision: Revision, digestOf rest: some Sequence<UInt8>) -> String {
        tag(revision, digest: fingerprint(rest))
    }

    static func tag(_ revision: Revision, digest: UInt64) -> String {
        "\"\(revision)-\(String(digest, radix: 36))\""
    }

    /// The tag of a list without a revision: its number is a fingerprint of the list's content.
    static func tag(of bytes: some Sequence<UInt8>) -> String {
        tag(Revision(fingerprint(bytes) >> 2))
    }

    /// FNV-1a, 64 bits: it distinguishes texts of the server; it has no security purpose.
    /// - Parameter start: the fingerprint of the preceding bytes.
    static func fingerprint(
        _ bytes: some Sequence<UInt8>, after start: UInt64 = 0xcbf2_9ce4_8422_2325
    ) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// True if a GET or HEAD says that its client has the content with this tag.
    static func matches(_ tag: String, _ request: Request) -> Bool {
        guard let first = request.headers.bytes("if-none-match") else { return false }
        switch request.method {
        case .get, .head: break
        default: return false
        }
        return first.equals(tag) || matches(tag, ifNoneMatch: request.headers.values("if-none-match"))
    }

    /// The same of the tag of an answer that is at hand.
    static func matches(_ tag: UnsafeRawBufferPointer, _ request: Request) -> Bool {
        guard let isFirst = request.first("if-none-match", equals: tag) else { return false }
        switch request.method {
        case .get, .head: break
        default: return false
        }
        return isFirst
            || matches(String(decoding: tag, as: UTF8.self), ifNoneMatch: request.headers.values("if-none-match"))
    }

    /// True if `If-None-Match` lists the tag (weak comparison, RFC 9110 §13.1.2), of the plain form or the compressed
    /// one: both show the same.
    static func matches(_ tag: String, ifNoneMatch fields: [String]) -> Bool {
        let wanted = plain(strong(tag[...]))
        return fields.contains { field in
            field.listElements.contains { element in
                element == "*" || plain(strong(element)) == wanted
            }
        }
    }

    private static func strong(_ tag: Substring) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }

    /// What `If-Match` compares: the revision, or what replaces it, without the digest behind it. A proxy that
    /// compresses an answer weakens its tag (nginx, HAProxy), so a weak tag counts as the strong one. `nil` for anything that
    /// is not a tag.
    static func stem(_ tag: Substring) -> Substring? {
        let tag = strong(tag)
        guard tag.utf8.count > 2, tag.first == "\"", tag.last == "\"" else { return nil }
        return tag.dropFirst().dropLast().prefix { $0 != "-" }
    }
}

extension Request {
    /// True if `If-Match` holds for a resource with this tag, `nil` for none (RFC 9110 §13.1.1).
    func ifMatchHolds(for tag: String?) -> Bool {
        guard has("if-match") else { return true }
        let wanted = tag.flatMap { EntityTag.stem($0[...]) }
        return headers.values("if-match").flatMap(\.listElements).contains { element in
            element == "*" || wanted != nil && EntityTag.stem(element) == wanted
        }
    }

    /// True if `If-None-Match` holds for a change of a resource with this tag (RFC 9110 §13.1.2).
    func ifNoneMatchHolds(for tag: String) -> Bool {
        guard has("if-none-match") else { return true }
        let present = EntityTag.stem(tag[...])
        return !headers.values("if-none-match").flatMap(\.listElements).contains { element in
            element == "*" || present != nil && EntityTag.stem(element) == present
        }
    }
}

extension EntityTag {
    /// Binds tags to an account and its history. A private cache (RFC 9111) keys answers by address alone: if a second
    /// account logs in on the same device, a cached `"41"` of the first account would match the second account's
    /// revision 41, and the 304 would show the first account's data.
    struct Scope: Sendable {
        private static let digits = 13

        private let fingerprint: UInt64

        /// - Parameter epoch: random, so that accounts of two servers under one address differ as well.
        init(_ account: AccountKey, epoch: UInt64) {
            let words = [UInt64(bitPattern: account.number), epoch]
            // The bytes live for the call only.
            fingerprint = words.withUnsafeBytes { EntityTag.fingerprint($0) }
        }

        /// `"<revision>-<digest>"`; the digest covers the account, its epoch and all of the tag.
        func apply(to tag: String) -> String {
            if tag.hasPrefix("W/") { return "W/" + apply(to: String(tag.dropFirst(2))) }
            var tag = tag
            return tag.withUTF8 { tag in
                String(unsafeUninitializedCapacity: tag.count + Self.digits + 1) { write(tag, into: $0) }
            }
        }

        /// The same of bytes.
        /// - Parameter text: has room for 14 bytes more than the tag has.
        /// - Returns: how many bytes it wrote.
        func write(_ tag: UnsafeBufferPointer<UInt8>, into text: UnsafeMutableBufferPointer<UInt8>) -> Int {
            var digest = EntityTag.fingerprint(tag, after: fingerprint)
            text[0] = UInt8(ascii: "\"")
            var place = 1
            while tag[place] != UInt8(ascii: "-"), tag[place] != UInt8(ascii: "\"") {
                text[place] = tag[place]
                place += 1
            }
            text[place] = UInt8(ascii: "-")
            for offset in 1...Self.digits {
                let digit = UInt8(truncatingIfNeeded: digest & 31)
                text[place + offset] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                digest >>= 5
            }
            text[place + Self.digits + 1] = UInt8(ascii: "\"")
            return place + Self.digits + 2
        }
    }
}

extension Environment {
    /// The scope of the tags of an account. Open mode has one account, and its tags have no scope.
    func tagScope(of account: AccountKey) async throws -> EntityTag.Scope {
        EntityTag.Scope(account, epoch: try await feed(of: account).epoch)
    }

    /// The same of the caller's account, as far as possible without asking the store: where the account stood before the
    /// answer was made is right, too. An import meanwhile begins another epoch, of which no answer has this tag.
    func tagScope(of caller: Caller) async throws -> EntityTag.Scope {
        if let known = knownTagScope(of: caller) { return known }
        return try await tagScope(of: caller.account)
    }

    /// The same without waiting; `nil` when the store has to be asked.
    func knownTagScope(of caller: Caller) -> EntityTag.Scope? {
        if let feed = caller.feed { return EntityTag.Scope(caller.account, epoch: feed.epoch) }
        // `try?`, because the handler meets the same error and answers it.
        guard let local, let feed = try? memory.feed(of: caller.account, in: local) else { return nil }
        return EntityTag.Scope(caller.account, epoch: feed.epoch)
    }
}

extension Response {
    /// The answer with its tag bound to the caller's account; see ``EntityTag/Scope``.
    consuming func scoped(to scope: EntityTag.Scope) -> Response {
        tag = tag.map(scope.apply)
        return self
    }

    /// Merges all `Vary` fields into one, for clients that read only the first.
    mutating func mergeVary() {
        guard let first = headers.firstIndex(where: { $0.name == "Vary" }),
            headers[(first + 1)...].contains(where: { $0.name == "Vary" })
        else { return }
        headers[first].value = headers.filter { $0.name == "Vary" }.map(\.value).joined(separator: ", ")
        let rest = headers[(first + 1)...].filter { $0.name != "Vary" }
        headers.replaceSubrange((first + 1)..., with: rest)
    }
}

extension Precondition {
    /// Reads `If-Match` and `If-None-Match` of a write. Only the revision in a tag counts; foreign tags match nothing.
    init(_ headers: Headers) {
        self.init(
            match: Self.revisions(headers.values("if-match")),
            noneMatch: Self.revisions(headers.values("if-none-match")))
    }

    private static func revisions(_ fields: [String]) -> Revisions? {
        guard !fields.isEmpty else { return nil }
        var revisions: Set<Revision> = []
        for element in fields.flatMap(\.listElements) {
            if element == "*" { return .any }
            // Only our own spelling: `"+41"` and `"041"` are other tags.
            if let digits = EntityTag.stem(element), let revision = Revision(digits), "\(revision)" == digits {
                revisions.insert(revision)
            }
        }
        return .oneOf(revisions)
    }
}
