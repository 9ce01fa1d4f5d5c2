import JSON
import Kanban
import KanbanRows
import KanbanWire

/// Steps of undo and redo, at most a hundred of each, on disk.
extension Transaction {
    private static var mostSteps: Int64 { 100 }

    /// Pushes the steps that undo an edit. A new edit clears the redo steps.
    func remember(_ steps: [UndoStep], name: String) throws {
        guard !steps.isEmpty else { return }
        try run("DELETE FROM undo WHERE redo = 1")
        try push(steps, name: name, redo: false)
    }

    private func push(_ steps: [UndoStep], name: String, redo: Bool) throws {
        touched.insert(.undo)
        try run(
            "INSERT INTO undo (redo, name, steps) VALUES (?1, ?2, ?3)", .integer(redo ? 1 : 0), .text(name),
            .text(JSON.array(steps.map(\.json)).text))
        try run(
            """
            DELETE FROM undo WHERE redo = ?1
                AND n <= (SELECT n FROM undo WHERE redo = ?1 ORDER BY n DESC LIMIT 1 OFFSET ?2)
            """, .integer(redo ? 1 : 0), .integer(Self.mostSteps))
    }

    /// Undoes the last edit, or redoes the last undone one. Members that others changed since stay theirs.
    func undo(redo: Bool) throws -> UndoOutcome {
        let last = try all(
            "SELECT n, name, steps FROM undo WHERE redo = ?1 ORDER BY n DESC LIMIT 1", .integer(redo ? 1 : 0)
        ) { row in (n: row.integer(), name: row.text(), steps: row.text()) }.first
        guard let last else { return .nothing }
        touched.insert(.undo)
        try run("DELETE FROM undo WHERE n = ?1", .integer(last.n))
        let steps = try UndoStep.all(in: last.steps)
        if let again = try withdraw(steps) {
            if !again.isEmpty { try push(again, name: last.name, redo: !redo) }
            return .done
        }
        var conflicts: [Conflict] = []
        let inverse = try perform(steps, &conflicts)
        if !inverse.isEmpty { try push(inverse, name: last.name, redo: !redo) }
        return conflicts.isEmpty ? .done : .partly(conflicts)
    }

    /// Takes the edits that the steps undo out of the outbox, if the server cannot know any of them. What other devices
    /// changed meanwhile shows again.
    /// - Returns: the steps that make them again, or `nil`.
    func withdraw(_ steps: [UndoStep]) throws -> [UndoStep]? {
        guard steps.allSatisfy({ $0.trace != nil }) else { return nil }
        var again: [StoredMutation] = []
        var creations: [ResourceKey: UndoStep.Creation] = [:]
        do {
            try board.nested {
                var last: ID?
                // An edit may have several steps.
                for step in steps {
                    guard let trace = step.trace, trace.mutationID != last else { continue }
                    guard let mutation = try takeOut(trace) else { throw IsKnown() }
                    again.append(mutation)
                    creations[mutation.resource] = step.creation
                    last = trace.mutationID
                }
            }
        } catch is IsKnown {
            return nil
        }
        let resources = Set(again.map(\.resource))
        let before = try resources.map { try value(of: $0) }
        try rollBackEdits()
        try replayEdits()
        for (resource, before) in zip(resources, before) {
            try noteWritten(resource, from: before, to: value(of: resource))
        }
        touched.formUnion([.outbox, .status])
        // Each member is expected as the first step finds it.
        var seen: [ResourceKey: Set<String>] = [:]
        return try again.reversed().map { mutation in
            var step = try step(mutation)
            step.creation = creations[mutation.resource]
            let names = seen[mutation.resource] ?? []
            step.expected = JSON(flat: step.expected.flatMembers.filter { !names.contains($0.name) })
            seen[mutation.resource] = names.union(mutation.value.flatMembers.map(\.name))
            return step
        }
    }

    /// Performs the steps as new edits.
    /// - Returns: the steps that undo them.
    private func perform(_ steps: [UndoStep], _ conflicts: inout [Conflict]) throws -> [UndoStep] {
        // The last undone step is the first to redo.
        var inverses: [[UndoStep]] = []
        for next in steps {
            guard try isNeeded(next, among: steps), let own = try own(next, &conflicts),
                let step = try withoutLost(own, &conflicts)
            else { continue }
            do {
                // The server applies a deletion of what others changed, unless it is to be refused.
                let policy: Kanban.Mutation.Policy = step.mutation.op == .delete ? .reject : .keep
                let inverse = try board.nested {
                    let removal = try removalOfSuccessor(before: step)
                    let removed = try removal.map { try edit($0, policy: .reject) } ?? []
                    return try edit(step.mutation, policy: policy) + removed
                }
                inverses.append(inverse.map { $0.of(step.creation) })
            } catch KanbanError.notFound, KanbanError.conflict, KanbanError.invalid {
                // Another device deleted it, or took the name or the place that it needs.
                conflicts.append(Conflict(step.mutation.resource, "deleted", mine: nil, theirs: "true"))
            }
        }
        return inverses.reversed().flatMap(\.self)
    }

    /// The deletion of the task that came of a completion, where the step takes that back and the rules would leave it: one that was
    /// completed and reopened since, or deleted and restored, is as it was made.
    private func removalOfSuccessor(before step: UndoStep) throws -> StoredMutation? {
        guard let status = step.mutation.value["status"], status != "done",
            case .task(let task)? = try value(of: step.mutation.resource), task.status == .done, task.recurrence == nil,
            let series = task.series, let due = task.dueDate, let completedAt = task.completedAt,
            let next = try rows.successor(of: task), next.status == .todo, let recurrence = next.recurrence,
            next.createdAt != next.updatedAt, next.series?.occurrence == series.occurrence + 1,
            next.dueDate == (try recurrence.next(after: due, in: series, at: completedAt, rows.zone(of: recurrence))),
            Set(TaskMember.allCases).subtracting([.status, .dueDate, .position, .recurrence])
                .allSatisfy({ !next.differs(from: task, in: $0) })
        else { return nil }
        return StoredMutation(.delete, .task(next.id))
    }

    /// False for the deletion of a category that is not this device's, or that was made for a task and has others by now.
    private func isNeeded(_ step: UndoStep, among steps: [UndoStep]) throws -> Bool {
        guard let creation = step.creation, step.mutation.op == .delete, let id = step.mutation.resource.id else {
            return true
        }
        // Another device had one of this name, which took its place.
        let isTheirs = try !all("SELECT 1 FROM aliases WHERE theirs = ?1 LIMIT 1", .id(id)) { $0.integer() }.isEmpty
        guard !isTheirs, creation == .onTheWay else { return !isTheirs }
        guard let category = try rows.category(id), step.theirs(category.sentMembers).isEmpty else { return false }
        var query = TaskQuery()
        query.categoryIDs = [id]
        guard try rows.taskIDs(query).isEmpty else { return false }
        query.inTrash = true
        let own = Set(steps.compactMap(\.mutation.resource.id))
        return try rows.taskIDs(query).allSatisfy(own.contains)
    }

    /// The step without the members that another device changed since; `nil` when nothing is left. What is as the step would make
    /// it is no conflict: another device did so, or the server never took the edit.
    private func own(_ step: UndoStep, _ conflicts: inout [Conflict]) throws -> UndoStep? {
        guard let now = try value(of: step.mutation.resource)?.json else { return step }
        var theirs = step.theirs(now)
        if now[flat: "categoryId"].isNull, try isToComeBack(step.expected["categoryId"]) {
            theirs.removeAll { $0 == "categoryId" }
        }
        let same = Set(step.mutation.value.flatMembers.filter { now[flat: $0.name] == $0.value }.map(\.name))
        for name in theirs where !same.contains(name) {
            conflicts.append(
                Conflict(step.mutation.resource, name, mine: step.mutation.value[flat: name], theirs: now[flat: name]))
        }
        return step.without(theirs)
    }

    /// True for a category that is restored with the next push. Tasks that this device did not see lose it are of it again after that.
    private func isToComeBack(_ category: JSON?) throws -> Bool {
        guard let id = category?.stringValue.flatMap({ ID($0) }) else { return false }
        return try edits(of: .category(id)).contains { $0.mutation.op == .restore && !$0.isAnswered }
    }

    /// The step without an image or a category that is gone, so that the rest comes back; `nil` when nothing is left.
    private func withoutLost(_ step: UndoStep, _ conflicts: inout [Conflict]) throws -> UndoStep? {
        if step.mutation.op == .restore, let image = try value(of: step.mutation.resource)?.json["image"],
            let id = image.stringValue.flatMap({ ID($0) }), try rows.image(id) == nil
        {
            conflicts.append(Conflict(step.mutation.resource, "image", mine: image, theirs: nil))
        }
        guard let members = step.mutation.value.objectMembers, !members.isEmpty else { return step }
        var step = step
        step.mutation.value = try known(step.mutation.value)
        for lost in members where step.mutation.value[lost.name] == nil {
            conflicts.append(Conflict(step.mutation.resource, lost.name, mine: lost.value, theirs: nil))
        }
        return step.mutation.value == [:] ? nil : step
    }
}

/// The server may know an edit that is to be taken back.
private struct IsKnown: Error {}

extension UndoStep {
    /// The step with the reason of a category's creation, if it is about one.
    func of(_ creation: Creation?) -> UndoStep {
        guard let creation, mutation.resource.type == .category else { return self }
        var step = self
        step.creation = creation
        return step
    }

    /// The members that another device changed since, as the resource is now.
    func theirs(_ now: JSON) -> [String] {
        expected.flatMembers.filter { now[flat: $0.name] != $0.value }.map(\.name)
    }

    /// The step without these members; `nil` when nothing is left.
    func without(_ theirs: [String]) -> UndoStep? {
        guard !theirs.isEmpty else { return self }
        // Only a patch can be made in part.
        guard mutation.op == .patch else { return nil }
        let rest = mutation.value.flatMembers.filter { !theirs.contains($0.name) }
        guard !rest.isEmpty else { return nil }
        var step = self
        step.mutation.value = JSON(flat: rest)
        return step
    }
}

extension UndoStep {
    /// Reads an array of steps one by one: an edit of ten thousand tasks has more values than one JSON value may hold.
    static func all(in stored: String) throws -> [UndoStep] {
        var reader = JSONReader(Array(stored.utf8), maximumDepth: 512)
        var steps: [UndoStep] = []
        do {
            try reader.enterArray()
            while try reader.nextElement() {
                if let step = UndoStep(try reader.value()) { steps.append(step) }
            }
            try reader.finish()
        } catch {
            throw StoreError.corrupt("JSON in the replica: \(error)")
        }
        return steps
    }
}

extension SQLiteConnection {
    func undoState() throws -> UndoState {
        let names = try all(
            "SELECT redo, name FROM undo WHERE n IN (SELECT max(n) FROM undo GROUP BY redo)", []
        ) { (isRedo: $0.integer() == 1, name: $0.text()) }
        let (undo, redo) = (names.first { !$0.isRedo }?.name, names.first { $0.isRedo }?.name)
        return UndoState(undoName: undo, redoName: redo, canUndo: undo != nil, canRedo: redo != nil)
    }
}

extension Conflict {
    init(_ resource: ResourceKey, _ member: String, mine: JSON?, theirs: JSON?) {
        self.init(
            target: KanbanID(resource), member: member, mine: mine?.shownText,
            theirs: theirs?.shownText)
    }
}

extension JSON {
    /// A member's value as text; `nil` for null.
    var shownText: String? {
        switch self {
        case .null: nil
        case .string(let text): text
        default: text
        }
    }
}
