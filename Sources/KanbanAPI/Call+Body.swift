import JSON
import Kanban
import KanbanWire

extension Call {
    /// Reads the body of a resource. Where its form has faults, list those that only the board can tell beside them; where
    /// it has none, the change itself looks, in its transaction.
    func body<Body>(of type: ResourceType, _ id: ID? = nil, _ read: (JSON) async throws -> Body) async throws -> Body {
        try await body(id, references: { Reference.all(in: $0, of: type) }, read)
    }

    /// - Parameter references: those that the body names.
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
