import HTTP
import JSON
import Kanban

/// The mutations of one request, applied in order inside one transaction.
struct Push {
    private let writer: any BoardWriter
    private var own: OwnRevisions
    /// Some of the mutations may have been applied before.
    private var mayRepeat = true

    init(_ writer: any BoardWriter) throws {
        self.writer = writer
        own = OwnRevisions(after: try writer.feedState().revision)
    }

    /// - Returns: the result of each, as JSON text.
    mutating func apply(_ mutations: [SentMutation], isAtomic: Bool) throws -> [[UInt8]] {
        mayRepeat = try mayRepeat(mutations.map(\.id))
        guard isAtomic else { return try mutations.map { try apply($0).json } }
        do {
            return try writer.nested { try mutations.enumerated().map { try applyOrUndoAll($1, at: $0) } }
        } catch let undone as Undone {
            return try mutations.enumerated().map { index, sent in
                if index == undone.index { return undone.json }
                // A repeat was applied before, and still is.
                let first = try known(sent)
                return (first ?? MutationResult(sent.id, Problem(.rolledBack))).json
            }
        }
    }

    /// Clients that make ids of version 7 send a stretch of them in which there was nothing before: one look instead of
    /// one for each.
    private func mayRepeat(_ ids: [ID]) throws -> Bool {
        guard let first = ids.min(), let last = ids.max() else { return false }
        return try Set(ids).count < ids.count || writer.mayHaveKeptMutations(in: first...last)
    }

    private mutating func applyOrUndoAll(_ sent: SentMutation, at index: Int) throws -> [UInt8] {
        let result = try apply(sent)
        if result.isFailure { throw Undone(index: index, json: result.json) }
        return result.json
    }

    private mutating func apply(_ sent: SentMutation) throws -> MutationResult {
        if let first = try known(sent) {
            if let revisions = first.revisions { own.add(revisions) }
            return first
        }
        let result = try perform(sent)
        try writer.keep(KeptMutation(fingerprint: sent.fingerprint, result: result.kept), id: sent.id)
        return result
    }

    /// The result of what was sent before under the same id; `nil` for what is new.
    private func known(_ sent: SentMutation) throws -> MutationResult? {
        guard mayRepeat, let kept = try writer.keptMutation(sent.id) else { return nil }
        return kept.fingerprint == sent.fingerprint
            ? MutationResult(kept) : MutationResult(sent.id, Problem(.idempotencyKeyReused))
    }

    private func perform(_ sent: SentMutation) throws -> MutationResult {
        let before = try writer.feedState().revision
        do {
            let mutation = try sent.mutation.get()
            if let base = mutation.base, base > before {
                throw Problem(
                    "\(sent.pointer)/baseRevision", .invalidValue,
                    "baseRevision is from another history: the newest revision is \(before).")
            }
            let outcome = try perform(mutation)
            let after = try writer.feedState().revision
            return MutationResult(sent.id, outcome, revisions: after > before ? before + 1...after : nil)
        } catch let error as BoardError {
            return MutationResult(sent.id, Problem(error))
        } catch var problem as Problem where problem.status < 500 {
            if let task = sent.task {
                problem.faults += try writer.faults(ofTask: task.value, task.id, besides: problem.faults)
            }
            return MutationResult(sent.id, problem)
        }
    }

    /// Rules check before they write, so a mutation that is refused has written nothing, and needs no savepoint of its
    /// own: in a transaction of hundreds of pages those cost as much as all the rest. A rule that broke this would fail
    /// the whole request, which then leaves nothing either.
    private func perform(_ mutation: Mutation) throws -> MutationOutcome {
        let before = try writer.feedState().revision
        do {
            return try writer.perform(mutation, own: own)
        } catch let error as BoardError {
            // Nothing of a board is written without a revision.
            guard try writer.feedState().revision == before else { throw WroteInVain(cause: error) }
            throw error
        }
    }
}

/// A rule refused a mutation after it had written: a fault of the program.
private struct WroteInVain: Error {
    var cause: BoardError
}

/// A mutation of an atomic request failed.
private struct Undone: Error {
    var index: Int
    var json: [UInt8]
}

/// The result of a mutation, and what of it is kept for repeats.
struct MutationResult {
    let json: [UInt8]
    /// Rejected, or a conflict.
    let isFailure: Bool
    /// Those that it made.
    let revisions: ClosedRange<Revision>?

    init(_ id: ID, _ outcome: MutationOutcome, revisions: ClosedRange<Revision>?) {
        self.revisions = revisions
        isFailure = outcome.status == .conflict
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("mutationId")
        json.value(id)
        json.name("status")
        json.value(outcome.status.rawValue)
        json.name("revision")
        if let revision = outcome.revision { json.value(revision) } else { json.null() }
        json.name("value")
        json.value(outcome.value)
        json.name("conflicts")
        json.beginArray()
        for conflict in outcome.conflicts { json.value(conflict) }
        json.endArray()
        json.endObject()
        self.json = json.bytes
    }

    init(_ id: ID, _ problem: Problem) {
        revisions = nil
        isFailure = true
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("mutationId")
        json.value(id)
        json.name("status")
        json.value("rejected")
        json.name("revision")
        json.null()
        json.name("value")
        json.null()
        json.name("conflicts")
        json.beginArray()
        json.endArray()
        json.name("problem")
        problem.write(into: &json, requestID: nil)
        json.endObject()
        self.json = json.bytes
    }

    /// What is kept: a line that says whether it failed and which revisions it made, then the result.
    var kept: [UInt8] {
        let made = revisions.map { " \($0.lowerBound) \($0.upperBound)" } ?? ""
        return Array("\(isFailure ? "failed" : "done")\(made)\n".utf8) + json
    }

    init(_ kept: KeptMutation) {
        let line = kept.result.prefix { $0 != UInt8(ascii: "\n") }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        isFailure = words.first == "failed"
        let numbers = words.dropFirst().compactMap { Revision($0) }
        revisions = numbers.count == 2 && numbers[0] <= numbers[1] ? numbers[0]...numbers[1] : nil
        json = Array(kept.result.dropFirst(line.count + 1))
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ conflict: MemberConflict) {
        beginObject()
        name("member")
        value(conflict.member)
        name("base")
        value(conflict.base)
        name("theirs")
        value(conflict.theirs)
        name("yours")
        value(conflict.yours)
        endObject()
    }
}
