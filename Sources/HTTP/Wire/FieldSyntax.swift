/// One header field: `name ":" OWS value OWS` (RFC 9112 §5).
enum FieldSyntax {
    /// Where name and trimmed value lie. The line is given without its CRLF.
    static func parse(
        _ bytes: Span<UInt8>, _ line: Range<Int>
    ) throws(WireError) -> (name: Range<Int>, value: Range<Int>) {
        guard let colon = try scan(bytes, line) else { throw .malformed("A header line has no colon.") }
        var start = colon + 1
        var end = line.upperBound
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return (line.lowerBound..<colon, start..<end)
    }

    /// Goes through a line from left to right, whole or not yet, and refuses it at the first byte that no further one
    /// can mend.
    ///
    /// - Returns: where the colon is, if it is there.
    @discardableResult
    static func scan(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(WireError) -> Int? {
        var colon = bytes.endOfUsualName(in: line)
        while colon < line.upperBound, bytes[colon].isTokenCharacter { colon += 1 }
        guard colon < line.upperBound else { return nil }
        guard bytes[colon] == UInt8(ascii: ":") else {
            throw misplaced(bytes[colon], atStart: colon == line.lowerBound)
        }
        guard colon > line.lowerBound else { throw .malformed("A header field has no name.") }
        // With the end of the name, which passes too, a short value has eight bytes to look at together.
        let start = max(line.lowerBound, min(colon + 1, line.upperBound - 8))
        if bytes.contains(
            in: start..<line.upperBound, where: { !$0.isFieldValueCharacter },
            quickly: { $0.hasByte(below: 0x20) | $0.hasByte(0x7F) })
        {
            throw .malformed("A header field's value holds a control character.")
        }
        return colon
    }

    private static func misplaced(_ byte: UInt8, atStart: Bool) -> WireError {
        guard byte == 0x20 || byte == 0x09 else {
            return .malformed("A header field's name holds a character that none may hold.")
        }
        return .malformed(
            atStart
                ? "A header line begins with white space: folded lines are obsolete."
                : "White space stands before the colon of a header field.")
    }

    /// True if the bytes are this text, in any case.
    ///
    /// - Parameter text: of lower-case letters, digits and what is in the upper half of its column in ASCII, such as
    ///   the hyphen.
    static func equal(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return bytes.extracting(range).withUnsafeBytes { equal($0, text) }
    }

    /// The same. Control characters, which no name and no checked value holds, may pass for others.
    static func equal(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        // Unsafe because a StaticString lends its bytes that way, and to compare eight bytes at once; the counts are the same.
        let wanted = UnsafeRawPointer(text.utf8Start)
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | 0x2020_2020_2020_2020
            if word != wanted.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
            offset += 8
        }
        while offset < bytes.count {
            if bytes[offset] | 0x20 != wanted.load(fromByteOffset: offset, as: UInt8.self) { return false }
            offset += 1
        }
        return true
    }

    /// True if the bytes are exactly this text.
    static func equalExactly(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        // Unsafe because a StaticString lends its bytes that way; the count was compared above.
        let wanted = text.utf8Start
        for index in bytes.indices where bytes[index] != wanted[index] { return false }
        return true
    }

    /// The members of a comma-separated list, trimmed, empty ones included (RFC 9110 §5.6.1).
    static func forEachMember(_ bytes: Span<UInt8>, _ value: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = value.lowerBound
        for index in value.lowerBound...value.upperBound
        where index == value.upperBound || bytes[index] == UInt8(ascii: ",") {
            var end = index
            while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
            while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
            body(start..<end)
            start = index + 1
        }
    }
}
