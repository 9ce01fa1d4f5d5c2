extension JSON {
    /// True when both mean the same: objects regardless of the order of their members, numbers by exact value (`1.0` is
    /// `1` and `10e-1`), strings byte for byte.
    package func isEquivalent(to other: JSON) -> Bool {
        switch (self, other) {
        case (.number(let left), .number(let right)):
            return left == right || ExactDecimal(left).map { $0 == ExactDecimal(right) } ?? false
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            return zip(left.sortedByName, right.sortedByName).allSatisfy {
                $0.name.isSpelled(like: $1.name) && $0.value.isEquivalent(to: $1.value)
            }
        default:
            return self == other
        }
    }

    /// This value after a JSON merge patch (RFC 7396): null removes a member, an object is patched member by member,
    /// anything else replaces what was there.
    package func mergePatched(with patch: JSON) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        var members: [Member?] = objectMembers ?? []
        // An index by name, because both sides may have thousands of members.
        var places: [Spelling: Int] = [:]
        for (index, member) in members.enumerated() {
            if let member { places[Spelling(member.name)] = index }
        }
        for change in changes {
            let place = places[Spelling(change.name)]
            if case .null = change.value {
                if let place { members[place] = nil }
            } else if let place, let member = members[place] {
                members[place] = Member(member.name, member.value.mergePatched(with: change.value))
            } else {
                members.append(Member(change.name, JSON.null.mergePatched(with: change.value)))
            }
        }
        return .object(members.compactMap { $0 })
    }
}

extension [JSON.Member] {
    fileprivate var sortedByName: [JSON.Member] {
        sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}

/// A number literal in a canonical form: the sign, the digits without leading and trailing zeros, and the power of ten of
/// the last digit.
private struct ExactDecimal: Equatable {
    var isNegative = false
    var digits: [UInt8] = []
    var exponent = 0

    /// Nil when the exponent overflows; such a number equals only its own spelling.
    init?(_ literal: String) {
        var isFraction = false
        var rest = literal.utf8[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest = rest.dropFirst()
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard let written = Int(Substring(rest)), written.magnitude < 1 << 40 else { return nil }
                exponent += written
                rest = rest.suffix(0)
            default:
                digits.append(byte)
                if isFraction { exponent -= 1 }
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }
}
