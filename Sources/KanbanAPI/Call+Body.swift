import HTTP
import JSON
import Kanban
import KanbanWire

extension Call {
    /// Reads the body of a resource. If the body has faults, adds those of its references, which only the board can
    /// find. A body without faults is checked by the rule, inside the transaction.
    func body<Body>(of type: ResourceType, _ id: ID? = nil, _ read: (JSON) async throws -> Body) async throws -> Body {
        try await body(id, references: { Reference.all(in: $0, of: type) }, read)
    }

    /// True if a call that needs no body has one.
    func hasJSON() throws -> Bool {
        guard !request.body.isEmpty else { return false }
        if let problem = Route.Content.json.fault(in: request) { throw problem }
        return true
    }

    /// The body of a call that needs none; `nil` without one.
    func optionalJSON() throws -> JSON? {
        try hasJSON() ? json() : nil
    }

    /// For calls that need no body: none, or an empty object.
    func requireEmptyBody() throws {
        if let json = try optionalJSON() { try Members.requireNone(in: json) }
    }

    /// - Parameter references: the references in the body.
    func body<Body>(
        _ id: ID? = nil, references: (JSON) -> [Reference], _ read: (JSON) async throws -> Body
    ) async throws -> Body {
        let json = try json()
        do {
            return try await read(json)
        } catch BoardError.invalid(let faults) {
            let references = references(json)
            throw BoardError.invalid(
                try await self.read { try faults + $0.faults(of: references, from: id, besides: faults) })
        }
    }
}
