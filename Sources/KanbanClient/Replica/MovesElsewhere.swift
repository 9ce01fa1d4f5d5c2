import JSON
import Kanban
import KanbanRows
import KanbanWire

/// Moves by other devices that came after moves of this one: an undo leaves those tasks where they are. The position that the
/// server gave an own move, and a column that it respaced, are no such moves.
extension Transaction {
    /// Call it before a change of the feed takes a task to another place.
    func noteMove(from old: TaskItem, to new: TaskItem) throws {
        // Respacing a column leaves the times of its tasks.
        guard old.place != new.place, old.updatedAt != new.updatedAt else { return }
        // The answer to a move that was sent tells more than the feed.
        let isOwn = try edits(of: .task(old.id)).contains { edit in
            edit.mutation.writes("position") && !edit.isUnsent
        }
        if !isOwn { noteMoved(old.id, from: old.position) }
    }

    /// Call it when the answers are settled and, if they came with changes, these are applied. Notes all moves of the
    /// transaction.
    func noteMoves(answering answers: [(edit: OutboxEdit, result: SyncResponse.Result)]) throws {
        var newest: [ID: (edit: OutboxEdit, result: SyncResponse.Result)] = [:]
        for answer in answers where answer.edit.mutation.writes("position") {
            if answer.edit.mutation.resource.type == .task, let id = answer.edit.mutation.resource.id {
                newest[id] = answer
            }
        }
        for (id, (edit, result)) in newest {
            if let conflict = result.conflicts.first(where: { $0.member == "position" }), !edit.isApplied(by: result) {
                // Their place stays, and mine never was.
                noteMoved(id, from: Position(text: conflict.yours.stringValue ?? ""))
            } else if let own = TaskItem(shown: result.value), case .task(let now)? = try serverValue(of: .task(id)),
                now.revision > own.revision, now.place != own.place
            {
                noteMoved(id, from: own.position)
            }
        }
        try markMovedSteps()
        movedElsewhere = [:]
    }

    private func noteMoved(_ id: ID, from position: Position) {
        if movedElsewhere[id] == nil { movedElsewhere[id] = position }
    }

    /// The steps that would move the tasks expect them where they were. Not those of edits that the server has not answered: it
    /// decides between these and the other device's.
    private func markMovedSteps() throws {
        guard !movedElsewhere.isEmpty else { return }
        // Newest first, because an edit that another one was joined to goes by that one's id.
        let kept = try all("SELECT n, steps FROM undo WHERE instr(steps, '\"move\"') > 0 ORDER BY n DESC") {
            (n: $0.integer(), steps: $0.text())
        }
        guard !kept.isEmpty else { return }
        var waiting = Set(try outbox().filter { !$0.isAnswered }.map(\.mutationID))
        for (n, text) in kept {
            var steps = try UndoStep.all(in: text)
            var isChanged = false
            for index in steps.indices {
                if let trace = steps[index].trace, waiting.contains(trace.mutationID) {
                    if let joined = trace.joined { waiting.insert(joined.mutationID) }
                    continue
                }
                guard steps[index].mutation.op == .move, let id = steps[index].mutation.resource.id,
                    let position = movedElsewhere[id], steps[index].expected["position"] == nil
                else { continue }
                steps[index].expected["position"] = .string(position.text)
                isChanged = true
            }
            guard isChanged else { continue }
            try run(
                "UPDATE undo SET steps = ?2 WHERE n = ?1", .integer(n), .text(JSON.array(steps.map(\.json)).text))
        }
    }
}

extension TaskItem {
    fileprivate var place: [String] { [status.name, position.text] }
}
