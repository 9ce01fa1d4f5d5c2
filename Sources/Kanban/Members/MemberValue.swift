import JSON

/// The value of a member, in the few kinds that JSON, rows and history share. `==` compares texts byte for byte.
package enum MemberValue: Equatable, Sendable {
    case none
    case text(String)
    case integer(Int64)
    case day(Day)
    case id(ID)
    /// A list or an object.
    case json(JSON)

    package static func == (left: MemberValue, right: MemberValue) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.text(let left), .text(let right)): left.isSpelled(like: right)
        case (.integer(let left), .integer(let right)): left == right
        case (.day(let left), .day(let right)): left == right
        case (.id(let left), .id(let right)): left == right
        case (.json(let left), .json(let right)): left == right
        case (.none, _), (.text, _), (.integer, _), (.day, _), (.id, _), (.json, _): false
        }
    }

    /// As the API shows it.
    package var json: JSON {
        switch self {
        case .none: .null
        case .text(let text): .string(text)
        case .integer(let integer): .number("\(integer)")
        case .day(let day): .string(day.description)
        case .id(let id): .string(id.description)
        case .json(let json): json
        }
    }
}

/// A Swift type whose values are those of a member. ``MemberForm`` says which of them a client may send.
package protocol MemberRepresentable: Sendable {
    /// - Returns: `nil` for a value of another kind, which only a damaged row has.
    init?(_ value: MemberValue)
    var memberValue: MemberValue { get }
}

extension Optional: MemberRepresentable where Wrapped: MemberRepresentable {
    package init?(_ value: MemberValue) {
        if value == .none {
            self = Self.none
        } else {
            guard let wrapped = Wrapped(value) else { return nil }
            self = wrapped
        }
    }

    package var memberValue: MemberValue { self?.memberValue ?? .none }
}

extension String: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }

    package var memberValue: MemberValue { .text(self) }
}

extension Int64: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .integer(let integer) = value else { return nil }
        self = integer
    }

    package var memberValue: MemberValue { .integer(self) }
}

extension Int: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .integer(let integer) = value else { return nil }
        self.init(exactly: integer)
    }

    package var memberValue: MemberValue { .integer(Int64(self)) }
}

extension Timestamp: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .integer(let milliseconds) = value else { return nil }
        self.init(milliseconds: milliseconds)
    }

    package var memberValue: MemberValue { .integer(milliseconds) }
}

extension Day: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .day(let day) = value else { return nil }
        self = day
    }

    package var memberValue: MemberValue { .day(self) }
}

extension ID: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .id(let id) = value else { return nil }
        self = id
    }

    package var memberValue: MemberValue { .id(self) }
}

extension DueDate: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }

    package var memberValue: MemberValue { .text(text) }
}

extension JSON: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .json(let json) = value else { return nil }
        self = json
    }

    package var memberValue: MemberValue { .json(self) }
}

extension TaskStatus: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .text(let name) = value else { return nil }
        self.init(name: name)
    }

    package var memberValue: MemberValue { .text(name) }
}

extension Position: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text: text)
    }

    package var memberValue: MemberValue { .text(text) }
}

extension DDay.Repeats: MemberRepresentable {
    package init?(_ value: MemberValue) {
        guard case .text(let word) = value else { return nil }
        self.init(rawValue: word)
    }

    package var memberValue: MemberValue { .text(rawValue) }
}
