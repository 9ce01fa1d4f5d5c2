/// How far a client has read an account's history: `"<epoch>-<revision>"`.
///
/// During a client's first walk over the whole state, its cursor can be older than tombstones that were purged before
/// the walk began. The client never saw the resources of those tombstones, so its cursor has not expired. Such a cursor
/// also names the beginning of the walk: `"<epoch>-<revision>-<revision at the beginning>"`.
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

    /// Parses a cursor and checks that the feed can be read from it.
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

    /// A number that does not fit is in the future, like any revision that was not reached yet.
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

/// Why the feed cannot be read from a cursor.
package enum CursorError: Error, Hashable {
    /// It is not a cursor of this server.
    case malformed
    /// Of another history, from the future, or older than the purged tombstones: start over without one.
    case expired
}
