import Foundation
import JSON
import Kanban

// The public values as the API writes them.

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

extension NewCategory {
    var draft: CategoryDraft { CategoryDraft(name: name, color: color, emoji: emoji, image: image) }
}

extension CategoryDraft {
    init(_ category: Kanban.Category) {
        self.init(
            name: category.name, color: category.color, emoji: category.emoji,
            image: category.image.map { KanbanID($0) })
    }

    var json: JSON {
        [
            "name": .string(name), "color": .init(optional: color), "emoji": .init(optional: emoji),
            "image": .init(optional: image?.description),
        ]
    }
}

extension NewDDay {
    var draft: DDayDraft {
        DDayDraft(
            title: title, date: date, repeatsYearly: repeatsYearly, image: image, color: color, emoji: emoji)
    }
}

extension DDayDraft {
    init(_ dday: DDay) {
        self.init(
            title: dday.title, date: Day(dday.date), repeatsYearly: dday.repeats == .yearly,
            image: dday.image.map { KanbanID($0) }, color: dday.color, emoji: dday.emoji)
    }

    var json: JSON {
        [
            "title": .string(title), "date": .string(date.description), "repeats": repeatsYearly ? "yearly" : "none",
            "image": .init(optional: image?.description), "color": .init(optional: color),
            "emoji": .init(optional: emoji),
        ]
    }
}

extension KanbanDDay {
    init(_ dday: DDay) {
        self.init(
            id: KanbanID(dday.id), title: dday.title, date: Day(dday.date), repeatsYearly: dday.repeats == .yearly,
            image: dday.image.map { KanbanID($0) }, color: dday.color, emoji: dday.emoji,
            deletedAt: dday.deletedAt.map { Date($0) })
    }
}

extension SettingsDraft {
    init(_ settings: Settings) {
        let shown = KanbanSettings(settings)
        self.init(
            timeZone: shown.timeZone, locale: shown.locale, custom: shown.custom, allDayTime: shown.allDayTime,
            digest: shown.digest)
    }

    /// The patch that changes `old` to this draft. Keys that the draft lacks are removed.
    func patch(of old: SettingsDraft) -> JSON {
        var members: [JSON.Member] = []
        if timeZone != old.timeZone { members.append(.init("timeZone", .init(optional: timeZone))) }
        if locale != old.locale { members.append(.init("locale", .init(optional: locale))) }
        if allDayTime != old.allDayTime { members.append(.init("allDayTime", .init(optional: allDayTime))) }
        if digest != old.digest { members.append(.init("digest", .init(optional: digest))) }
        let gone = old.custom.keys.filter { custom[$0] == nil }.sorted().map { JSON.Member($0, .null) }
        let new = custom.filter { key, value in old.custom[key]?.isSpelled(like: value) != true }
            .sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
        if !gone.isEmpty || !new.isEmpty { members.append(.init("custom", .object(gone + new))) }
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
            let names = Set((yours.flatMembers + theirs.flatMembers).map { Spelling($0.name) }).sorted().map(\.string)
            return names.map { (member: $0, base: base[flat: $0], theirs: theirs[flat: $0], yours: yours[flat: $0]) }
                .filter { $0.theirs != $0.yours }
                .filter { !isApplied || conflict.base.isNull || $0.base != $0.theirs }
        }
        return result
    }
}

extension JSON {
    /// The members of a resource of the server that a client may send.
    var sendable: JSON {
        let shown: Set<String> = [
            "id", "position", "createdAt", "updatedAt", "completedAt", "deletedAt", "seriesId", "occurrence",
            "seriesStart",
            "revision",
        ]
        return .object((objectMembers ?? []).filter { !shown.contains($0.name) })
    }

    /// The members of both; of those that both have, the other's.
    func overwritten(by other: JSON) -> JSON {
        let written = other.objectMembers ?? []
        let rest = (objectMembers ?? []).filter { member in !written.contains { $0.name == member.name } }
        return .object(rest + written)
    }
}
