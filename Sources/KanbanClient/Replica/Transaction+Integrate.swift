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
        try rollBackEdits()
        isEditing = false
        let isRestored = try state(.lostCursor).map(answer.lacks) ?? false
        let own = answer.tasks
        for change in changes { try apply(change, isRestored: isRestored, own) }
        for answered in settled { try settle(answered) }
        try noteMoves(answering: settled.map { ($0.edit, $0.result) })
        try setState(.cursor, answer.cursor)
        if let highest = changes.map(\.revision).max() { try setState(.through, String(highest)) }
        if !answer.hasMore { try endOfFeed(isStream: isStream, isRestored: isRestored) }
        isEditing = true
        try replayEdits()
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
        for answered in settled { try settle(answered) }
        try noteMoves(answering: settled.map { ($0.edit, $0.result) })
        isEditing = true
        if !adopted.isEmpty { try replayEdits() }
        touched.formUnion([.status, .outbox])
    }

    /// The answered edits, with the user's values before the server's overwrite them.
    private func settled(_ results: [SyncResponse.Result]) throws -> [Settled] {
        try results.compactMap { result in
            guard let edit = try outboxEdit(result.mutationID) else { return nil }
            let result = result.flat(isApplied: edit.isApplied(by: result))
            // Most edits are applied as sent and need no issue: skip their values.
            let isPlain = result.conflicts.isEmpty && result.status != .rejected && result.status != .conflict
            return Settled(
                edit: edit, result: result, draft: isPlain ? .null : try draft(of: edit),
                shown: result.conflicts.isEmpty ? .null : try value(of: edit.mutation.resource)?.json ?? .null)
        }
    }

    /// An answered edit, with its resource as the user saw it: as members to send again, and as the server shows it.
    private struct Settled {
        var edit: OutboxEdit
        var result: SyncResponse.Result
        var draft: JSON
        var shown: JSON

        /// The ids of a new category and of the one that the server had under its name.
        var adoption: (mine: ID, theirs: ID)? {
            guard edit.mutation.op == .create, let mine = edit.mutation.resource.id,
                let theirs = result.value["id"]?.stringValue.flatMap({ ID($0) }), theirs != mine
            else { return nil }
            return (mine, theirs)
        }
    }

    private func endOfFeed(isStream: Bool, isRestored: Bool) throws {
        if try state(.isLoading) != nil { try endLoading(isRestored: isRestored) }
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
    private func apply(_ change: Change, isRestored: Bool, _ own: [ID: TaskItem]) throws {
        let resource = ResourceKey(type: change.type, id: change.id)
        let known = try value(of: resource)
        // An image that was added here has no revision of the server until the feed brings it; a task of the device's own trash
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
            if case .task(let old)? = known, case .task(let new) = change.value {
                // Restored by another device, which decided on the category.
                if old.deletedAt != nil { _ = try takeFormerCategory(of: new.id) }
                if !isRestored { try noteMove(from: old, to: new) }
            }
            try put(change.value)
            return
        }
        touched.insert(Region(change.type))
        if change.type == .task {
            guard let id = change.id else { return }
            return try moveToTrash(id, own[id])
        }
        if let known { try completeEdits(of: resource, known) }
        // Made here and deleted by another device, a category may never have come in the feed, but this trash has it.
        if change.type == .category, let id = change.id { try freeTrash(of: id) }
        switch known {
        case .category(let category): try rows.removeCategory(category.id, revision: change.revision)
        case .dday(let dday): try rows.removeDDay(dday.id, revision: change.revision)
        case .image(let image): try rows.removeImage(image.id, revision: change.revision)
        case .task, .settings, .deleted, nil: break
        }
    }

    /// The edits that wait for a category or D-day that another device deleted say all of it from now on: there is no trash from
    /// which the rest could be restored.
    private func completeEdits(of resource: ResourceKey, _ known: Change.Value) throws {
        let whole: JSON =
            switch known {
            case .category(let category): category.members
            case .dday(let dday): dday.members
            default: .null
            }
        for edit in try outbox() where edit.mutation.resource == resource && edit.mutation.op == .patch && edit.isUnsent
        {
            try run(
                "UPDATE outbox SET value = ?2 WHERE n = ?1", .integer(edit.n),
                .text(whole.mergePatched(with: edit.mutation.value).text))
        }
    }

    /// A deletion comes without a value. The task keeps the revision that was seen here: what others wrote between that and the
    /// deletion is a conflict with what is written after a restore.
    private func moveToTrash(_ id: ID, _ own: TaskItem?) throws {
        let known = try rows.task(id)
        guard var task = [known, own].compactMap(\.self).max(by: { $0.revision < $1.revision }) else { return }
        task.deletedAt = known?.deletedAt ?? now
        // Its category went first, and the feed has only the last change of the task.
        if let category = task.categoryID, try rows.category(category) == nil { task.categoryID = nil }
        try rows.save(task)
    }

    private func buriedRevision(of resource: ResourceKey) throws -> Revision? {
        try all(
            "SELECT revision FROM tombstones WHERE account = 1 AND type = ?1 AND id = ?2",
            .text(resource.type.rawValue), .id(resource.id)
        ) { $0.integer(0) }.first
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
                let looks = ["color", "emoji", "image"].map { JSON.Member($0, edit.mutation.value[$0] ?? .null) }
                let lost = looks.filter { !$0.value.isNull && result.value[$0.name] ?? .null != $0.value }
                if !lost.isEmpty { try add(.outdone(lost, by: result.value, of: .category(theirs))) }
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
            // One issue is enough for several edits with the same words.
            let known = try all(
                "SELECT details FROM issues WHERE target = ?1 AND kind IN ('deleted', 'rejected')",
                .id(edit.mutation.resource.id)
            ) { try JSON(stored: $0.text(0))["draft"] }
            if draft.isNull || !known.contains(draft) { try add(.deleted(edit, draft)) }
        case .rejected:
            try drop(edit)
            let code = result.problem?["code"]?.stringValue ?? ""
            // The resource to delete does not exist.
            guard !(edit.mutation.op == .delete && code == "not_found") else { return }
            // It was created before the new history began, and exists.
            guard !(edit.mutation.op == .create && edit.attempts > 1 && code == "already_exists") else { return }
            // Edits after a refused creation are refused, too: one issue is enough.
            guard try code != "not_found" || !hasRejection(of: edit.mutation.resource) else { return }
            try add(.rejected(edit, result, draft))
            // The server has emptied its trash.
            if edit.mutation.op == .restore, code == "not_found", let id = edit.mutation.resource.id {
                try rows.erase(task: id)
                try run("DELETE FROM shadow WHERE type = 'task' AND id = ?1", .id(id))
                touched.insert(.tasks)
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
        try run("UPDATE former_categories SET category = ?2 WHERE category = ?1", .id(mine), .id(theirs))
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
        try setState(.through, nil)
        try setState(.isLoading, "1")
        try replayEdits()
        touched.formUnion([.status, .outbox])
    }

    /// Nothing is sent before the load is complete, so the edits learn here of another history.
    private func endLoading(isRestored: Bool) throws {
        if isRestored { try sendEditsAnew() }
        for id in try rows.tasksOfEarlierHistory() {
            guard let task = try rows.task(id) else { continue }
            if isRestored, task.deletedAt == nil { try add(.restoredServer(.task(task), .task(id))) }
            try rows.erase(task: id)
            touched.insert(.tasks)
        }
        for category in try rows.categories() where category.revision.isOfEarlierHistory {
            if isRestored { try add(.restoredServer(.category(category), .category(category.id))) }
            try rows.erase(category: category.id)
            touched.insert(.categories)
        }
        for dday in try rows.ddays(after: nil, limit: nil) where dday.revision.isOfEarlierHistory {
            if isRestored { try add(.restoredServer(.dday(dday), .dday(dday.id))) }
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

    /// The server may have lost the effects of answered edits, and counts its revisions anew. It may still know the result of
    /// an edit whose effect it lost: under a new id it performs the edit again.
    private func sendEditsAnew() throws {
        try run("UPDATE outbox SET base = NULL, answered = NULL")
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
            guard mine.deletedAt == nil, isOther, mine.updatedAt > theirs.updatedAt else { return }
        case (.category(let mine), .category(let theirs)):
            guard mine.members != theirs.members, mine.updatedAt > theirs.updatedAt else { return }
        case (.dday(let mine), .dday(let theirs)):
            guard mine.members != theirs.members, mine.updatedAt > theirs.updatedAt else { return }
        case (.settings(let mine), .settings(let theirs)):
            guard !mine.areUnset, SettingsDraft(mine) != SettingsDraft(theirs) else { return }
        default: return
        }
        try add(.restoredServer(known, resource, restored: server))
    }
}

extension Change.Value {
    /// When the server last changed it; `nil` for what tells no time.
    fileprivate var updatedAt: Timestamp? {
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
