/// A condition on the revision of the resource that a request changes (RFC 9110 §13.1).
package struct Precondition: Hashable, Sendable {
    package enum Revisions: Hashable, Sendable {
        /// `*`: any revision, if the resource exists.
        case any
        case oneOf(Set<Revision>)

        func contain(_ revision: Revision) -> Bool {
            switch self {
            case .any: true
            case .oneOf(let revisions): revisions.contains(revision)
            }
        }
    }

    /// `If-Match`: the resource must have one of these.
    package var match: Revisions?
    /// `If-None-Match`: it must have none of these.
    package var noneMatch: Revisions?

    package static let none = Precondition()

    package init(match: Revisions? = nil, noneMatch: Revisions? = nil) {
        self.match = match
        self.noneMatch = noneMatch
    }

    /// - Parameter revision: the resource's revision; `nil` when it does not exist.
    package func holds(for revision: Revision?) -> Bool {
        guard let revision else { return match == nil }
        if let match, !match.contain(revision) { return false }
        if let noneMatch, noneMatch.contain(revision) { return false }
        return true
    }

    /// - Throws: ``BoardError/stale(current:)`` with `current` when it does not hold.
    package func check(_ revision: Revision?, current: @autoclosure () -> Change.Value?) throws {
        guard holds(for: revision) else { throw BoardError.stale(current: current()) }
    }
}

extension BoardReader {
    /// Checks the precondition of a request that adds to the board: it applies to the account's revision, which is that of
    /// every list. A list is always there, so `If-None-Match: *` never holds.
    package func checkBoard(_ precondition: Precondition) throws {
        guard precondition.match != nil || precondition.noneMatch != nil else { return }
        try precondition.check(feedState().revision, current: nil)
    }
}
