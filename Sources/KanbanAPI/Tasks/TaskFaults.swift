import JSON
import Kanban

extension Call {
    /// Reads the body of a task. Where its form has faults, those that only the board can tell are listed with them; where
    /// it has none, the change itself looks, in its transaction.
    func taskBody<Body>(of id: ID? = nil, _ read: (JSON) throws -> Body) throws -> Body {
        let json = try json()
        do {
            return try read(json)
        } catch BoardError.invalid(let faults) {
            throw BoardError.invalid(try self.read { try faults + $0.faults(ofTask: json, id, besides: faults) })
        }
    }
}

extension BoardReader {
    /// What is wrong with a task's members, or with those of its move, in the light of what else there is.
    /// - Parameters:
    ///   - id: the task's own.
    ///   - known: faults of the form; a member has one at most.
    package func faults(ofTask value: JSON, _ id: ID?, besides known: [Fault]) throws -> [Fault] {
        var faults: [Fault] = []
        for (member, code) in [
            ("categoryId", Fault.Code.unknownCategory), ("before", .unknownNeighbour), ("after", .unknownNeighbour),
        ] {
            let pointer = "#/\(member)"
            guard let other = value[member]?.stringValue.flatMap({ ID($0) }),
                !known.contains(where: { $0.pointer == pointer })
            else { continue }
            let exists = try code == .unknownCategory ? category(other) != nil : other != id && taskEverExisted(other)
            let detail = other == id ? "\(member) is the task itself." : "\(member) names nothing known."
            if !exists { faults.append(Fault(pointer: pointer, code: code, detail: detail)) }
        }
        return faults
    }
}
