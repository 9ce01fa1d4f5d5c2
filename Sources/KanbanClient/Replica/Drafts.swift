import JSON
import Kanban

// The public values as the API writes them.

extension TaskDraft {
    /// All members but the category: a new one has to be created first.
    var json: JSON {
        [
            "title": .string(title), "body": .string(body), "status": .string(status.rawValue),
            "dueDate": due.map { .string($0.text) } ?? .null,
        ]
    }

    /// Reads the members of a task from the API's JSON.
    init?(shown json: JSON) {
        guard let title = json["title"]?.stringValue else { return nil }
        self.init(
            title: title, body: json["body"]?.stringValue ?? "",
            status: json["status"]?.stringValue.flatMap(Status.init(rawValue:)) ?? .todo,
            due: json["dueDate"]?.stringValue.flatMap { DueDate($0) }.map(Due.init),
            category: json["categoryId"]?.stringValue.flatMap { KanbanID($0) }.map { .id($0) })
    }
}

extension Place {
    var member: JSON.Member {
        switch self {
        case .first: .init("place", "first")
        case .last: .init("place", "last")
        case .before(let id): .init("before", .string(id.description))
        case .after(let id): .init("after", .string(id.description))
        }
    }
}

extension JSON {
    /// The members whose values differ in `other`, with their values there.
    func changed(to other: JSON) -> JSON {
        .object((other.objectMembers ?? []).filter { self[$0.name] ?? .null != $0.value })
    }
}

extension CategoryDraft {
    init(_ category: Kanban.Category) {
        self.init(name: category.name, color: category.color, emoji: category.emoji)
    }

    var json: JSON { ["name": .string(name), "color": .init(optional: color), "emoji": .init(optional: emoji)] }
}

extension DDayDraft {
    init(_ dday: DDay) {
        self.init(
            title: dday.title, date: Day(dday.date), repeatsYearly: dday.repeats == .yearly,
            image: dday.image.map { KanbanID($0) })
    }

    var json: JSON {
        [
            "title": .string(title), "date": .string(date.description), "repeats": repeatsYearly ? "yearly" : "none",
            "image": .init(optional: image?.description),
        ]
    }
}

extension KanbanDDay {
    init(_ dday: DDay) {
        self.init(
            id: KanbanID(dday.id), title: dday.title, date: Day(dday.date), repeatsYearly: dday.repeats == .yearly,
            image: dday.image.map { KanbanID($0) })
    }
}

extension SettingsDraft {
    init(_ settings: Settings) {
        let shown = KanbanSettings(settings)
        self.init(timeZone: shown.timeZone, locale: shown.locale, custom: shown.custom)
    }

    /// The patch that changes `old` to this draft. Keys that the draft lacks are removed.
    func patch(of old: SettingsDraft) -> JSON {
        var members: [JSON.Member] = []
        if timeZone != old.timeZone { members.append(.init("timeZone", .init(optional: timeZone))) }
        if locale != old.locale { members.append(.init("locale", .init(optional: locale))) }
        if custom != old.custom {
            let gone = old.custom.keys.filter { custom[$0] == nil }.sorted().map { JSON.Member($0, .null) }
            let new = custom.filter { old.custom[$0.key] != $0.value }.sorted { $0.key < $1.key }
            members.append(.init("custom", .object(gone + new.map { .init($0.key, .string($0.value)) })))
        }
        return .object(members)
    }
}

extension JSON {
    private static let custom = "custom."

    /// The members, with each key of `custom` as one of its own: devices change them one by one.
    var flatMembers: [Member] {
        (objectMembers ?? []).flatMap { member -> [Member] in
            guard member.name == "custom", let keys = member.value.objectMembers else { return [member] }
            return keys.map { Member(Self.custom + $0.name, $0.value) }
        }
    }

    /// The value of one of ``flatMembers``; null for none.
    subscript(flat name: String) -> JSON {
        guard name.hasPrefix(Self.custom) else { return self[name] ?? .null }
        return self["custom"]?[String(name.dropFirst(Self.custom.count))] ?? .null
    }

    /// The object of these ``flatMembers``.
    init(flat members: [Member]) {
        let keys = members.filter { $0.name.hasPrefix(Self.custom) }
            .map { Member(String($0.name.dropFirst(Self.custom.count)), $0.value) }
        let others = members.filter { !$0.name.hasPrefix(Self.custom) }
        self = .object(others + (keys.isEmpty ? [] : [Member("custom", .object(keys))]))
    }
}

extension SyncResponse.Result {
    /// The result with each key of `custom` in which the sides differ as a conflict of its own.
    /// - Parameter isApplied: My values are those that the server has now: then a key that only this device changed is no
    ///   conflict. Else it is, for its value is nowhere else.
    func flat(isApplied: Bool) -> SyncResponse.Result {
        var result = self
        result.conflicts = conflicts.flatMap { conflict in
            guard conflict.member == "custom" else { return [conflict] }
            let base = JSON.object([.init(conflict.member, conflict.base)])
            let yours = JSON.object([.init(conflict.member, conflict.yours)])
            let theirs = JSON.object([.init(conflict.member, conflict.theirs)])
            let names = Set((yours.flatMembers + theirs.flatMembers).map(\.name)).sorted()
            return names.map { (member: $0, base: base[flat: $0], theirs: theirs[flat: $0], yours: yours[flat: $0]) }
                .filter { $0.theirs != $0.yours }
                .filter { !isApplied || conflict.base.isNull || $0.base != $0.theirs }
        }
        return result
    }
}
