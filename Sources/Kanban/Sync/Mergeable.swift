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
    /// Records in the history which members an edit changed.
    func note<Resource: Mergeable>(_ new: Resource, since old: Resource) throws {
        let changes = Resource.members.filter { $0.shown(new) != $0.shown(old) }
            .map { HistoryEntry.MemberChange(member: $0.name, from: $0.shown(old).ifShort, to: $0.shown(new).ifShort) }
        try append(
            HistoryEntry(
                taskID: new.historyID, revision: new.revision, at: now, action: .updated, changes: changes,
                sessionID: session))
    }

    /// The members that somebody else changed since the client's copy, to another value than the edit's.
    func conflicts<Resource: Mergeable>(
        _ old: Resource, _ wanted: Resource, since baseline: Baseline
    ) throws -> [(member: MergedMember<Resource>, conflict: MemberConflict)] {
        guard let base = baseline.base, old.revision > base else { return [] }
        let history = try history(of: old.historyID, since: base)
        // An import and a creation leave no entry: then any member may have changed, unless the client did it.
        let isKnown = history.last?.revision == old.revision || baseline.own.contains(old.revision)
        return Resource.members.compactMap { member in
            let (theirs, yours) = (member.shown(old), member.shown(wanted))
            guard theirs != yours else { return nil }
            let lines = history.changes(of: member.name)
            guard !isKnown || lines.last.map({ baseline.isForeign($0.revision) }) ?? false else { return nil }
            return (
                member,
                MemberConflict(member: member.name, base: lines.first?.from ?? .null, theirs: theirs, yours: yours)
            )
        }
    }

    /// Whether somebody else changed any member since the client's copy.
    func isForeign<Resource: Mergeable>(_ old: Resource, since baseline: Baseline) throws -> Bool {
        guard let base = baseline.base, old.revision > base else { return false }
        if baseline.isForeign(old.revision) { return true }
        let history = try history(of: old.historyID, since: base)
        return Resource.members.contains { member in
            history.changes(of: member.name).last.map { baseline.isForeign($0.revision) } ?? false
        }
    }
}

extension [HistoryEntry] {
    /// The revisions in which a member changed, with the values before, in the order of the entries.
    fileprivate func changes(of member: String) -> [(revision: Revision, from: JSON)] {
        compactMap { entry in
            entry.changes.first { $0.member == member }.map { (revision: entry.revision, from: $0.from) }
        }
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
