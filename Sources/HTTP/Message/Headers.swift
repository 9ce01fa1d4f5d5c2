/// The header fields of a request, in the order they came (RFC 9110 §5).
///
/// They are slices of the head as it was read; a `String` is made only of what is asked for.
package struct Headers: Sendable {
    private let head: RequestHead

    init(head: RequestHead) {
        self.head = head
    }

    package init(_ fields: [(name: String, value: String)] = []) {
        self.head = RequestHead(target: "", fields: fields, host: nil)
    }

    /// Names and values as they were sent. Makes a `String` of each: not for the way of every request.
    package var fields: [(name: String, value: String)] {
        head.fields.map { (name: head.string($0.name), value: head.string($0.value)) }
    }

    /// The first value of the field, whatever its case; `nil` when it is absent.
    ///
    /// - Parameter name: in lower case.
    package subscript(_ name: String) -> String? {
        first(name).map { head.string($0.value) }
    }

    /// Every value of the field, in order.
    ///
    /// - Parameter name: in lower case.
    package func values(_ name: String) -> [String] {
        has(name) ? head.fields.lazy.filter { matches($0.name, name) }.map { head.string($0.value) } : []
    }

    /// The bytes of the field's first value, without copying them; `nil` when it is absent.
    ///
    /// - Parameter name: in lower case.
    package func bytes(_ name: String) -> ArraySlice<UInt8>? {
        first(name).map { head.bytes[$0.value.indices] }
    }

    /// How often the field is there.
    ///
    /// - Parameter name: in lower case.
    package func count(_ name: String) -> Int {
        has(name) ? head.fields.count { matches($0.name, name) } : 0
    }

    /// Whether the field is there at all.
    ///
    /// - Parameter name: in lower case.
    package func has(_ name: String) -> Bool {
        first(name) != nil
    }

    /// Whether the field's first value is exactly this, byte for byte.
    ///
    /// - Parameter name: in lower case.
    package func has(_ name: String, equalTo value: String) -> Bool {
        bytes(name)?.equals(value) ?? false
    }

    private func first(_ name: String) -> FieldRange? {
        guard head.nameLengths.contains(name.utf8.count) else { return nil }
        for index in 0..<head.fieldCount where matches(head.field(index).name, name) { return head.field(index) }
        return nil
    }

    private func matches(_ range: ByteRange, _ name: String) -> Bool {
        guard Int(range.count) == name.utf8.count else { return false }
        // Lent as it lies in memory: to walk a `String` takes fifty instructions a byte.
        var name = name
        return name.withUTF8 { wanted in
            head.bytes.withUnsafeBufferPointer { bytes in
                // Unsafe only for the time of the comparison; ranges of a head lie within its bytes.
                let field = UnsafeBufferPointer(rebasing: bytes[range.indices])
                for index in 0..<wanted.count where field[index].asciiLowercased != wanted[index] { return false }
                return true
            }
        }
    }
}
