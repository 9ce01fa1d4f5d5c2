/// Reads a large JSON text value by value, without building all of it: enter an object or array, then read or skip one
/// value at a time. As strict as ``JSON/init(parsing:maximumDepth:)``; call ``finish()`` last.
///
/// ```swift
/// var reader = JSONReader(bytes)
/// try reader.enterObject()
/// while let name = try reader.nextName() {
///     guard name == "tasks" else { continue }
///     try reader.enterArray()
///     while try reader.nextElement() { save(try reader.value(), from: reader.line) }
/// }
/// try reader.finish()
/// ```
///
/// Unread values are skipped. A reader is a value: a copy is a bookmark to continue from.
package struct JSONReader: Sendable {
    /// The start of the next value, or of the last one that was read: bytes from the start of the text.
    package private(set) var offset = 0
    /// The line of ``offset``, counted from 1.
    package private(set) var line = 1

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var position = 0
    private var valueIsNext = true
    private var path: [Step] = []

    /// An open container, and the progress in it.
    private enum Step: Sendable {
        case object(names: MemberNames)
        case array(count: Int)
    }

    package init(_ bytes: [UInt8], maximumDepth: Int = JSON.deepest) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        position = bytes.withUnsafeBufferPointer(JSONScanner.start)
        goToValue()
    }

    /// The line of an offset, such as that of a ``JSONError``, counted from 1.
    package func line(at offset: Int) -> Int {
        bytes.prefix(offset).count { $0 == 0x0A } + 1
    }

    /// The kind of the next value, by its first byte.
    package mutating func kind() throws(JSONError) -> JSON.Kind {
        try scan { (scanner) throws(JSONError) in try scanner.kind() }
    }

    /// Reads the whole next value.
    package mutating func value() throws(JSONError) -> JSON {
        let depthLeft = maximumDepth - path.count
        let value = try scan { (scanner) throws(JSONError) in try scanner.value(depthLeft: depthLeft) }
        valueIsNext = false
        return value
    }

    package mutating func skip() throws(JSONError) {
        let depthLeft = maximumDepth - path.count
        try scan { (scanner) throws(JSONError) in try scanner.skipValue(depthLeft: depthLeft) }
        valueIsNext = false
    }

    /// Enters the next value, which must be an object.
    package mutating func enterObject() throws(JSONError) {
        try enter(UInt8(ascii: "{"), "an object")
        path.append(.object(names: MemberNames()))
    }

    /// Enters the next value, which must be an array.
    package mutating func enterArray() throws(JSONError) {
        try enter(UInt8(ascii: "["), "an array")
        path.append(.array(count: 0))
    }

    /// Advances to the next member of the innermost open object and returns its name; its value is next. At the end it
    /// leaves the object and returns nil.
    package mutating func nextName() throws(JSONError) -> String? {
        if valueIsNext { try skip() }
        guard case .object(var names)? = path.last else { preconditionFailure("not in an object") }
        let isFirst = names.isEmpty
        guard let name = try scan({ (scanner) throws(JSONError) in try scanner.nextName(isFirst: isFirst) }) else {
            path.removeLast()
            return nil
        }
        // Removed first, so that the names are changed in place and not copied.
        path.removeLast()
        try names.insert(name.string, at: name.offset)
        path.append(.object(names: names))
        goToValue()
        return name.string
    }

    /// Advances to the next element of the innermost open array; its value is next. At the end it leaves the array and
    /// returns false.
    package mutating func nextElement() throws(JSONError) -> Bool {
        if valueIsNext { try skip() }
        guard case .array(let count)? = path.last else { preconditionFailure("not in an array") }
        guard try scan({ (scanner) throws(JSONError) in try scanner.nextElement(isFirst: count == 0) }) else {
            path.removeLast()
            return false
        }
        path[path.count - 1] = .array(count: count + 1)
        goToValue()
        return true
    }

    /// Enters the next value, which must be an array, and reads each of its elements. The body gets it with its index.
    package mutating func eachElement(_ body: (JSON, Int) -> Void) throws(JSONError) {
        try enterArray()
        var index = 0
        while try nextElement() {
            body(try value(), index)
            index += 1
        }
    }

    /// Checks the rest of the text.
    package mutating func finish() throws(JSONError) {
        if valueIsNext { try skip() }
        while let step = path.last {
            switch step {
            case .object: while try nextName() != nil {}
            case .array: while try nextElement() {}
            }
        }
        try scan { (scanner) throws(JSONError) in try scanner.end() }
    }

    private mutating func enter(_ bracket: UInt8, _ kind: String) throws(JSONError) {
        precondition(valueIsNext, "there is no value to enter")
        let depthLeft = maximumDepth - path.count
        try scan { (scanner) throws(JSONError) in
            guard scanner.peek() == bracket else { throw scanner.unexpected(kind) }
            try scanner.open(depthLeft: depthLeft)
        }
        valueIsNext = false
    }

    private mutating func goToValue() {
        valueIsNext = true
        position = bytes.withUnsafeBufferPointer {
            var scanner = JSONScanner(bytes: $0, position: position)
            _ = scanner.peek()
            return scanner.position
        }
        line += bytes[offset..<position].count { $0 == 0x0A }
        offset = position
    }

    /// Runs a scanner from where the last one stopped.
    private mutating func scan<Result>(
        _ body: (inout JSONScanner) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        let start = position
        let (result, end) = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> (Result, Int) in
            var scanner = JSONScanner(bytes: bytes, position: start)
            let result = try body(&scanner)
            return (result, scanner.position)
        }
        position = end
        return result
    }
}
