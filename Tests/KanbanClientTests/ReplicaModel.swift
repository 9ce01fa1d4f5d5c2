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
    /// The highest revision that was taken in.
    private(set) var through: Revision = 0
    /// Tasks that were created and deleted here before a push: only the trash of this device has them.
    private var ownTrash: [TaskItem] = []

    /// The categories of tasks in the trash, as the replica keeps them.
    var former: [ID: ID] = [:]

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
            shown.category(foldedName: CaseFolding.fold(name.trimmed)) != nil
        {
            return false
        }
        do {
            guard try shown.perform(mutation).status != .conflict else { return false }
            if mutation.op == .restore, let id = mutation.resource.id { try returnToFormerCategory(id) }
            return true
        } catch is BoardError {
            return false
        }
    }

    private mutating func returnToFormerCategory(_ id: ID) throws {
        guard let category = former.removeValue(forKey: id), shown.task(id)?.categoryID == nil else { return }
        let value: JSON = ["categoryId": .string(category.description)]
        if shown.category(category) != nil { _ = try shown.perform(StoredMutation(.patch, .task(id), value)) }
    }

    /// Undoes the steps, but for the members that somebody else changed since.
    mutating func undo(_ steps: [UndoStep]) throws {
        var steps = steps[...]
        var made: ID?
        while let step = steps.popFirst() {
            let now = shown.value(of: step.mutation.resource)?.json
            if let id = step.mutation.resource.id, shown.task(id)?.deletedAt != nil, let category = made,
                step.mutation.value == ["categoryId": .string(category.description)]
            {
                former[id] = category
                continue
            }
            guard let step = now.map({ step.without(step.theirs($0)) }) ?? step, try edit(step.mutation),
                let old = step.replaces, let new = step.mutation.resource.id
            else { continue }
            steps = try steps.naming(new, insteadOf: old)
            if step.mutation.resource.type == .category { made = new }
        }
    }

    /// Call it after each edit.
    /// - Parameter tracked: what the outbox or a shadow names.
    mutating func noteOwnTrash(besides tracked: Set<ResourceKey>) {
        ownTrash = shown.state.tasks.values.filter { task in
            task.deletedAt != nil && task.revision.isOptimistic && known.task(task.id) == nil
                && !tracked.contains(.task(task.id))
        }
    }

    // MARK: - The server's changes

    mutating func takeIn(_ answer: SyncResponse) throws {
        let changes = answer.changes
        for change in changes where change.revision > through { try apply(change, answer.tasks) }
        through = max(through, changes.map(\.revision).max() ?? 0)
    }

    /// The server's whole state comes again, in another history.
    mutating func startOver() {
        known = ValueBoard()
        known.now = shown.now
        through = 0
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
        if var holder = known.category(foldedName: CaseFolding.fold(category.name)), holder.id != category.id {
            holder.name = "\u{fffc}\(holder.id)"
            known.save(holder)
        }
        known.save(category)
    }

    private mutating func apply(_ change: Change, _ own: [ID: TaskItem]) throws {
        switch change.value {
        case .task(let task): known.save(task)
        case .category(let category): save(category)
        case .dday(let dday): known.save(dday)
        case .settings(let settings): known.save(settings)
        case .image: break
        case .deleted:
            guard let id = change.id else { return }
            switch change.type {
            case .task:
                let seen = known.task(id)
                guard var task = [seen, own[id]].compactMap(\.self).max(by: { $0.revision < $1.revision }) else {
                    return
                }
                task.deletedAt = seen?.deletedAt ?? known.now
                if let category = task.categoryID, known.category(category) == nil { task.categoryID = nil }
                known.save(task)
            case .category:
                var query = TaskQuery()
                query.categoryIDs = [id]
                query.inTrash = true
                for var task in known.tasks(query) {
                    task.categoryID = nil
                    known.save(task)
                }
                for index in ownTrash.indices where ownTrash[index].categoryID == id {
                    ownTrash[index].categoryID = nil
                }
                known.removeCategory(id, revision: change.revision)
            case .dday: known.removeDDay(id, revision: change.revision)
            case .settings, .image: break
            }
        }
    }

    // MARK: - What must be shown

    /// The server's state with these edits performed on it, in order. What the rules no longer allow has no effect.
    func performed(_ outbox: [OutboxEdit]) throws -> ValueBoard {
        let board = ValueBoard()
        board.state = known.state
        board.now = shown.now
        board.state.feed.revision = .firstOptimistic
        for task in ownTrash where known.task(task.id) == nil { board.save(task) }
        // The ids of new categories, and of those that have their names.
        var holders: [String: String] = [:]
        for edit in outbox {
            let mutation = edit.mutation.naming(holders)
            let name = mutation.op == .create ? mutation.value["name"]?.stringValue : nil
            let holder = name.flatMap { board.category(foldedName: CaseFolding.fold($0.trimmed)) }
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
        case .category: category(id).map { .category($0) }
        case .dday: dday(id).map { .dday($0) }
        case .settings, .image: nil
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

    /// - Parameter marks: whether the lines have revisions; those of pending edits as `pending`.
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
        lines += try board.categories().map {
            "category \($0.id) \($0.name) \($0.color ?? "-") \(name($0.revision))"
        }
        lines += try board.ddays(after: nil, limit: nil).map {
            "D-day \($0.id) \($0.title) \($0.date) \($0.repeats) \(name($0.revision))"
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
        !marks ? "" : revision.isOptimistic ? "pending" : "\(revision)"
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
