extension JSON {
    /// Values that one parsed value may hold, nested ones included.
    package static let mostValues = 100_000

    /// Reads one JSON text and nothing but it (RFC 8259), without any leniency: duplicate member names, bytes after the
    /// value, text that is not UTF-8, halves of surrogate pairs, a byte order mark and containers nested deeper than
    /// `maximumDepth` are errors, and so are more than ``mostValues`` values. `\u0000` is allowed here.
    package init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) {
        self = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> JSON in
            var scanner = JSONScanner(bytes: bytes, position: 0)
            let value = try scanner.value(depthLeft: maximumDepth)
            try scanner.end()
            return value
        }
    }
}

extension JSONScanner {
    /// Takes a whole value. `depthLeft`: how many containers may still be opened within each other.
    mutating func value(depthLeft: Int) throws(JSONError) -> JSON {
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw fault("There are more than \(JSON.mostValues) values.") }
        switch try kind() {
        case .string: return .string(try string())
        case .object: return .object(try members(depthLeft: depthLeft))
        case .array: return .array(try elements(depthLeft: depthLeft))
        case .number: return .number(try number())
        case .bool:
            let isTrue = bytes[position] == UInt8(ascii: "t")
            try word(isTrue ? "true" : "false")
            return .bool(isTrue)
        case .null:
            try word("null")
            return .null
        }
    }

    /// What the next value is, going by its first byte.
    @inline(__always)
    mutating func kind() throws(JSONError) -> JSON.Kind {
        guard let byte = peek() else { throw unexpected("a value") }
        return switch byte {
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: throw unexpected("a value")
        }
    }

    /// Takes a whole value and forgets it, at the same strictness and with little memory.
    mutating func skipValue(depthLeft: Int) throws(JSONError) {
        switch try kind() {
        case .object:
            var names = MemberNames()
            try open(depthLeft: depthLeft)
            while let name = try nextName(isFirst: names.isEmpty) {
                try names.insert(name.string, at: name.offset)
                try skipValue(depthLeft: depthLeft - 1)
            }
        case .array:
            var isFirst = true
            try open(depthLeft: depthLeft)
            while try nextElement(isFirst: isFirst) {
                isFirst = false
                try skipValue(depthLeft: depthLeft - 1)
            }
        default:
            _ = try value(depthLeft: depthLeft)
        }
    }

    private mutating func members(depthLeft: Int) throws(JSONError) -> [JSON.Member] {
        try open(depthLeft: depthLeft)
        var members: [JSON.Member] = []
        // Most objects have no more, so the array is made once.
        members.reserveCapacity(8)
        var names = MemberNames()
        while let name = try nextName(isFirst: members.isEmpty) {
            try names.insert(name.string, at: name.offset, after: members)
            members.append(JSON.Member(name.string, try value(depthLeft: depthLeft - 1)))
        }
        return members
    }

    private mutating func elements(depthLeft: Int) throws(JSONError) -> [JSON] {
        try open(depthLeft: depthLeft)
        var elements: [JSON] = []
        while try nextElement(isFirst: elements.isEmpty) {
            elements.append(try value(depthLeft: depthLeft - 1))
        }
        return elements
    }

    /// Takes the bracket or brace that opens a container.
    mutating func open(depthLeft: Int) throws(JSONError) {
        guard depthLeft > 0 else { throw fault("Arrays and objects are nested too deeply here.") }
        position += 1
    }

    /// Takes what stands between two members, the name and its colon; nil when it took the closing brace instead.
    @inline(__always)
    mutating func nextName(isFirst: Bool) throws(JSONError) -> (string: String, offset: Int)? {
        if take(UInt8(ascii: "}")) { return nil }
        if !isFirst, !take(UInt8(ascii: ",")) { throw unexpected("a comma or the closing brace of the object") }
        guard peek() == UInt8(ascii: "\"") else { throw unexpected("a member name in quotation marks") }
        let offset = position
        let name = try string()
        guard take(UInt8(ascii: ":")) else { throw unexpected("a colon after the member name") }
        return (name, offset)
    }

    /// Takes what stands before an element; false when it took the closing bracket instead.
    @inline(__always)
    mutating func nextElement(isFirst: Bool) throws(JSONError) -> Bool {
        if take(UInt8(ascii: "]")) { return false }
        if !isFirst, !take(UInt8(ascii: ",")) { throw unexpected("a comma or the closing bracket of the array") }
        return true
    }

    /// Nothing but white space may follow.
    mutating func end() throws(JSONError) {
        if peek() != nil { throw fault("Something follows the end of the JSON value.") }
    }
}
