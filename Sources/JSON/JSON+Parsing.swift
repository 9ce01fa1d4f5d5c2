extension JSON {
    /// The most values in one parsed value, including nested ones.
    package static let mostValues = 100_000
    /// The deepest nesting of a request's body. No client of a board nests its data deeper, and 64 calls fit on any stack.
    package static let deepest = 64

    /// Parses exactly one JSON text (RFC 8259), strictly. Errors are: duplicate member names, bytes after the value,
    /// invalid UTF-8, lone surrogates, nesting deeper than `maximumDepth`, and more than ``mostValues`` values. `\u0000`
    /// is allowed here, and a byte order mark before the text is skipped, as RFC 8259 §8.1 allows.
    package init(parsing bytes: [UInt8], maximumDepth: Int = deepest) throws(JSONError) {
        self = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> JSON in
            var scanner = JSONScanner(bytes: bytes, position: JSONScanner.start(of: bytes))
            let value = try scanner.value(depthLeft: maximumDepth)
            try scanner.end()
            return value
        }
    }
}

extension JSONScanner {
    /// Reads a whole value.
    /// - Parameter depthLeft: how many more levels of nesting are allowed.
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

    /// The kind of the next value, by its first byte.
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

    /// Skips a whole value with the same checks, and with little memory.
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
            // It is not kept.
            valuesLeft += 1
            _ = try value(depthLeft: depthLeft)
        }
    }

    private mutating func members(depthLeft: Int) throws(JSONError) -> [JSON.Member] {
        try open(depthLeft: depthLeft)
        var members: [JSON.Member] = []
        // Most objects have at most this many members: one allocation.
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

    /// Reads the bracket or brace that opens a container.
    mutating func open(depthLeft: Int) throws(JSONError) {
        guard depthLeft > 0 else { throw fault("Arrays and objects are nested too deeply here.") }
        position += 1
    }

    /// Reads up to a member's value: the comma, the name and the colon. Nil at the closing brace, which is read.
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

    /// Reads up to an element. False at the closing bracket, which is read.
    @inline(__always)
    mutating func nextElement(isFirst: Bool) throws(JSONError) -> Bool {
        if take(UInt8(ascii: "]")) { return false }
        if !isFirst, !take(UInt8(ascii: ",")) { throw unexpected("a comma or the closing bracket of the array") }
        return true
    }

    /// Only white space may follow.
    mutating func end() throws(JSONError) {
        if peek() != nil { throw fault("Something follows the end of the JSON value.") }
    }
}
