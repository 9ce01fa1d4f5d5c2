import JSON

/// What an entry of history changed, as text until somebody asks: a merge looks through hundreds of them for one member.
package struct HistoryLine: Hashable, Sendable {
    package enum Order: Sendable {
        case oldestFirst, newestFirst
    }

    package let revision: Revision
    /// As in ``HistoryEntry/MemberChange/encode(_:)``.
    private let changes: [UInt8]

    package init(revision: Revision, changes: [UInt8]) {
        self.revision = revision
        self.changes = changes
    }

    package init(_ entry: HistoryEntry) {
        self.init(revision: entry.revision, changes: HistoryEntry.MemberChange.encode(entry.changes))
    }

    /// - Throws: ``StoreError/corrupt(_:)``.
    package func change(of member: String) throws -> HistoryEntry.MemberChange? {
        guard mayName(member) else { return nil }
        return try HistoryEntry.MemberChange.decode(changes).first { $0.member == member }
    }

    /// The resource's revision before this change; `nil` in lines of tasks, of which none is missing.
    package var previousRevision: Revision? {
        let start = Array("[[\"revision\",".utf8)
        guard changes.starts(with: start) else { return nil }
        let digits = changes.dropFirst(start.count).prefix { $0 != UInt8(ascii: ",") }
        return Revision(String(decoding: digits, as: UTF8.self))
    }

    /// False when the name is nowhere in the text; true also when a value has it.
    private func mayName(_ member: String) -> Bool {
        let name = Array("[\"\(member)\",".utf8)
        return changes.indices.dropLast(name.count).contains { start in
            changes[start] == name[0] && changes[start...].starts(with: name)
        }
    }
}

extension HistoryEntry.MemberChange {
    /// The first change of a line from which ``HistoryLine/previousRevision`` is read.
    static func revision(from: Revision, to: Revision) -> HistoryEntry.MemberChange {
        HistoryEntry.MemberChange(member: "revision", from: .number("\(from)"), to: .number("\(to)"))
    }

    /// `[["title", "before", "after"], …]`
    package static func encode(_ changes: [HistoryEntry.MemberChange]) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginArray()
        for change in changes {
            writer.beginArray()
            writer.value(change.member)
            writer.value(change.from)
            writer.value(change.to)
            writer.endArray()
        }
        writer.endArray()
        return writer.bytes
    }

    package static func decode(_ text: [UInt8]) throws -> [HistoryEntry.MemberChange] {
        try JSON(parsing: text, maximumDepth: .max).arrayValue?.map { change in
            guard let parts = change.arrayValue, parts.count == 3, let member = parts[0].stringValue else {
                throw StoreError.corrupt("a history entry of an unknown form")
            }
            return HistoryEntry.MemberChange(member: member, from: parts[1], to: parts[2])
        } ?? []
    }
}
