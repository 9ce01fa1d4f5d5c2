import JSON
import Kanban
import KanbanWire

extension MutationResult {
    /// An element of `results`, as JSON text.
    func encoded(_ id: ID) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("mutationId")
        json.value(id)
        switch self {
        case .done(let outcome): json.members(of: outcome)
        case .rejected(let error): json.members(rejectedWith: Problem(error))
        case .idReused: json.members(rejectedWith: Problem(.idempotencyKeyReused))
        case .rolledBack: json.members(rejectedWith: Problem(.rolledBack))
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
