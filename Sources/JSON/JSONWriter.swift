/// Writes JSON into a byte buffer by hand. It sets the commas; names and values in the right order are the caller's
/// part. Text passes through as UTF-8, escaped only where RFC 8259 §7 demands it.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.name("id")
/// writer.value(task.id)
/// writer.endObject()
/// ```
package struct JSONWriter {
    /// What was written so far. Anything else may be appended between two whole values, such as a line break.
    package var bytes: [UInt8]
    private var needsComma = false

    package init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    package init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// A member name that needs no escape, as every one of our own.
    package mutating func name(_ name: StaticString) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer {
            assert($0.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }, "\(name) needs an escape")
            bytes.append(contentsOf: $0)
        }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A member name from elsewhere. (Not preferred, so that a literal is a `StaticString`.)
    @_disfavoredOverload
    package mutating func name(_ name: String) {
        comma()
        text(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func value(_ string: String) {
        comma()
        text(string)
    }

    /// Null for nil.
    package mutating func value(_ string: String?) {
        if let string { value(string) } else { null() }
    }

    /// A string of so many ASCII characters, none of which needs an escape, that `write` puts in place: no `String` is
    /// made of an id or a time on its way.
    package mutating func ascii(_ count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        comma()
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 2) { text in
            text[0] = UInt8(ascii: "\"")
            write(UnsafeMutableBufferPointer(rebasing: text[1...count]))
            text[count + 1] = UInt8(ascii: "\"")
            bytes.append(contentsOf: UnsafeBufferPointer(text))
        }
    }

    package mutating func value(_ integer: Int) { value(Int64(integer)) }

    package mutating func value(_ integer: Int64) {
        comma()
        digits(of: integer)
    }

    /// Null for nil.
    package mutating func value(_ integer: Int?) {
        if let integer { value(integer) } else { null() }
    }

    package mutating func value(_ bool: Bool) {
        comma()
        bytes.append(contentsOf: (bool ? "true" : "false").utf8)
    }

    /// The shortest literal that reads back as the same number; null for what JSON has no number for.
    package mutating func value(_ double: Double) {
        guard double.isFinite else { return null() }
        comma()
        bytes.append(contentsOf: double.description.utf8)
    }

    package mutating func null() {
        comma()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A value that is JSON already.
    package mutating func raw(_ encoded: some Collection<UInt8>) {
        comma()
        bytes.append(contentsOf: encoded)
    }

    package mutating func value(_ json: JSON) {
        switch json {
        case .null: null()
        case .bool(let bool): value(bool)
        case .number(let literal): raw(literal.utf8)
        case .string(let string): value(string)
        case .array(let elements):
            beginArray()
            for element in elements { value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                name(member.name)
                value(member.value)
            }
            endObject()
        }
    }

    private mutating func open(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// Every value and name begins with this: the comma that the one before it left open.
    @inline(__always)
    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func digits(of integer: Int64) {
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = integer.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private mutating func text(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        // Native strings hand out their storage; a bridged one (macOS) is copied once.
        let done: Void? = string.utf8.withContiguousStorageIfAvailable { escape($0) }
        if done == nil {
            Array(string.utf8).withUnsafeBufferPointer { escape($0) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Copies run after run of plain text, with an escape between two.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        guard let base = text.baseAddress else { return }
        var start = 0
        while true {
            let end = base.endOfPlainText(from: start, to: text.count)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            guard end < text.count else { return }
            escape(text[end])
            start = end + 1
        }
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            let hexadecimal = StaticString("0123456789abcdef").utf8Start
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(hexadecimal[Int(byte >> 4)])
            bytes.append(hexadecimal[Int(byte & 15)])
        }
    }
}

extension JSON {
    /// This value as UTF-8 text without white space.
    package func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
