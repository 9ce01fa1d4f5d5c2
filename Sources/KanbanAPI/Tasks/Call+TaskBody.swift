import JSON
import Kanban
import KanbanWire

extension Call {
    /// Reads the body of a task. Where its form has faults, list those that only the board can tell beside them; where it
    /// has none, the change itself looks, in its transaction.
    func taskBody<Body>(of id: ID? = nil, _ read: (JSON) throws -> Body) throws -> Body {
        let json = try json()
        do {
            return try read(json)
        } catch BoardError.invalid(let faults) {
            throw BoardError.invalid(
                try self.read { try faults + $0.faults(of: TaskReference.all(in: json), from: id, besides: faults) })
        }
    }
}
