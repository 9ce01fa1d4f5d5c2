/// How far a client has read an account's history: `"<epoch>-<revision>"`.
///
/// While a client walks over the whole state for the first time, its cursor can be older than tombstones that were
/// purged long before the walk began. Those are of things that it never saw, so it must not be sent away for them; then
/// the cursor also says where the walk began: `"<epoch>-<revision>-<revision at the beginning>"`.
package struct Cursor: Hashable, Sendable {
    package var epoch: UInt64
    package var revision: Revision
    /// The account's revision when the walk without a cursor began; `nil` for any other reading.
    package var walkBegan: Revision?

    package init(epoch: UInt64, revision: Revision, walkBegan: Revision? = nil) {
        self.epoch = epoch
        self.revision = revision
        self.walkBegan = walkBegan
    }

    /// Reads a cursor that a client sent, and checks that it can be served.
    package init(_ text: String, in feed: FeedState) throws(CursorError) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), (1...32).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy(Self.isEpochCharacter)
        else { throw .malformed }
        let revision = try Self.revision(parts[1])
        let walkBegan = parts.count == 3 ? try Self.revision(parts[2]) : nil
        guard parts[0] == Self.text(ofEpoch: feed.epoch) else { throw .expired }
        self.init(epoch: feed.epoch, revision: revision, walkBegan: walkBegan)
        try check(in: feed)
    }

    /// - Throws: ``CursorError/expired`` when the feed cannot be read from here on.
    package func check(in feed: FeedState) throws(CursorError) {
        guard epoch == feed.epoch, revision <= feed.revision, walkBegan ?? 0 <= feed.revision,
            (walkBegan ?? revision) >= feed.purgedThrough
        else { throw .expired }
    }

    private static func isEpochCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    /// A number that is too large for us lies in the future like any other that we have not reached.
    private static func revision(_ digits: Substring) throws(CursorError) -> Revision {
        guard (1...32).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw .malformed }
        return Revision(digits) ?? .max
    }

    private static func text(ofEpoch epoch: UInt64) -> String {
        String(epoch, radix: 16)
    }
}

extension Cursor: CustomStringConvertible {
    package var description: String {
        let text = "\(Self.text(ofEpoch: epoch))-\(revision)"
        return walkBegan.map { "\(text)-\($0)" } ?? text
    }
}

/// Why a cursor is not served.
package enum CursorError: Error, Hashable {
    /// It never was one of ours.
    case malformed
    /// Of another history, from the future, or older than the purged tombstones: start over without one.
    case expired
}
