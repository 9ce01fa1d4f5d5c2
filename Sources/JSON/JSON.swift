/// A JSON value (RFC 8259). Numbers keep their spelling, objects their order; member names are unique.
///
/// `==` compares spellings: strings byte for byte (not by Unicode equivalence, as `String` does), numbers by their
/// literals, objects in order. ``isEquivalent(to:)`` compares meanings.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    /// The literal as it was written, e.g. `1.50e3`.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    package enum Kind: Sendable, Hashable {
        case null, bool, number, string, array, object
    }

    package struct Member: Sendable {
        package var name: String
        package var value: JSON

        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }
}

extension JSON: Hashable {
    package static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isSpelled(like: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .number(let literal): hasher.combine(literal)
        case .string(let string): hasher.combine(Spelling(string))
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension JSON.Member: Hashable {
    package static func == (left: JSON.Member, right: JSON.Member) -> Bool {
        left.name.isSpelled(like: right.name) && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Spelling(name))
        hasher.combine(value)
    }
}
