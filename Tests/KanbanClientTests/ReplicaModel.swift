import JSON
import Kanban
import KanbanRows
import KanbanWire
import TestSupport

@testable import KanbanClient

/// What a replica must show, on boards of plain values: the server's state as the feed brought it, and all pending edits
/// performed on it again.
struct ReplicaModel {
    /// The server's state as far as the device knows it.
    private(set) var known = ValueBoard()
    /// What the user sees.
    private(set) var shown = ValueBoard()
    /// The highest revision that was integrated.
    private(set) var through: Revision = -1
    /// The revision at the end of the feed when it was reached last.
    private var end: Revision?
    /// Made and deleted here before a push: only the trash of this device has it.
    private var ownTrash: [Change.Value] = []

    init() {
        shown.state.feed.revision = .firstOptimistic
    }

    func set(now: Timestamp) {
        known.now = now
        shown.now = now
    }

    // MARK: - Edits

    /// - Returns: false when the rules refuse the edit.
    mutating func edit(_ mutation: StoredMutation) throws -> Bool {
        // The device refuses a category of a known name; the server would give back the known category.
        if mutation.op == .create, mutation.resource.type == .category,
            let name = mutation.value["name"]?.stringValue,
            shown.category(named: name.trimmed) != nil
        {
            return false
        }
        do {
            return try shown.perform(mutation).status != .conflict
        } catch is BoardError {
            return false
        }
    }

    /// Undoes the steps, but for the members that somebody else changed since.
    mutating func undo(_ steps: [UndoStep]) throws {
        for step in steps {
            let now = shown.value(of: step.mutation.resource)?.json
            guard let step = now.map({ step.without(step.theirs($0)) }) ?? step else { continue }
            _ = try edit(step.mutation)
        }
    }

    /// Call it after each edit.
    /// - Parameters:
    ///   - named: what the outbox names.
    ///   - shadows: as the replica keeps them.
    mutating func noteOwnTrash(besides named: Set<ResourceKey>, _ shadows: [ResourceKey: String?]) throws {
        ownTrash = try shown.everything.compactMap { value in
            let resource = value.resource
            guard value.deletedAt != nil, value.revision?.isOptimistic ?? false, known.value(of: resource) == nil,
                !named.contains(resource)
            else { return nil }
            // An edit changed it, such as the deletion of its category.
            guard let shadow = shadows[resource] else { return value }
            return try shadow.flatMap { Change.Value(shown: try JSON(stored: $0), as: resource.type) }
        }
    }

    // MARK: - The server's changes

    /// - Parameter own: tasks whose category edits of this device set that the server may know.
    mutating func takeIn(_ answer: SyncResponse, isStream: Bool = false, own: Set<ResourceKey>) {
        var span = FeedSpan(from: end, through: through)
        let news = answer.changes.filter { $0.revision > through }
        for change in news {
            let freed = own.contains(change.resource) ? nil : change.freedCategory(of: known.value(of: change.resource))
            span.take(change.revision, freeing: freed)
            apply(change, answer.tasks, span)
        }
        if !news.isEmpty { through = span.last }
        if !answer.hasMore, !isStream || span.isWhole { end = max(span.last, answer.reached ?? 0) }
    }

    /// A page of the server's trash.
    mutating func takeIn(trash page: [Change.Value]) {
        for value in page {
            let old = known.value(of: value.resource)
            guard old?.revision ?? 0 <= value.revision ?? 0 else { continue }
            save(value.following(old))
        }
    }

    /// The whole trash of the server was read.
    mutating func forgetTrash(besides kept: Set<ResourceKey>) {
        for value in known.everything where value.deletedAt != nil && !kept.contains(value.resource) {
            if let id = value.resource.id { known.remove(id) }
        }
    }

    /// The server's whole state comes again, in another history. What is in the trash stays until that of the server was read.
    mutating func startOver() {
        let trash = known.everything.filter { $0.deletedAt != nil }
        known = ValueBoard()
        known.now = shown.now
        for value in trash { save(value.with(-1)) }
        through = -1
        end = nil
    }

    /// What the server's trash no longer has, as an answer to a restoration says.
    mutating func forgetPurged(_ results: [SyncResponse.Result], for outbox: [OutboxEdit]) {
        for result in results where result.problem?["code"] == "not_found" {
            guard let edit = outbox.first(where: { $0.mutationID == result.mutationID }), edit.mutation.op == .restore,
                let id = edit.mutation.resource.id
            else { continue }
            known.remove(id)
            shown.remove(id)
        }
    }

    /// Categories that the server had under the names of new ones are known before the feed brings them.
    /// - Returns: false without one.
    mutating func adopt(_ results: [SyncResponse.Result], for outbox: [OutboxEdit]) -> Bool {
        var hasAdopted = false
        for result in results {
            guard let edit = outbox.first(where: { $0.mutationID == result.mutationID }), edit.mutation.op == .create,
                case .category(let holder)? = Change.Value(shown: result.value, as: .category),
                holder.id != edit.mutation.resource.id
            else { continue }
            hasAdopted = true
            if known.category(holder.id) == nil { save(holder) }
        }
        return hasAdopted
    }

    private mutating func save(_ category: Category) {
        // A later change of the feed renames or removes the other one.
        if var holder = known.category(named: category.name), holder.id != category.id {
            holder.name = "\u{fffc}\(holder.id)"
            known.save(holder)
        }
        known.save(category)
    }

    private mutating func apply(_ change: Change, _ own: [ID: TaskItem], _ span: FeedSpan) {
        let resource = ResourceKey(type: change.type, id: change.id)
        let old = known.value(of: resource)
        guard change.value == .deleted else { return save(change.value.following(old)) }
        let answered = change.id.flatMap { own[$0] }.map { Change.Value.task($0) }
        let mine = ownTrash.first { $0.resource == resource }
        guard let newest = [old, answered, mine].compactMap(\.self).max(by: { $0.revision ?? 0 < $1.revision ?? 0 })
        else { return }
        let isKnown = mine != nil || span.isWhole && old?.deletedAt == nil
        let deletedAt = old?.deletedAt ?? mine?.deletedAt ?? known.now
        save(
            newest.trashed(
                at: deletedAt, revision: isKnown ? change.revision : nil,
                freedAfter: span.freedAfter(change.id, at: change.revision)))
    }

    private mutating func save(_ value: Change.Value) {
        switch value {
        case .task(let task): known.save(task)
        case .category(let category) where category.deletedAt == nil: save(category)
        case .category(let category): known.save(category)
        case .dday(let dday): known.save(dday)
        case .settings(let settings): known.save(settings)
        case .image, .deleted: break
        }
    }

    // MARK: - What must be shown

    /// The server's state with these edits performed on it, in order. What the rules no longer allow has no effect.
    func performed(_ outbox: [OutboxEdit]) throws -> ValueBoard {
        let board = ValueBoard()
        board.state = known.state
        board.now = shown.now
        // Greater than those of what lies in the device's own trash.
        board.state.feed.revision = max(.firstOptimistic, shown.revision)
        for value in ownTrash where known.value(of: value.resource) == nil { board.save(value) }
        // The ids of new categories, and of those that have their names.
        var holders: [String: String] = [:]
        for edit in outbox {
            let mutation = edit.mutation.naming(holders)
            let name = mutation.op == .create ? mutation.value["name"]?.stringValue : nil
            let holder = name.flatMap { board.category(named: $0.trimmed) }
            if let holder, let mine = mutation.resource.id, !board.categoryEverExisted(mine) {
                holders[mine.description] = holder.id.description
            }
            do { _ = try board.perform(mutation) } catch is BoardError { continue }
        }
        return board
    }

    func show(_ outbox: [OutboxEdit]) throws {
        shown.state = try performed(outbox).state
    }
}

extension ValueBoard {
    /// By the rules that the server has, without anybody else's edits; a refused mutation leaves no trace.
    func perform(_ mutation: StoredMutation) throws -> MutationOutcome {
        let (operation, target) = try mutation.op.operation(
            of: mutation.resource.type, on: mutation.resource.id, value: mutation.value,
            defaultTitle: { Kanban.Language.en.defaultTaskTitle })
        return try nested {
            try perform(Kanban.Mutation(operation, on: target, policy: .merge), own: OwnRevisions(after: 0))
        }
    }

    func value(of resource: ResourceKey) -> Change.Value? {
        guard let id = resource.id else { return .settings(settings()) }
        return switch resource.type {
        case .task: task(id).map { .task($0) }
        case .category: state.categories[id].map { .category($0) }
        case .dday: state.ddays[id].map { .dday($0) }
        case .settings, .image: nil
        }
    }

    /// All that lives or lies in the trash, but for the settings.
    var everything: [Change.Value] {
        state.tasks.values.map { .task($0) } + state.categories.values.map { .category($0) }
            + state.ddays.values.map { .dday($0) }
    }

    fileprivate func remove(_ id: ID) {
        state.tasks[id] = nil
        state.categories[id] = nil
        state.ddays[id] = nil
    }

    fileprivate func save(_ value: Change.Value) {
        switch value {
        case .task(let task): save(task)
        case .category(let category): save(category)
        case .dday(let dday): save(dday)
        case .settings, .image, .deleted: break
        }
    }
}

extension StoredMutation {
    /// The same of other categories.
    fileprivate func naming(_ others: [String: String]) -> StoredMutation {
        var mutation = self
        if op != .create, resource.type == .category, let id = others[resource.id?.description ?? ""] {
            mutation.resource.id = ID(id)
        }
        if let id = others[value["categoryId"]?.stringValue ?? ""] { mutation.value["categoryId"] = .string(id) }
        return mutation
    }
}

/// All that a board shows, in lines that can be compared.
struct BoardPicture: Equatable, Sendable {
    var lines: [String] = []
    private let marks: Bool

    /// - Parameter marks: true if the lines have revisions; those of pending edits as `pending`.
    init(_ board: some BoardReader, marks: Bool = true) throws {
        self.marks = marks
        var query = TaskQuery()
        query.sort = .position
        var counts: [String: Int] = [:]
        for status in TaskStatus.allCases {
            query.statuses = [status]
            for task in try board.tasks(query) {
                lines.append(line(task))
                counts["\(task.categoryID?.description ?? "none") \(status)", default: 0] += 1
            }
        }
        query = TaskQuery()
        query.inTrash = true
        lines += try board.tasks(query).map { "trash \(line($0))" }.sorted()
        for place in ["", "trash "] {
            lines += try board.categories(inTrash: !place.isEmpty).map {
                "\(place)category \($0.id) \($0.name) \($0.color ?? "-") \(name($0.revision))"
            }
            lines += try board.ddays(inTrash: !place.isEmpty, after: nil, limit: nil).map {
                "\(place)D-day \($0.id) \($0.title) \($0.date) \($0.repeats) \(name($0.revision))"
            }
        }
        let settings = try board.settings()
        let custom = (settings.custom.objectMembers ?? []).map { "\($0.name)=\($0.value.text)" }.sorted()
        lines.append("settings \(settings.timeZone ?? "-") \(custom) \(name(settings.revision))")
        let known = try board.taskCounts().filter { $0.count != 0 }
        for count in known {
            let key = "\(count.categoryID?.description ?? "none") \(count.status)"
            if counts.removeValue(forKey: key) != count.count { lines.append("counts \(key) \(count.count)") }
        }
        lines += counts.map { "does not count \($0) \($1)" }
    }

    private func line(_ task: TaskItem) -> String {
        let category = task.categoryID?.description ?? "-"
        let due = task.dueDate?.text ?? "-"
        return """
            \(task.status) \(task.id) '\(task.title)' '\(task.body)' \(category) \(due) \
            \(task.completedAt != nil) \(name(task.revision))
            """
    }

    private func name(_ revision: Revision) -> String {
        !marks ? "" : revision.isOptimistic ? "pending" : revision.isOfEarlierHistory ? "earlier" : "\(revision)"
    }

    /// The lines that only one of the two has, or the order that differs.
    func difference(from other: BoardPicture) -> String {
        let gone = other.lines.filter { !lines.contains($0) }.map { "- \($0)" }
        let new = lines.filter { !other.lines.contains($0) }.map { "+ \($0)" }
        guard gone.isEmpty, new.isEmpty else { return (gone + new).joined(separator: "\n") }
        return zip(other.lines, lines).filter { $0 != $1 }.map { "- \($0)\n+ \($1)" }.joined(separator: "\n")
    }
}

extension ValueBoard {
    /// What is shown, without ids and without the trash.
    func words() -> [String] {
        var query = TaskQuery()
        query.sort = .position
        let shown = TaskStatus.allCases.flatMap { status in
            query.statuses = [status]
            return self.tasks(query).map { task in
                let category = task.categoryID.flatMap { self.category($0) }?.name ?? "-"
                return "\(status) \(task.title) \(task.body) \(category) \(task.dueDate?.text ?? "-")"
            }
        }
        return shown + categories().map { "\($0.name) \($0.color ?? "-")" }.sorted()
            + ddays(after: nil, limit: nil).map { "\($0.title) \($0.date) \($0.repeats)" }.sorted()
            + [
                settings().timeZone ?? "-",
                "\((settings().custom.objectMembers ?? []).map { $0.name + $0.value.text }.sorted())",
            ]
    }
}
