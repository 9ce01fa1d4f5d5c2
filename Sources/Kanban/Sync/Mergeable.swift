import JSON

/// A resource into which offline edits are merged member by member, with one revision for all members. The history
/// knows which revision changed which member.
protocol Mergeable {
    /// The id of its history entries. It differs from that of a task with the same id.
    var historyID: ID { get }
    var revision: Revision { get }
    var change: Change.Value { get }
    /// The members that a user can change.
    static var members: [MergedMember<Self>] { get }
}

/// A member of a mergeable resource.
struct MergedMember<Resource> {
    let name: String
    /// The value as the API shows it.
    let shown: (Resource) -> JSON
    /// Copies the member from the second resource to the first.
    let copy: (inout Resource, Resource) -> Void

    init<Value>(_ name: String, _ path: WritableKeyPath<Resource, Value>, _ shown: @escaping (Value) -> JSON) {
        self.name = name
        self.shown = { shown($0[keyPath: path]) }
        copy = { $0[keyPath: path] = $1[keyPath: path] }
    }
}

extension BoardWriter {
    /// Records in the history which members an edit changed, and since which revision.
    func note<Resource: Mergeable>(_ new: Resource, since old: Resource) throws {
        let members = Resource.members.filter { $0.shown(new) != $0.shown(old) }
            .map { HistoryEntry.MemberChange(member: $0.name, from: $0.shown(old).ifShort, to: $0.shown(new).ifShort) }
        try append(
            HistoryEntry(
                taskID: new.historyID, revision: new.revision, at: now, action: .updated,
                changes: [.revision(from: old.revision, to: new.revision)] + members, sessionID: session))
    }

    /// The members that somebody else changed since the client's copy, to another value than the edit's.
    func conflicts<Resource: Mergeable>(
        _ old: Resource, _ wanted: Resource, since baseline: Baseline
    ) throws -> [(member: MergedMember<Resource>, conflict: MemberConflict)] {
        guard let base = baseline.base, old.revision > base else { return [] }
        let changed = Resource.members.filter { $0.shown(old) != $0.shown(wanted) }
        guard !changed.isEmpty else { return [] }
        let history = try MergeHistory(of: old, since: base, self)
        return try changed.filter { try history.isForeign($0.name, since: baseline) }.map { member in
            let base = try history.base(of: member.name)
            let (theirs, yours) = (member.shown(old), member.shown(wanted))
            return (member, MemberConflict(member: member.name, base: base ?? .null, theirs: theirs, yours: yours))
        }
    }

    /// Whether somebody else changed any member since the client's copy.
    func isForeign<Resource: Mergeable>(_ old: Resource, since baseline: Baseline) throws -> Bool {
        guard let base = baseline.base, old.revision > base else { return false }
        if baseline.isForeign(old.revision) { return true }
        let history = try MergeHistory(of: old, since: base, self)
        return try Resource.members.contains { try history.isForeign($0.name, since: baseline) }
    }
}

extension [HistoryLine] {
    /// The value of a member before the first change of it, `nil` without one.
    func base(of member: String) throws -> JSON? {
        for line in self {
            if let change = try line.change(of: member) { return change.from }
        }
        return nil
    }
}

/// What a merge reads of a resource's history since the client's copy: of a long one both ends. The value of a member in the copy
/// is in its first line; its last line tells who changed it.
///
/// Some changes have no line: an import and a creation leave none, and old lines are purged. Each line names the revision before
/// it, so that a missing one is noticed: it may have changed any member.
struct MergeHistory {
    /// The most lines that a merge reads; others wait meanwhile. As many as a request has mutations.
    static let mostLines = 500

    /// The revisions of the client's copy and of the resource.
    private let base: Revision
    private let revision: Revision
    /// As many as were read, from the first one on.
    private let oldest: [HistoryLine]
    /// As many as were read, from the last one back.
    private let newest: [HistoryLine]
    /// Whether the two have all lines.
    private let isWhole: Bool

    init(of resource: some Mergeable, since base: Revision, _ reader: any BoardReader) throws {
        let (id, most) = (resource.historyID, Self.mostLines / 2)
        self.base = base
        revision = resource.revision
        oldest = try reader.lines(of: id, since: base, .oldestFirst, limit: most)
        guard oldest.count == most, let middle = oldest.last?.revision else {
            newest = oldest.reversed()
            isWhole = true
            return
        }
        let newest = try reader.lines(of: id, since: middle, .newestFirst, limit: most)
        isWhole = newest.count < most
        self.newest = isWhole ? newest + oldest.reversed() : newest
    }

    /// Whether somebody else was the last to change a member; true if that may stand in a line that was not read or is
    /// missing.
    func isForeign(_ member: String, since baseline: Baseline) throws -> Bool {
        // The change before the lines that were looked at; `nil` when it is unknown.
        var last: Revision? = revision
        for line in newest {
            if let last, last != line.revision, baseline.isForeign(last) { return true }
            if try line.change(of: member) != nil { return baseline.isForeign(line.revision) }
            last = line.previousRevision
        }
        return !isWhole || last.map(baseline.isForeign) ?? false
    }

    /// The value of a member in the client's copy; `nil` when no line tells.
    func base(of member: String) throws -> JSON? {
        var known = base
        for line in oldest {
            if let previous = line.previousRevision, previous > known { return nil }
            if let change = try line.change(of: member) { return change.from }
            known = line.revision
        }
        return nil
    }
}

extension Category: Mergeable {
    var historyID: ID { ID(high: id.high ^ 0x6361_7465_676f_7279, low: id.low) }
    var change: Change.Value { .category(self) }
    static var members: [MergedMember<Category>] {
        [
            MergedMember("name", \.name) { .string($0) }, MergedMember("color", \.color, JSON.text),
            MergedMember("emoji", \.emoji, JSON.text), MergedMember("image", \.image, JSON.id),
        ]
    }
}

extension DDay: Mergeable {
    var historyID: ID { ID(high: id.high ^ 0x0000_0000_6464_6179, low: id.low) }
    var change: Change.Value { .dday(self) }
    static var members: [MergedMember<DDay>] {
        [
            MergedMember("title", \.title) { .string($0) },
            MergedMember("date", \.date) { .string($0.description) },
            MergedMember("repeats", \.repeats) { .string($0.rawValue) },
            MergedMember("color", \.color, JSON.text), MergedMember("emoji", \.emoji, JSON.text),
            MergedMember("image", \.image, JSON.id),
        ]
    }
}

extension Settings: Mergeable {
    var historyID: ID { ID(high: 0x7365_7474_696e_6773, low: 0) }
    var change: Change.Value { .settings(self) }
    static var members: [MergedMember<Settings>] {
        [
            MergedMember("timeZone", \.timeZone, JSON.text), MergedMember("locale", \.locale, JSON.text),
            MergedMember("custom", \.custom) { $0 },
        ]
    }
}

extension JSON {
    /// Null in place of a large value, which would fill the history: an app may change its own object in the settings
    /// often.
    fileprivate var ifShort: JSON { serialized().count <= 1_024 ? self : .null }

    fileprivate static func text(_ text: String?) -> JSON {
        text.map { .string($0) } ?? .null
    }

    fileprivate static func id(_ id: ID?) -> JSON {
        text(id?.description)
    }
}
