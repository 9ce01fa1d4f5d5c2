import JSON
import Kanban
import KanbanWire

extension MutationResult {
    /// The most bytes of a rejected result, which is kept for repeats for a month.
    private static let longestRefusal = 16 << 10

    /// An element of `results` as JSON text. It lists as many faults as fit.
    func encoded(_ id: ID) -> [UInt8] {
        let text = encodedWhole(id)
        guard text.count > Self.longestRefusal, case .rejected(.invalid(let faults)) = self, faults.count > 1 else {
            return text
        }
        return MutationResult.rejected(.invalid(Array(faults.prefix(faults.count / 2)))).encoded(id)
    }

    private func encodedWhole(_ id: ID) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024)
        json.beginObject()
        json.name("mutationId")
        json.value(id)
        switch self {
        case .done(let outcome): json.members(of: outcome)
        case .rejected(let error): json.members(rejectedWith: Problem(error))
        case .idReused: json.members(rejectedWith: Problem(.idempotencyKeyReused))
        case .rolledBack: json.members(rejectedWith: Problem(.rolledBack))
        case .beyondQuota(let limit): json.members(rejectedWith: Problem(StoreError.quotaExceeded(limit)))
        }
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func members(of outcome: MutationOutcome) {
        name("status")
        value(outcome.status.rawValue)
        name("revision")
        if let revision = outcome.revision { value(revision) } else { null() }
        name("value")
        value(outcome.value)
        name("conflicts")
        beginArray()
        for conflict in outcome.conflicts { value(conflict) }
        endArray()
        for successor in outcome.successor { value(successor: successor) }
    }

    fileprivate mutating func members(rejectedWith problem: Problem) {
        name("status")
        value("rejected")
        name("revision")
        null()
        name("value")
        null()
        name("conflicts")
        beginArray()
        endArray()
        name("problem")
        problem.write(into: &self, requestID: nil)
    }

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
