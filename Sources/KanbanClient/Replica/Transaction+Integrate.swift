import JSON
import Kanban
import KanbanRows
import KanbanWire

/// Integrates the server's changes and answers: roll the edits back, apply the changes, replay the edits, all in one
/// transaction, so that no reader sees a state in between.
extension Transaction {
    /// A stream and the request beside it bring the same changes, in either order. Of what is older than the newest nothing is
    /// taken: it may have been deleted since.
    func integrate(_ answer: SyncResponse, isStream: Bool = false) throws {
        let through = try state(.through).flatMap(Revision.init) ?? -1
        let changes = answer.changes.filter { $0.revision > through }
        guard !(isStream && changes.isEmpty) else { return }
        let settled = try settled(answer.results)
        let isRestored = try state(.lostCursor).map(answer.lacks) ?? false
        let seen = isRestored ? try editedValues() : [:]
        try rollBackEdits()
        isEditing = false
        let own = answer.tasks
        var span = FeedSpan(from: try state(.feedEnd).flatMap(Revision.init), through: through)
        for change in changes {
            let known = try value(of: change.resource)
            span.take(change.revision, freeing: try categoryFreed(by: change, known))
            if isRestored, let known, known.revision?.isOfEarlierHistory ?? false {
                try settleContest(change.resource, from: known, to: change.value, seen[change.resource])
            }
            try apply(change, known, isRestored: isRestored, own, span)
        }
        for answered in settled { try settle(renamed(answered)) }
        try noteMoves(answering: settled.map { ($0.edit, $0.result) })
        try setState(.cursor, answer.cursor)
        if !changes.isEmpty { try setState(.through, String(span.last)) }
        if !answer.hasMore, !isStream || span.isWhole {
            try setState(.feedEnd, String(max(span.last, answer.reached ?? 0)))
        }
        if !answer.hasMore { try endOfFeed(isStream: isStream, isRestored: isRestored, seen) }
        isEditing = true
        try replayEdits()
        try forgetEmptiedIDs()
        if !answer.hasMore, let newest = changes.compactMap(\.value.updatedAt).max() { try emptyTrash(at: newest) }
        touched.formUnion([.status, .outbox])
    }

    /// Integrates the results of edits while more are to be sent. The rows stay as they are until the feed brings the changes, but
    /// for categories that the server had already: their ids take the place of mine at once, in new edits as well.
    func integrate(results: [SyncResponse.Result]) throws {
        let settled = try settled(results)
        let adopted = settled.filter { $0.adoption != nil }
        if !adopted.isEmpty { try rollBackEdits() }
        isEditing = false
        for answered in adopted {
            guard let (_, theirs) = answered.adoption, try rows.category(theirs) == nil else { continue }
            if let category = Change.Value(shown: answered.result.value, as: .category) { try put(category) }
        }
        for answered in settled { try settle(renamed(answered)) }
        try noteMoves(answering: settled.map { ($0.edit, $0.result) })
        isEditing = true
        if !adopted.isEmpty { try replayEdits() }
        touched.formUnion([.status, .outbox])
    }

    /// The answered edits, with the user's values before the server's overwrite them. Those that wait for room are left out.
    private func settled(_ results: [SyncResponse.Result]) throws -> [Settled] {
        var answers = try results.compactMap { result in
            try outboxEdit(result.mutationID).map { (edit: $0, result: result) }
        }
        try holdBack(answers)
        answers.removeAll { held.contains($0.edit.n) }
        return try answers.map { edit, result in
            let result = result.flat(isApplied: edit.isApplied(by: result))
            // Most edits are applied as sent and need no issue: skip their values.
            let isPlain = result.conflicts.isEmpty && result.status != .rejected && result.status != .conflict
            var settled = Settled(edit: edit, result: result, draft: isPlain ? .null : try draft(of: edit))
            if !result.conflicts.isEmpty || settled.adoption != nil {
                settled.shown = try value(of: edit.mutation.resource)?.json ?? .null
            }
            return settled
        }
    }

    /// The answered edit with the id that a category has by now: an answer before this one may have replaced it.
    private func renamed(_ answered: Settled) throws -> Settled {
        func renamed(_ value: JSON) throws -> JSON {
            guard let id = value["categoryId"]?.stringValue.flatMap({ ID($0) }) else { return value }
            var value = value
            value["categoryId"] = .string(try rows.connection.categoryID(id).description)
            return value
        }
        var answered = answered
        let mutation = answered.edit.mutation
        if mutation.resource.type == .category, let id = mutation.resource.id {
            answered.edit.mutation.resource.id = try rows.connection.categoryID(id)
        }
        answered.edit.mutation.value = try renamed(mutation.value)
        answered.draft = try renamed(answered.draft)
        answered.shown = try renamed(answered.shown)
        return answered
    }

    /// Holds back the edits that the account has no room for, and those that were refused because they build on one that waits.
    private func holdBack(_ answers: [(edit: OutboxEdit, result: SyncResponse.Result)]) throws {
        let refused = answers.filter { $0.result.status == .rejected }
        guard !refused.isEmpty else { return }
        let answered = Set(answers.map(\.edit.n))
        var waiting = try outbox().filter { !$0.isAnswered && !answered.contains($0.n) }
        for (edit, result) in refused {
            let isOfQuota = result.problem?["code"] == "quota_exceeded"
            guard isOfQuota || waiting.contains(where: { edit.builds(on: $0) }) else { continue }
            held.insert(edit.n)
            waiting.append(edit)
        }
        try holdBack(held)
    }

    /// An answered edit, with its resource as the user saw it: as members to send again, and as the server shows it.
    private struct Settled {
        var edit: OutboxEdit
        var result: SyncResponse.Result
        var draft: JSON
        var shown = JSON.null

        /// The ids of a new category and of the one that the server had under its name.
        var adoption: (mine: ID, theirs: ID)? {
            guard edit.mutation.op == .create, let mine = edit.mutation.resource.id,
                let theirs = result.value["id"]?.stringValue.flatMap({ ID($0) }), theirs != mine
            else { return nil }
            return (mine, theirs)
        }
    }

    private func endOfFeed(isStream: Bool, isRestored: Bool, _ seen: [ResourceKey: Change.Value]) throws {
        let endsGuest = try !isStream && state(.guestAdded) != nil
        if try endsGuest || state(.isLoading) != nil { try endLoading(isRestored: isRestored, seen) }
        if endsGuest { try setState(.guestAdded, nil) }
        // A stream brings single changes: the effect of an answered edit may still be missing.
        if !isStream { try run("DELETE FROM outbox WHERE answered IS NOT NULL") }
        try run(
            """
            DELETE FROM acknowledged WHERE NOT EXISTS
                (SELECT 1 FROM outbox WHERE outbox.target = acknowledged.target)
            """)
        try setState(.lastSync, String(now.milliseconds))
    }

    // MARK: - Changes

    /// - Parameter own: tasks as the server had them after edits of this device that come with their answers.
    private func apply(
        _ change: Change, _ known: Change.Value?, isRestored: Bool, _ own: [ID: TaskItem], _ span: FeedSpan
    ) throws {
        let resource = change.resource
        // An image that was added here has no revision of the server until the feed brings it; what lies in the device's own trash
        // neither.
        let seen = known?.revision.flatMap { $0.isOptimistic ? nil : $0 }
        let knownRevision = try seen ?? buriedRevision(of: resource) ?? -1
        // Skip what the stream brought already. Settings start at revision 0.
        guard change.revision > knownRevision || (change.type == .settings && change.revision >= knownRevision) else {
            return
        }
        guard change.value == .deleted else {
            if isRestored, let known, known.revision?.isOfEarlierHistory ?? false {
                try noteLost(known, resource, newerThan: change.value)
            }
            if case .task(let old)? = known, case .task(let new) = change.value, !isRestored,
                !old.revision.isProvisional
            {
                try noteMove(from: old, to: new)
            }
            try put(change.value.following(known))
            return
        }
        touched.insert(Region(change.type))
        switch change.type {
        case .task, .category, .dday: try moveToTrash(resource, known, own, at: change.revision, span)
        case .image: if let id = change.id { try rows.removeImage(id, revision: change.revision) }
        case .settings: break
        }
    }

    /// A deletion comes without a value: the last known one goes to the trash. It is asked for unless the device knows it. What
    /// changes in the trash, as when a category is deleted or restored, comes as a deletion, too.
    private func moveToTrash(
        _ resource: ResourceKey, _ known: Change.Value?, _ own: [ID: TaskItem], at revision: Revision, _ span: FeedSpan
    ) throws {
        let answered = resource.id.flatMap { own[$0] }.map { Change.Value.task($0) }
        let newest = [known, answered].compactMap(\.self).max { $0.revision ?? 0 < $1.revision ?? 0 }
        let isKnown = span.isWhole && known?.deletedAt == nil && newest != nil
        if !isKnown { try want(resource, at: revision) }
        guard let newest else { return }
        // The server knows what lies in the trash of this device.
        let takes = isKnown || newest.revision?.isOptimistic ?? false
        try put(
            newest.trashed(
                at: known?.deletedAt ?? now, revision: takes ? revision : nil,
                freedAfter: span.freedAfter(resource.id, at: revision)))
    }

    /// The category that a task loses by no edit of this device.
    private func categoryFreed(by change: Change, _ known: Change.Value?) throws -> ID? {
        guard let category = change.freedCategory(of: known) else { return nil }
        let isOwn = try edits(of: change.resource).contains { !$0.isUnsent && $0.mutation.value["categoryId"] != nil }
        return isOwn ? nil : category
    }

    private func buriedRevision(of resource: ResourceKey) throws -> Revision? {
        try all(
            "SELECT revision FROM tombstones WHERE account = 1 AND type = ?1 AND id = ?2",
            .text(resource.type.rawValue), .id(resource.id)
        ) { $0.integer() }.first
    }

    // MARK: - Answers

    /// Records the result of an edit. It stays until the feed brings its effect, or is removed with an issue.
    private func settle(_ answered: Settled) throws {
        let (edit, result, draft) = (answered.edit, answered.result, answered.draft)
        switch result.status {
        case .applied, .merged, .unchanged:
            try run(
                "UPDATE outbox SET answered = ?2 WHERE n = ?1", .integer(edit.n), .integer(result.revision ?? 0))
            try acknowledge(edit)
            if let (mine, theirs) = answered.adoption {
                try replace(mine, by: theirs)
                if let lost = StoredIssue.outdone(edit.mutation.value, by: result.value, of: theirs) {
                    try addMerged(lost, of: edit, shown: answered.shown)
                }
            } else if !result.conflicts.isEmpty {
                try addMerged(edit, result, draft, shown: answered.shown)
            }
        case .conflict:
            try drop(edit)
            // What an undo would have deleted has others' words by now.
            guard edit.mutation.op != .delete else { return }
            guard result.value.isNull else {
                return try addMerged(edit, result, draft, shown: answered.shown)
            }
            try addDeleted(edit, draft)
        case .rejected:
            try drop(edit)
            let code = result.problem?["code"]?.stringValue ?? ""
            // The resource to delete does not exist.
            guard !(edit.mutation.op == .delete && code == "not_found") else { return }
            // It was created before the new history began, and exists.
            guard !(edit.mutation.op == .create && edit.attempts > 1 && code == "already_exists") else { return }
            // Another device brought the same task along from elsewhere.
            guard code != "already_exists" || edit.mutation.value["createdAt"] == nil else { return }
            // Edits after a refused creation are refused, too: one issue is enough.
            guard try code != "not_found" || !hasRejection(of: edit.mutation.resource) else { return }
            try add(.rejected(edit, result, draft))
            // The server has emptied its trash.
            if edit.mutation.op == .restore, code == "not_found" {
                try erase(edit.mutation.resource)
                try run(
                    "DELETE FROM shadow WHERE type = ?1 AND id = ?2", .text(edit.mutation.resource.type.rawValue),
                    .id(edit.mutation.resource.id))
            }
        }
    }

    /// Until the feed brings its effect, the next edits of the same target have the old base.
    private func acknowledge(_ edit: OutboxEdit) throws {
        try run(
            "INSERT OR IGNORE INTO acknowledged (mutation_id, target, n) VALUES (?1, ?2, ?3)", .id(edit.mutationID),
            .id(edit.mutation.resource.id), .integer(edit.n))
    }

    func drop(_ edit: OutboxEdit) throws {
        try run("DELETE FROM outbox WHERE n = ?1", .integer(edit.n))
    }

    /// The server had a category of this name: use its id in place of mine from now on.
    private func replace(_ mine: ID, by theirs: ID) throws {
        try run("INSERT OR REPLACE INTO aliases (mine, theirs) VALUES (?1, ?2)", .id(mine), .id(theirs))
        try run("UPDATE outbox SET target = ?2 WHERE target = ?1 AND answered IS NULL", .id(mine), .id(theirs))
        try run("UPDATE acknowledged SET target = ?2 WHERE target = ?1", .id(mine), .id(theirs))
        let (from, to) = (Parameter.text(mine.description), Parameter.text(theirs.description))
        try run("UPDATE outbox SET value = replace(value, ?1, ?2)", from, to)
        try run("UPDATE undo SET steps = replace(steps, ?1, ?2)", from, to)
        try run("UPDATE issues SET details = replace(details, ?1, ?2)", from, to)
    }

    // MARK: - Another history

    /// The server does not know the cursor: load its whole state again over the present rows. Rows that it does not bring
    /// are removed at the end.
    func startOver() throws {
        try rollBackEdits()
        try rows.leaveHistory()
        // If a load was interrupted by another, the rows still belong to the history before both.
        if let lost = try state(.cursor), try state(.isLoading) == nil { try setState(.lostCursor, lost) }
        try setState(.cursor, nil)
        for name in [StateName.through, .feedEnd, .trashRead] { try setState(name, nil) }
        try setState(.isLoading, "1")
        try replayEdits()
        touched.formUnion([.status, .outbox])
    }

    /// Nothing is sent before the load is complete, so the edits learn here of another history. The trash stays until that of the
    /// server was read.
    /// - Parameter seen: what was edited, as the user saw it.
    private func endLoading(isRestored: Bool, _ seen: [ResourceKey: Change.Value]) throws {
        if isRestored { try sendEditsAnew() }
        for id in try rows.tasksOfEarlierHistory() {
            guard let task = try rows.task(id), task.deletedAt == nil else { continue }
            if isRestored { try noteGone(.task(task), seen) }
            try rows.erase(task: id)
            touched.insert(.tasks)
        }
        for category in try rows.categories() where category.revision.isOfEarlierHistory {
            if isRestored { try noteGone(.category(category), seen) }
            try rows.erase(category: category.id)
            touched.insert(.categories)
        }
        for dday in try rows.ddays(after: nil, limit: nil) where dday.revision.isOfEarlierHistory {
            if isRestored { try noteGone(.dday(dday), seen) }
            try rows.erase(dday: dday.id)
            touched.insert(.ddays)
        }
        let settings = try rows.settings()
        if settings.revision.isOfEarlierHistory {
            if isRestored, !settings.areUnset {
                try add(.restoredServer(.settings(settings), .settings, restored: .settings(Settings())))
            }
            try rows.save(Settings())
            touched.insert(.settings)
        }
        try endLoadingOfImages(isRestored: isRestored)
        try setState(.isLoading, nil)
        try setState(.lostCursor, nil)
    }

    /// The server may have lost the effects of answered edits, and restarts its revisions. It may still know the result of
    /// an edit whose effect it lost: under a new id it performs the edit again.
    private func sendEditsAnew() throws {
        try run("UPDATE outbox SET base = CASE op WHEN 'put' THEN 0 END, answered = NULL")
        try run("DELETE FROM acknowledged")
        for edit in try outbox() where edit.attempts > 0 {
            try run("UPDATE outbox SET mutation_id = ?2 WHERE n = ?1", .integer(edit.n), .id(rows.makeID()))
        }
    }

    /// Leaves an issue if the server has an older version than this device saw.
    private func noteLost(_ known: Change.Value, _ resource: ResourceKey, newerThan server: Change.Value) throws {
        switch (known, server) {
        case (.task(let mine), .task(let theirs)):
            let isOther = TaskMember.allCases.contains { $0 != .position && mine[$0] != theirs[$0] }
            guard isOther, mine.updatedAt > theirs.updatedAt else { return }
        case (.category(let mine), .category(let theirs)):
            guard mine.sentMembers != theirs.sentMembers, mine.updatedAt > theirs.updatedAt else { return }
        case (.dday(let mine), .dday(let theirs)):
            guard mine.sentMembers != theirs.sentMembers, mine.updatedAt > theirs.updatedAt else { return }
        case (.settings(let mine), .settings(let theirs)):
            guard !mine.areUnset, SettingsDraft(mine) != SettingsDraft(theirs) else { return }
        default: return
        }
        try add(.restoredServer(known, resource, restored: server))
    }
}

extension Change.Value {
    /// When the server last changed it; `nil` for what tells no time.
    var updatedAt: Timestamp? {
        switch self {
        case .task(let task): task.updatedAt
        case .category(let category): category.updatedAt
        case .dday(let dday): dday.updatedAt
        case .settings, .image, .deleted: nil
        }
    }
}

extension Settings {
    fileprivate var areUnset: Bool { SettingsDraft(self) == SettingsDraft(Settings()) }
}
