/// A reference from a member of a value to another resource.
package struct Reference: Hashable, Sendable {
    package enum Kind: Sendable {
        case category, neighbour, image
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
    /// Faults of references to unknown resources: those that only the board can find.
    /// - Parameters:
    ///   - id: the id of the value itself.
    ///   - known: faults that were found before; a member has at most one.
    package func faults(of references: [Reference], from id: ID?, besides known: [Fault]) throws -> [Fault] {
        var faults: [Fault] = []
        for reference in references {
            let pointer = "#/\(reference.member)"
            guard !known.contains(where: { $0.pointer == pointer }) else { continue }
            let exists =
                switch reference.kind {
                case .category: try category(reference.id) != nil
                case .neighbour: try reference.id != id && taskEverExisted(reference.id)
                case .image: try image(reference.id) != nil
                }
            guard !exists else { continue }
            let detail =
                reference.kind == .neighbour && reference.id == id
                ? "\(reference.member) is the task itself." : "\(reference.member) names nothing known."
            let code: Fault.Code =
                switch reference.kind {
                case .category: .unknownCategory
                case .neighbour: .unknownNeighbour
                case .image: .unknownImage
                }
            faults.append(Fault(pointer: pointer, code: code, detail: detail))
        }
        return faults
    }
}
