import JSON

/// The merge of offline edits, member by member: what somebody else changed since the client's copy, ``MemberRevisions``
/// tell; what it was then, for the user to see, the history tells.
extension Noun {
    /// True if somebody else changed any member since the client's copy.
    func isForeign(since baseline: Baseline) -> Bool {
        Self.members.indices.contains { baseline.isForeign(memberRevisions[$0]) }
    }

    /// The places of the members that an edit changes to another value than somebody else did since the client's copy.
    func contested(by wanted: Self, since baseline: Baseline) -> [Int] {
        Self.members.indices.filter {
            baseline.isForeign(memberRevisions[$0]) && Self.members[$0].differs(self, wanted)
        }
    }
}

extension BoardReader {
    /// The most lines of history that a merge reads; others wait meanwhile. As many as a request has mutations.
    static var mostMergedLines: Int { 500 }

    /// Contested members, each with its value in the client's copy.
    /// - Parameter contested: the places of the members, and the client's values.
    func conflicts<Resource: Noun>(
        _ contested: [(index: Int, yours: JSON)], of resource: Resource, since baseline: Baseline
    ) throws -> [MemberConflict] {
        guard !contested.isEmpty, let base = baseline.base else { return [] }
        let history = try lines(of: resource.historyID, since: base, .oldestFirst, limit: Self.mostMergedLines)
        return try contested.map { index, yours in
            let member = Resource.members[index]
            let theirs = member.value(of: resource).json
            var before = try history.value(of: member.text, before: base)
            // Another column may have given a task the same position as before; then no line names it.
            if before == nil, case .position = member.form, try history.value(of: "status", before: base) != nil {
                before = theirs
            }
            return MemberConflict(member: member.text, base: before ?? .null, theirs: theirs, yours: yours)
        }
    }
}

extension [HistoryLine] {
    /// The value of a member in the client's copy: that of the first change since. `nil` when no line tells, or when one
    /// before it is missing: an import and a creation leave none, and old ones are purged.
    func value(of member: String, before base: Revision) throws -> JSON? {
        var known = base
        for line in self {
            if let previous = line.previousRevision, previous > known { return nil }
            if let change = try line.change(of: member) { return change.from }
            known = line.revision
        }
        return nil
    }
}

extension BoardWriter {
    /// Gives a new or changed resource the next revision, and the members that differ from the old one.
    func stamp<Resource: Noun>(_ new: inout Resource, since old: Resource?) throws {
        new.revision = try nextRevision()
        guard let old else {
            new.memberRevisions = MemberRevisions(all: new.revision)
            return
        }
        for (index, member) in Resource.members.enumerated() where member.differs(new, old) {
            new.memberRevisions[index] = new.revision
        }
    }

    /// Gives a changed resource the next revision, and writes a line of history.
    func record<Resource: Noun>(_ new: inout Resource, since old: Resource) throws {
        try stamp(&new, since: old)
        let members = Resource.members.filter { $0.differs(new, old) }
            .map { member in
                HistoryEntry.MemberChange(
                    member: member.text, from: member.value(of: old).json.ifShort,
                    to: member.value(of: new).json.ifShort)
            }
        try append(
            HistoryEntry(
                taskID: new.historyID, revision: new.revision, at: now, action: .updated,
                changes: [.revision(from: old.revision, to: new.revision)] + members, sessionID: session))
    }
}

extension BoardReader {
    /// True if the resource is what `other` is, or was at a time that the history has. The positions of tasks do not count,
    /// nor do references to what is gone, which `other` cannot have.
    /// - Parameters:
    ///   - absent: members that `other` does not have.
    ///   - isSame: true if a value of a member, the first one, counts as that of `other`, though they differ.
    func wasBefore<Resource: Noun>(
        _ current: Resource, like other: Resource, besides absent: [String] = [],
        _ isSame: (_ member: String, JSON, JSON) -> Bool = { _, _, _ in false }
    ) throws -> Bool {
        let members = Resource.members.filter { $0.isInBodies && !absent.contains($0.text) }
        let wanted = members.map { $0.value(of: other).json }
        var then = members.map { $0.value(of: current).json }
        func isLike() throws -> Bool {
            try members.indices.allSatisfy { index in
                guard then[index] != wanted[index], !isSame(members[index].text, then[index], wanted[index]) else {
                    return true
                }
                guard case .id = members[index].form, let id = then[index].stringValue.flatMap({ ID($0) }) else {
                    return false
                }
                return try category(id) == nil && image(id) == nil
            }
        }
        // If they are the same, the difference is in what bodies do not have.
        if try then != wanted && isLike() { return true }
        for line in try lines(of: current.historyID, since: 0, .newestFirst, limit: Self.mostMergedLines) {
            for (index, member) in members.enumerated() {
                if let change = try line.change(of: member.text) { then[index] = change.from }
            }
            if try isLike() { return true }
        }
        return false
    }
}

extension JSON {
    /// Null in place of a large value, which would fill the history: an app may change its own object in the settings
    /// often.
    fileprivate var ifShort: JSON { serialized().count <= 1_024 ? self : .null }
}
