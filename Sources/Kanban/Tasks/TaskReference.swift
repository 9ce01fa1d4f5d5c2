/// Another resource that a task's members name, or those of its move.
package struct TaskReference: Hashable, Sendable {
    package enum Kind: Sendable {
        case category, neighbour
    }

    package var member: String
    package var kind: Kind
    package var id: ID

    package init(member: String, kind: Kind, id: ID) {
        self.member = member
        self.kind = kind
        self.id = id
    }
}

extension BoardReader {
    /// The references that name nothing known: the faults of a value that only the board can tell.
    /// - Parameters:
    ///   - id: the task's own.
    ///   - known: faults of the form; a member has one at most.
    package func faults(of references: [TaskReference], from id: ID?, besides known: [Fault]) throws -> [Fault] {
        var faults: [Fault] = []
        for reference in references {
            let pointer = "#/\(reference.member)"
            guard !known.contains(where: { $0.pointer == pointer }) else { continue }
            let exists =
                switch reference.kind {
                case .category: try category(reference.id) != nil
                case .neighbour: try reference.id != id && taskEverExisted(reference.id)
                }
            guard !exists else { continue }
            let detail =
                reference.id == id
                ? "\(reference.member) is the task itself." : "\(reference.member) names nothing known."
            let code: Fault.Code = reference.kind == .category ? .unknownCategory : .unknownNeighbour
            faults.append(Fault(pointer: pointer, code: code, detail: detail))
        }
        return faults
    }
}
