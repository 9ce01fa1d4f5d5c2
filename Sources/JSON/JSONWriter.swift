/// Writes JSON into a byte buffer. It writes the commas; the caller writes names and values in the right order. Text is
/// UTF-8, escaped only where RFC 8259 §7 requires it.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.name("id")
/// writer.value(task.id)
/// writer.endObject()
/// ```
// Usable from inline code, without which the inlinable methods of a package type stay calls in other modules.
@usableFromInline
package struct JSONWriter {
    /// The text so far. The caller may append other bytes between two whole values, such as a line break.
    @usableFromInline package var bytes: [UInt8]
    @usableFromInline var needsComma = false

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

    /// A member name that needs no escapes; ours never do.
    // Inlined, so that a literal becomes a few stores.
    @inlinable @inline(__always)
    package mutating func name(_ name: StaticString) {
        assert(Self.isPlain(name), "\(name) needs an escape.")
        put(atMost: name.utf8CodeUnitCount + 4) { text in
            text.add(UInt8(ascii: "\""))
            text.add(name)
            text.add(UInt8(ascii: "\""))
            text.add(UInt8(ascii: ":"))
        }
        needsComma = false
    }

    @usableFromInline
    static func isPlain(_ text: StaticString) -> Bool {
        text.utf8Start.endOfPlainText(from: 0, to: text.utf8CodeUnitCount) == text.utf8CodeUnitCount
    }

    /// Any member name. (Disfavoured, so that a literal is a `StaticString`.)
    @_disfavoredOverload
    package mutating func name(_ name: String) {
        comma()
        text(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func value(_ string: String) {
        if !plain(string) {
            comma()
            text(string)
        }
    }

    /// Null for nil.
    package mutating func value(_ string: String?) {
        if let string { value(string) } else { null() }
    }

    /// A string of `count` ASCII characters without escapes, which `write` writes in place: ids and times need no
    /// `String`.
    // Inlined with the closure, which would be allocated otherwise.
    @inlinable @inline(__always)
    package mutating func ascii(_ count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        put(atMost: count + 3) { text in
            text.add(UInt8(ascii: "\""))
            write(text.room(count))
            text.add(UInt8(ascii: "\""))
        }
    }

    package mutating func value(_ integer: Int) { value(Int64(integer)) }

    package mutating func value(_ integer: Int64) {
        // A comma, a sign and at most 19 digits.
        put(atMost: 21) { text in
            if integer < 0 { text.add(UInt8(ascii: "-")) }
            let magnitude = UInt(integer.magnitude)
            let places = magnitude.decimalPlaces
            text.room(places).writeDigits(magnitude, places, at: 0)
        }
    }

    /// Null for nil.
    package mutating func value(_ integer: Int?) {
        if let integer { value(integer) } else { null() }
    }

    package mutating func value(_ bool: Bool) {
        word(bool ? "true" : "false")
    }

    /// The shortest literal that parses to the same number; null for NaN and the infinities.
    package mutating func value(_ double: Double) {
        guard double.isFinite else { return null() }
        comma()
        bytes.append(contentsOf: double.description.utf8)
    }

    package mutating func null() {
        word("null")
    }

    /// A value that is encoded already.
    package mutating func raw(_ encoded: some Collection<UInt8>) {
        comma()
        bytes.append(contentsOf: encoded)
    }

    /// The same for a slice of an array, in one copy. Not generic, so it is specialized in other modules, too.
    package mutating func raw(_ encoded: ArraySlice<UInt8>) {
        encoded.withUnsafeBytes { raw($0) }
    }

    /// The same for bytes in memory.
    @inlinable
    package mutating func raw(_ encoded: UnsafeRawBufferPointer) {
        put(atMost: encoded.count + 1) { $0.add(encoded.assumingMemoryBound(to: UInt8.self)) }
    }

    /// Makes room for about this many more bytes, so that writing them does not move the others.
    package mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count)
    }

    /// How far the text is.
    package struct Mark {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
    }

    package var mark: Mark { Mark(count: bytes.count, needsComma: needsComma) }

    /// Takes back what was written since.
    package mutating func goBack(to mark: Mark) {
        bytes.removeLast(bytes.count - mark.count)
        needsComma = mark.needsComma
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

    /// Writes the comma before a value or a name, if one is due.
    @inline(__always)
    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func word(_ word: StaticString) {
        put(atMost: word.utf8CodeUnitCount + 1) { $0.add(word) }
    }

    /// Writes a comma, if one is due, and the bytes of `write` in place at the end of the buffer.
    ///
    /// - Parameter count: the most bytes, including the comma.
    @inlinable @inline(__always)
    mutating func put(atMost count: Int, _ write: (inout Room) -> Void) {
        let comma = needsComma
        needsComma = true
        bytes.append(addingCapacity: count) { span in
            span.withUnsafeMutableBufferPointer { buffer, used in
                var room = Room(buffer)
                if comma { room.add(UInt8(ascii: ",")) }
                write(&room)
                used = room.count
            }
        }
    }

    /// Writes a string that needs no escapes, the usual case.
    ///
    /// - Returns: false, without writing anything, for one that does.
    private mutating func plain(_ string: String) -> Bool {
        string.utf8.withContiguousStorageIfAvailable { utf8 in
            guard let base = utf8.baseAddress else { return false }
            guard base.endOfPlainText(from: 0, to: utf8.count) == utf8.count else { return false }
            put(atMost: utf8.count + 3) { text in
                text.add(UInt8(ascii: "\""))
                text.add(utf8)
                text.add(UInt8(ascii: "\""))
            }
            return true
        } ?? false
    }

    private mutating func text(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        // Native strings have contiguous storage; a bridged one (macOS) is copied once.
        let done: Void? = string.utf8.withContiguousStorageIfAvailable { escape($0) }
        if done == nil {
            Array(string.utf8).withUnsafeBufferPointer { escape($0) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Copies runs of plain text, with an escape between each two.
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

extension JSONWriter {
    /// Free capacity at the end of the buffer, filled from its start.
    // Unsafe because the bytes are not initialized; every access is checked against the capacity.
    @usableFromInline
    struct Room {
        @usableFromInline let buffer: UnsafeMutableBufferPointer<UInt8>
        @usableFromInline var count = 0

        @inlinable @inline(__always)
        init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
            self.buffer = buffer
        }

        @inlinable @inline(__always)
        mutating func add(_ byte: UInt8) {
            room(1)[0] = byte
        }

        @inlinable @inline(__always)
        mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
            _ = room(bytes.count).update(fromContentsOf: bytes)
        }

        @inlinable @inline(__always)
        mutating func add(_ text: StaticString) {
            add(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        /// The next bytes, to be filled by the caller.
        @inlinable @inline(__always)
        mutating func room(_ size: Int) -> UnsafeMutableBufferPointer<UInt8> {
            precondition(size <= buffer.count - count, "Nobody made room.")
            defer { count += size }
            return UnsafeMutableBufferPointer(start: buffer.baseAddress.map { $0 + count }, count: size)
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
