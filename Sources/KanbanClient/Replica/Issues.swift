import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanWire

/// An issue as it is stored: what happened, and what an answer needs.
struct StoredIssue: Sendable {
    enum Kind: String, Sendable {
        case merged, deleted, rejected, restoredServer
    }

    var id = ID(high: 0, low: 0)
    var kind: Kind
    var resource: ResourceKey
    /// `conflicts`, `faults`, `draft`, `op`, `value`, `restored`.
    var details: [JSON.Member]
    var at = Timestamp(milliseconds: 0)

    /// What the user wrote is nowhere else.
    var isOnlyCopy: Bool { self["isLoss"] != true && (kind != .merged || self["isApplied"] != true) }

    init(kind: Kind, resource: ResourceKey, details: [JSON.Member]) {
        self.kind = kind
        self.resource = resource
        self.details = details
    }

    init(_ row: SQLiteStatement) throws {
        let id = try row.id()
        guard let kind = Kind(rawValue: row.text()), let type = ResourceType(rawValue: row.text()) else {
            throw StoreError.corrupt("an issue of an unknown kind")
        }
        self.init(
            kind: kind, resource: ResourceKey(type: type, id: row.optionalID()),
            details: try JSON(stored: row.text()).objectMembers ?? [])
        self.id = id
        at = row.timestamp()
    }

    subscript(member: String) -> JSON { details.first { $0.name == member }?.value ?? .null }

    /// - Parameters:
    ///   - written: the members that the user changed, which come back with the resource.
    ///   - seen: their values before.
    static func deleted(_ resource: ResourceKey, _ written: JSON, over seen: JSON, _ draft: JSON) -> StoredIssue {
        StoredIssue(
            kind: .deleted, resource: resource,
            details: [.init("draft", draft), .init("value", written), .init("seen", seen)])
    }

    static func rejected(_ edit: OutboxEdit, _ result: SyncResponse.Result, _ draft: JSON) -> StoredIssue {
        rejected(edit.mutation, result.problem ?? .null, draft)
    }

    static func rejected(_ mutation: StoredMutation, _ problem: JSON, _ draft: JSON) -> StoredIssue {
        var faults = (problem["errors"]?.arrayValue ?? []).map { error -> JSON in
            ["pointer": error["pointer"] ?? "#", "code": error["code"] ?? .null]
        }
        if faults.isEmpty {
            let code = problem["code"] ?? "unknown"
            // As the device says it where it refuses the name itself.
            faults = [["pointer": code == "name_taken" ? "#/name" : "#", "code": code]]
        }
        return StoredIssue(
            kind: .rejected, resource: mutation.resource,
            details: [
                .init("faults", .array(faults)), .init("draft", draft), .init("op", .string(mutation.op.rawValue)),
                .init("value", mutation.value),
            ])
    }

    /// The file of the board was damaged, and this much of what only the device had could not be read.
    static func damaged(_ loss: SalvageLoss) -> StoredIssue {
        StoredIssue(
            kind: .rejected, resource: .settings,
            details: [
                .init("faults", .array([["pointer": "#/file", "code": "damaged"]])), .init("isLoss", true),
                .init("value", ["edits": loss.edits.map { JSON($0) } ?? .null]),
            ])
    }

    /// An image that the server refused, and the resources that named it.
    static func refused(image id: ID, _ problem: Failure.Problem, named: [ResourceKey]) -> StoredIssue {
        var faults = problem.faults
        if faults.isEmpty { faults = [Fault(pointer: "#", code: problem.code)] }
        return StoredIssue(
            kind: .rejected, resource: .image(id),
            details: [
                .init("faults", .array(faults.map { ["pointer": .string($0.pointer), "code": .string($0.code)] })),
                .init(
                    "named",
                    .array(
                        named.map { ["type": .string($0.type.rawValue), "id": .string($0.id?.description ?? "")] })),
            ])
    }
}

extension StoredIssue {
    /// The resource as the user last saw it, with what was written since.
    var whole: JSON { self["draft"].overwritten(by: self["value"]) }

    /// What the user wrote as the members of a task: a category's name is the title, a D-day's date the due date.
    var shown: JSON {
        switch resource.type {
        case .task: self["draft"]
        case .category: ["title": whole["name"] ?? .null]
        case .dday: ["title": whole["title"] ?? .null, "dueDate": whole["date"] ?? .null]
        case .settings, .image: .null
        }
    }

    /// True if the user wrote this value of a member, in the refused edit or now. The other members may have been changed
    /// elsewhere since.
    fileprivate func isWritten(_ member: JSON.Member) -> Bool {
        self["value"][member.name] != nil || offered[member.name] ?? .null != member.value
    }

    /// The members of a task as the app got them. A draft has all of them, where the device knows only what the edit wrote.
    private var offered: JSON {
        var members = (TaskDraft(shown: shown) ?? TaskDraft(title: "")).json
        members["categoryId"] = shown["categoryId"] ?? .null
        return members
    }
}

extension StoredMutation {
    /// The members of a move and a restore that say where the task goes.
    fileprivate static let places: Set<String> = ["before", "after", "place"]

    /// The members that it changes, but for the place.
    /// - Parameter draft: the resource with it.
    fileprivate func written(_ draft: JSON) -> JSON {
        if op == .skip { return ["dueDate": draft["dueDate"] ?? .null] }
        return .object((value.objectMembers ?? []).filter { !Self.places.contains($0.name) })
    }
}

extension Transaction {
    /// The members of a resource as the user sees them; null for settings and for what is gone.
    func draft(of resource: ResourceKey) throws -> JSON {
        switch try value(of: resource) {
        case .task(let task): task.sentMembers
        case .category(let category): category.sentMembers
        case .dday(let dday): dday.sentMembers
        default: .null
        }
    }

    /// The members of an edit's resource as the user wrote them. Where the rules no longer allow the edit, because the
    /// resource or its category was deleted meanwhile, the row does not show what the edits of it say.
    func draft(of edit: OutboxEdit) throws -> JSON {
        let resource = edit.mutation.resource
        let shown = try draft(of: resource)
        guard resource.type != .settings, try value(of: resource)?.revision?.isOptimistic != true else { return shown }
        var members = shown.objectMembers ?? []
        for other in try edits(of: resource) where !other.isAnswered {
            for member in other.mutation.value.objectMembers ?? [] where !StoredMutation.places.contains(member.name) {
                members.removeAll { $0.name == member.name }
                members.append(member)
            }
        }
        return members.isEmpty ? .null : .object(members)
    }

    func add(_ issue: StoredIssue) throws {
        touched.insert(.issues)
        try run(
            "INSERT INTO issues (id, kind, type, target, details, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            .id(rows.makeID()), .text(issue.kind.rawValue), .text(issue.resource.type.rawValue), .id(issue.resource.id),
            .text(JSON.object(issue.details).text), .integer(now.milliseconds))
    }

    /// Adds the issue of an edit of something that is deleted. Several edits with the same words are one issue.
    func addDeleted(_ edit: OutboxEdit, _ draft: JSON) throws {
        let written = edit.mutation.written(draft)
        let same = try rows.connection.issues().first {
            $0.resource == edit.mutation.resource && [.deleted, .rejected].contains($0.kind) && $0["draft"] == draft
        }
        let server = try value(of: edit.mutation.resource)?.json ?? .null
        let seen = JSON(flat: written.flatMembers.map { .init($0.name, server[flat: $0.name]) })
        guard var known = same, !draft.isNull else {
            return try add(.deleted(edit.mutation.resource, written, over: seen, draft))
        }
        guard known.kind == .deleted else { return }
        known.set("value", known["value"].overwritten(by: written))
        known.set("seen", seen.overwritten(by: known["seen"]))
        try save(known)
    }

    func hasRejection(of resource: ResourceKey) throws -> Bool {
        try !all("SELECT 1 FROM issues WHERE target = ?1 AND kind = 'rejected'", .id(resource.id)) { $0.integer() }
            .isEmpty
    }

    /// The server refuses the edit as a whole request: remove it and leave an issue.
    /// - Parameter rows: of the request, which has one.
    func refuse(_ rows: Set<Int64>, _ problem: Failure.Problem) throws {
        guard let edit = try outbox().first(where: { rows.contains($0.n) && !$0.isAnswered }) else { return }
        let draft = try draft(of: edit)
        try rollBackEdits()
        try run("DELETE FROM outbox WHERE n = ?1", .integer(edit.n))
        let errors = problem.faults.map { fault -> JSON in
            ["pointer": .string(fault.pointer), "code": .string(fault.code)]
        }
        try add(.rejected(edit.mutation, ["code": .string(problem.code), "errors": .array(errors)], draft))
        try replayEdits()
        touched.formUnion([.outbox, .status])
    }

    // MARK: - Answers

    /// Performs the app's decision as new edits and deletes the issue.
    /// - Throws: ``KanbanError/notFound`` for no such issue, ``KanbanError/invalid(_:)`` for an answer to another kind.
    func answer(_ id: ID, _ answer: Issue.Answer) throws {
        guard let issue = try rows.connection.issues(id).first else { throw KanbanError.notFound }
        switch (issue.kind, answer) {
        case (.rejected, .dismiss) where issue.resource.type == .image: try forgetRefusedImage(issue)
        case (.rejected, .sendAgain) where issue.resource.type == .image: try sendImageAgain(issue)
        case (_, .dismiss): break
        case (.merged, .mine): try settle(issue, with: "mine")
        case (.merged, .theirs): try settle(issue, with: "theirs")
        case (.deleted, .restoreWithMine): try restoreWithMine(issue)
        case (.rejected, .retry(let draft)) where issue.resource.type != .image: try retry(issue, draft)
        case (.restoredServer, .sendAgain): try sendAgain(issue)
        default: throw KanbanError.invalid([Fault(pointer: "#/answer", code: "invalid_value")])
        }
        touched.insert(.issues)
        try run("DELETE FROM issues WHERE id = ?1", .id(id))
    }

    /// Sets the contested members to the values of one side: to theirs only where the board still shows mine.
    private func settle(_ issue: StoredIssue, with side: String) throws {
        let now = try value(of: issue.resource)?.json ?? .null
        guard try isThere(issue.resource) else {
            // It was deleted since: there is nothing to decide but whether mine comes back, which the trash may not have.
            if side == "mine", let lost = issue.lost(beside: now) { try add(lost) }
            return
        }
        var (members, seen): ([JSON.Member], [JSON.Member]) = ([], [])
        var position: Position?
        for conflict in issue["conflicts"].arrayValue ?? [] {
            guard let member = conflict["member"]?.stringValue else { continue }
            // Where my category was deleted, the board shows none.
            let mine = try known([member: conflict["mine"] ?? .null])[member] ?? .null
            guard (now[flat: member] == mine) == (side == "theirs") else { continue }
            if member == "position" {
                position = conflict[side]?.stringValue.flatMap { Position(reading: $0) }
            } else {
                members.append(.init(member, conflict[side] ?? .null))
                seen.append(.init(member, side == "mine" ? conflict["theirs"] ?? .null : mine))
            }
        }
        try write(JSON(flat: members), of: issue.resource, over: JSON(flat: seen), now)
        if let position, let id = issue.resource.id { try move(id, to: position) }
    }

    /// Writes the user's decision. Where somebody wrote what the user has not seen, another issue has these words as theirs.
    private func write(_ members: JSON, of resource: ResourceKey, over seen: JSON, _ now: JSON) throws {
        let value = try known(members)
        guard value != [:] else { return }
        try edit(StoredMutation(.patch, resource, value))
        let unseen = value.flatMembers.filter { ![$0.value, seen[flat: $0.name]].contains(now[flat: $0.name]) }
        guard !unseen.isEmpty else { return }
        try add(.outdone(unseen, by: now, of: resource, try draft(of: resource), isApplied: true))
    }

    /// Moves a task to a position in its column: below the task that is above the position now.
    private func move(_ id: ID, to position: Position) throws {
        guard let task = try rows.task(id), task.deletedAt == nil, task.position != position else { return }
        var above = task
        above.position = position
        let neighbour = try predecessor(of: above)
        // The place between its neighbours is the task's own already.
        guard neighbour != id else { return }
        let place: JSON = neighbour.map { ["after": .string($0.description)] } ?? ["place": "first"]
        try edit(StoredMutation(.move, .task(id), place))
    }

    /// Brings the resource back with the members that the user changed: others may have brought it back before, and changed more.
    private func restoreWithMine(_ issue: StoredIssue) throws {
        guard let now = try value(of: issue.resource)?.json else {
            // The trash was emptied meanwhile, and ids are not reused.
            let resource = ResourceKey(type: issue.resource.type, id: rows.makeID())
            try edit(StoredMutation(.create, resource, try known(issue.whole)))
            return
        }
        try edit(StoredMutation(.restore, issue.resource))
        try write(issue["value"], of: issue.resource, over: issue["seen"], now)
    }

    private func retry(_ issue: StoredIssue, _ draft: TaskDraft) throws {
        if issue["op"] == "delete" {
            try edit(StoredMutation(.delete, issue.resource))
            return
        }
        guard issue.resource.type == .task else {
            try retryOther(issue, draft)
            return
        }
        var members = draft.json.objectMembers ?? []
        let category = try draft.category.map { JSON.string(try resolve($0).id.description) } ?? .null
        members.append(.init("categoryId", category))
        let isThere = try isThere(issue.resource)
        if isThere { members = members.filter { issue.isWritten($0) } }
        // A category that the user chose now, and that does not exist, is a fault.
        let isChosenNow = ![issue["value"], issue.shown].contains { $0["categoryId"] == category }
        let value = isChosenNow ? .object(members) : try known(.object(members))
        if value != [:] { try edit(StoredMutation(isThere ? .patch : .create, try target(of: issue, isThere), value)) }
    }

    /// A resource that is gone comes back under another id: ids are not reused. Nobody knows that of a refused creation.
    private func target(of issue: StoredIssue, _ isThere: Bool) throws -> ResourceKey {
        var resource = issue.resource
        if !isThere, issue["op"] != "create" { resource.id = rows.makeID() }
        return resource
    }

    /// Sends a category, a D-day or settings again, with what the draft changes of ``StoredIssue/shown``.
    private func retryOther(_ issue: StoredIssue, _ draft: TaskDraft) throws {
        let isThere = try isThere(issue.resource)
        var members = (isThere ? issue["value"] : issue.whole).objectMembers ?? []
        func set(_ name: String, _ value: String) {
            members.removeAll { $0.name == name }
            members.append(.init(name, .string(value)))
        }
        let isDDay = issue.resource.type == .dday
        let shown = TaskDraft(shown: issue.shown)
        if issue.resource.type != .settings, !draft.title.isEmpty, !draft.title.isSpelled(like: shown?.title ?? "") {
            set(isDDay ? "title" : "name", draft.title)
        }
        if isDDay, case .day(let day)? = draft.due, draft.due != shown?.due { set("date", day.description) }
        let value = try known(.object(members))
        if value != [:] { try edit(StoredMutation(isThere ? .patch : .create, try target(of: issue, isThere), value)) }
    }

    /// True if the user sees the resource: what lies in the trash is not there.
    func isThere(_ resource: ResourceKey) throws -> Bool {
        try value(of: resource).map { $0.deletedAt == nil } ?? false
    }

    /// The value without a category or an image that is gone.
    func known(_ value: JSON) throws -> JSON {
        .object(
            try (value.objectMembers ?? []).filter { member in
                guard let id = member.value.stringValue.flatMap({ ID($0) }) else { return true }
                return switch member.name {
                case "categoryId": try rows.category(id) != nil
                case "image": try rows.image(id) != nil
                default: true
                }
            })
    }
}

extension SQLiteConnection {
    /// All issues, newest last, or one.
    func issues(_ id: ID? = nil) throws -> [StoredIssue] {
        try all(
            """
            SELECT id, kind, type, target, details, at FROM issues WHERE ?1 = x'' OR id = ?1 ORDER BY at, id
            """, [.id(id)], StoredIssue.init)
    }
}

extension Issue {
    init(_ issue: StoredIssue) {
        id = KanbanID(issue.id)
        target = KanbanID(issue.resource)
        kind =
            switch issue.kind {
            case .merged: .merged
            case .deleted: .deleted
            case .rejected: .rejected([Fault](errors: ["errors": issue["faults"]], of: issue.resource.type))
            case .restoredServer: .restoredServer
            }
        let draft = TaskDraft(shown: issue.shown)
        // Without a contest, and without a whole task to show, each member that the user wrote.
        let isContested = issue.kind == .merged || (issue.resource.type == .task && draft != nil)
        conflicts =
            isContested
            ? (issue["conflicts"].arrayValue ?? []).map { conflict in
                Conflict(
                    issue.resource, conflict["member"]?.stringValue ?? "", mine: conflict["mine"],
                    theirs: conflict["theirs"])
            }
            : issue["value"].flatMembers.map { Conflict(issue.resource, $0.name, mine: $0.value, theirs: nil) }
        mine = draft
        at = Date(issue.at)
    }
}
