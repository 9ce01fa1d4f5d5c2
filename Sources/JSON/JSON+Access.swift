extension JSON {
    /// The member of this name; nil when there is none, or when this is not an object. Setting nil removes it. Setting a
    /// member of another value does nothing.
    package subscript(name: String) -> JSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name.isSpelled(like: name) }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            let index = members.firstIndex { $0.name.isSpelled(like: name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name, value))
            case (nil, nil): return
            }
            self = .object(members)
        }
    }

    package var stringValue: String? {
        if case .string(let string) = self { string } else { nil }
    }

    package var boolValue: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// A number without a fraction in any spelling, as in JSON Schema: `41`, `41.0`, `4.1e1`. Nil when it does not fit
    /// into an `Int`.
    package var intValue: Int? {
        guard case .number(let literal) = self else { return nil }
        return Int(literal) ?? Double(literal).flatMap(Int.init(exactly:))
    }

    /// A number, rounded to the nearest `Double`; nil when it is out of range.
    package var doubleValue: Double? {
        guard case .number(let literal) = self, let double = Double(literal), double.isFinite else { return nil }
        return double
    }

    package var arrayValue: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    package var objectMembers: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension JSON {
    package init(_ integer: Int) { self = .number(String(integer)) }

    /// NaN and the infinities, which JSON does not have, become null.
    package init(_ double: Double) { self = double.isFinite ? .number("\(double)") : .null }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self.init(value) }
}

extension JSON: ExpressibleByFloatLiteral {
    package init(floatLiteral value: Double) { self.init(value) }
}

extension JSON: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

// No ExpressibleByNilLiteral: `json["title"] == nil` must test whether the member exists.
extension JSON: ExpressibleByDictionaryLiteral {
    /// Of two members with the same name, the last one is kept.
    package init(dictionaryLiteral members: (String, JSON)...) {
        self = .object([])
        for (name, value) in members { self[name] = value }
    }
}
